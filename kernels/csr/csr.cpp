#include "kernels/csr/csr.hpp"

#include <cmath>
#include <utility>

#include "kernels/analysis.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const double bytes = static_cast<double>(block.nonzeros()) * (sizeof(T) + sizeof(lidx)) +
                       (block.rows + 1.0) * sizeof(offset) +
                       static_cast<double>(row_list.size()) * sizeof(lidx);
  require_memory(*backend, "csr", {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  CsrView<T> view{};
  view.rows = block.rows;
  view.row_ptr = arrays.add(block.row_ptr);
  view.col = arrays.add(block.col);
  view.value = arrays.add(block.value);
  view.row_list = arrays.add_row_list(row_list);
  view.threads_per_row = csr_threads_per_row(block.rows, block.nonzeros());
  return make_format_operator(view, std::move(arrays), block, block.nonzeros());
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const double bytes = static_cast<double>(a.nonzeros) * static_cast<double>(a.value_bytes + sizeof(lidx)) +
                       (a.rows + 1.0) * sizeof(offset);
  const int threads = csr_threads_per_row(a.rows, a.nonzeros);
  return {bytes, bytes + vector_bytes(a), row_iterations(a, threads), std::ceil(1.0 * a.longest / threads)};
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
