#include "kernels/csr_scalar/csr_scalar.hpp"

#include "kernels/analysis.hpp"
#include "kernels/csr/csr_rows.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_csr_rows("csr_scalar", 1, block, row_list, options, backend);
}

Cost cost(const Analysis& a, const FormatOptions&) {
  return csr_rows_cost(a, 1);
}

}  // namespace

template <class T>
Format<T> csr_scalar_format() {
  return {"csr_scalar", "compressed sparse rows, one thread per row: for rows of a few elements",
          keep_row_order<T>, make<T>, cost};
}

template Format<float> csr_scalar_format();
template Format<double> csr_scalar_format();
template Format<std::complex<float>> csr_scalar_format();
template Format<std::complex<double>> csr_scalar_format();

}  // namespace spmv
