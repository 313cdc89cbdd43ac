#include "kernels/csr/csr_rows.hpp"

#include <cmath>
#include <utility>

#include "kernels/analysis.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {

template <class T>
std::unique_ptr<LocalOperator<T>> make_csr_rows(const char* name, int threads_per_row, const Csr<T>& block,
                                                const std::vector<lidx>& row_list,
                                                const FormatOptions& options,
                                                const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const double bytes = static_cast<double>(block.nonzeros()) * (sizeof(T) + sizeof(lidx)) +
                       (block.rows + 1.0) * sizeof(offset) +
                       static_cast<double>(row_list.size()) * sizeof(lidx);
  require_memory(*backend, name, {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  CsrView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(block.row_ptr);
  view.col = arrays.add(block.col);
  view.value = arrays.add(block.value);
  view.row_list = arrays.add_row_list(row_list);
  view.threads_per_row = threads_per_row;
  view.threads_per_block = options.threads_per_block;
  return make_format_operator(view, std::move(arrays), block, block.nonzeros());
}

Cost csr_rows_cost(const Analysis& a, int threads_per_row) {
  const double bytes = static_cast<double>(a.nonzeros) * static_cast<double>(a.value_bytes + sizeof(lidx)) +
                       (a.rows + 1.0) * sizeof(offset);
  return {bytes, bytes + vector_bytes(a), row_iterations(a, threads_per_row),
          std::ceil(1.0 * a.longest / threads_per_row)};
}

template std::unique_ptr<LocalOperator<float>> make_csr_rows(const char*, int, const Csr<float>&,
                                                             const std::vector<lidx>&, const FormatOptions&,
                                                             const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<double>> make_csr_rows(const char*, int, const Csr<double>&,
                                                              const std::vector<lidx>&, const FormatOptions&,
                                                              const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<float>>> make_csr_rows(const char*, int,
                                                                           const Csr<std::complex<float>>&,
                                                                           const std::vector<lidx>&,
                                                                           const FormatOptions&,
                                                                           const std::shared_ptr<Backend>&);
template std::unique_ptr<LocalOperator<std::complex<double>>> make_csr_rows(const char*, int,
                                                                            const Csr<std::complex<double>>&,
                                                                            const std::vector<lidx>&,
                                                                            const FormatOptions&,
                                                                            const std::shared_ptr<Backend>&);

}  // namespace spmv
