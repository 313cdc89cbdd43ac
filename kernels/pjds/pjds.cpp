#include "kernels/pjds/pjds.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "kernels/analysis.hpp"
#include "kernels/column_major.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

/// Rows stored in every column: those of the blocks that reach it, padding included.
template <class T>
std::vector<offset> column_heights(const Csr<T>& block, lidx block_rows) {
  if (block_rows < 1)
    throw Error(ExitCode::usage, fmt::format("pJDS block rows must be at least 1, not {}", block_rows));
  std::vector<offset> height;
  for (offset first = 0; first < block.rows; first += block_rows) {
    const offset last = std::min<offset>(first + block_rows, block.rows);
    offset longest = 0;
    for (offset row = first; row < last; ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    if (first == 0) height.resize(longest);
    if (longest > static_cast<offset>(height.size()) || (longest > 0 && height[longest - 1] != first))
      throw Error(ExitCode::internal,
                  "pJDS needs its rows in descending order of length: apply row_order first");
    for (offset j = 0; j < longest; ++j) height[j] = first + block_rows;
  }
  return height;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const std::vector<offset> height = column_heights(block, options.block_rows);
  const double stored = std::accumulate(height.begin(), height.end(), 0.0);
  const double bytes = stored * (sizeof(T) + sizeof(lidx)) +
                       static_cast<double>(height.size()) * sizeof(offset) +
                       (static_cast<double>(block.rows) + row_list.size()) * sizeof(lidx);
  require_memory(*backend, "pjds", {bytes, bytes}, "use fewer block rows, or format csr");

  const Pjds<T> built = build_pjds(block, options.block_rows);
  DeviceArrays arrays(backend);
  PjdsView<T> view{};
  view.rows = block.rows;
  view.col_start = arrays.add(built.col_start);
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(row_list);
  if (runs_host_code(*backend)) view.chunk_ptr = arrays.add(chunk_nonzeros(built.row_length));
  return make_format_operator(view, std::move(arrays), block, static_cast<offset>(built.value.size()));
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  const auto iterations = static_cast<double>(a.iterations(a.rows));
  return {iterations * warp_rows * element + lengths,
          static_cast<double>(a.nonzeros) * element + lengths + vector_bytes(a), iterations,
          static_cast<double>(a.longest)};
}

}  // namespace

template <class T>
std::vector<lidx> pjds_row_order(const Csr<T>& block, const FormatOptions&) {
  // Counting sort: place[d] is where the next row goes that is d shorter than the longest.
  const lidx longest = longest_row(block);
  std::vector<offset> place(static_cast<std::size_t>(longest) + 2, 0);
  for (lidx row = 0; row < block.rows; ++row) ++place[longest - block.row_length(row) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<lidx> order(block.rows);
  for (lidx row = 0; row < block.rows; ++row) order[place[longest - block.row_length(row)]++] = row;
  return order;
}

template <class T>
Pjds<T> build_pjds(const Csr<T>& block, lidx block_rows) {
  longest_row(block);
  Pjds<T> built;
  offset stored = 0;
  for (const offset height : column_heights(block, block_rows)) {
    built.col_start.push_back(stored);
    stored += height;
  }
  built.row_length.resize(block.rows);
  built.col.resize(stored);
  built.value.resize(stored);
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < block.rows; ++row) {
    const offset first = block.row_ptr[row];
    built.row_length[row] = static_cast<lidx>(block.row_length(row));
    for (lidx j = 0; j < built.row_length[row]; ++j) {
      built.col[built.col_start[j] + row] = block.col[first + j];
      built.value[built.col_start[j] + row] = block.value[first + j];
    }
  }
  return built;
}

template <class T>
Format<T> pjds_format() {
  return {"pjds",
          "rows sorted by length and padded in blocks, stored column-wise: ELLPACK-R with less padding",
          pjds_row_order<T>, make<T>, cost};
}

template Format<float> pjds_format();
template Format<double> pjds_format();
template Format<std::complex<float>> pjds_format();
template Format<std::complex<double>> pjds_format();

template Pjds<float> build_pjds(const Csr<float>&, lidx);
template Pjds<double> build_pjds(const Csr<double>&, lidx);
template Pjds<std::complex<float>> build_pjds(const Csr<std::complex<float>>&, lidx);
template Pjds<std::complex<double>> build_pjds(const Csr<std::complex<double>>&, lidx);

}  // namespace spmv
