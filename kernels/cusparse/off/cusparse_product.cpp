// Stands in for cuSPARSE in a build without it.
#include "kernels/cusparse/cusparse_product.hpp"

#include "core/error.hpp"
#include "core/value_types.hpp"

namespace spmv {

std::string why_no_cusparse() {
  return "this build has no cuSPARSE: configure with -DSPMV_CUDA=ON -DSPMV_CUSPARSE=ON where CUDA 13 is, or "
         "use another format";
}

template <class T>
std::unique_ptr<CusparseProduct<T>> make_cusparse_product(const CusparseMatrix<T>&,
                                                          const std::shared_ptr<Backend>&) {
  throw Error(ExitCode::environment, why_no_cusparse());
}

SPMV_INSTANTIATE(make_cusparse_product);

}  // namespace spmv
