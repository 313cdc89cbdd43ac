// Stands in for cuSPARSE in a build without it.
#include "kernels/cusparse/cusparse_product.hpp"

#include <complex>

#include "core/error.hpp"

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

template std::unique_ptr<CusparseProduct<float>> make_cusparse_product(const CusparseMatrix<float>&,
                                                                       const std::shared_ptr<Backend>&);
template std::unique_ptr<CusparseProduct<double>> make_cusparse_product(const CusparseMatrix<double>&,
                                                                        const std::shared_ptr<Backend>&);
template std::unique_ptr<CusparseProduct<std::complex<float>>> make_cusparse_product(
    const CusparseMatrix<std::complex<float>>&, const std::shared_ptr<Backend>&);
template std::unique_ptr<CusparseProduct<std::complex<double>>> make_cusparse_product(
    const CusparseMatrix<std::complex<double>>&, const std::shared_ptr<Backend>&);

}  // namespace spmv
