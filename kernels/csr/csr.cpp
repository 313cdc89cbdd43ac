#include "kernels/csr/csr.hpp"

#include "kernels/analysis.hpp"
#include "kernels/csr/csr_rows.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_csr_rows("csr", csr_threads_per_row(block.rows, block.nonzeros()), block, row_list, options,
                       backend);
}

Cost cost(const Analysis& a, const FormatOptions&) {
  return csr_rows_cost(a, csr_threads_per_row(a.rows, a.nonzeros));
}

}  // namespace

int csr_threads_per_row(lidx rows, offset nonzeros) {
  int threads = 1;
  while (threads < 32 && 3 * static_cast<offset>(threads) * rows <= nonzeros) threads *= 2;
  return threads;
}

template <class T>
Format<T> csr_format() {
  return {"csr", "compressed sparse rows: no padding, any row lengths", keep_row_order<T>, make<T>, cost};
}

template Format<float> csr_format();
template Format<double> csr_format();
template Format<std::complex<float>> csr_format();
template Format<std::complex<double>> csr_format();

}  // namespace spmv
