#include "kernels/csr_vector/csr_vector.hpp"

#include <algorithm>

#include "kernels/analysis.hpp"
#include "kernels/csr/csr_rows.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_csr_rows("csr_vector", csr_vector_threads_per_row(block.rows, block.nonzeros(), options), block,
                       row_list, options, backend);
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  return csr_rows_cost(a, csr_vector_threads_per_row(a.rows, a.nonzeros, options));
}

}  // namespace

int csr_vector_threads_per_row(lidx rows, offset nonzeros, const FormatOptions& options) {
  const int threads =
      options.threads_per_row > 0 ? options.threads_per_row : csr_threads_per_row(rows, nonzeros);
  return std::max(2, threads);
}

template <class T>
Format<T> csr_vector_format() {
  return {"csr_vector", "compressed sparse rows, 2 to 32 threads per row: for rows of like length",
          keep_row_order<T>, make<T>, cost};
}

template Format<float> csr_vector_format();
template Format<double> csr_vector_format();
template Format<std::complex<float>> csr_vector_format();
template Format<std::complex<double>> csr_vector_format();

}  // namespace spmv
