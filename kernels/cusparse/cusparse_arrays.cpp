#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/region_failure.hpp"
#include "core/value_types.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "kernels/parts/block_columns.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

void require_block_size(int size) {
  if (size < least_entry_block || size > most_entry_block)
    throw Error(ExitCode::usage, fmt::format("BSR takes blocks of {0} x {0} to {1} x {1}, not {2}",
                                             least_entry_block, most_entry_block, size));
}

}  // namespace

lidx cusparse_slice_rows(const FormatOptions& options) {
  const lidx rows = options.chunk_rows;
  return rows >= 2 && (rows & (rows - 1)) == 0 ? rows : warp_size;
}

int cusparse_block_size(const Analysis& a, const FormatOptions& options) {
  if (options.entry_block != 0) {
    require_block_size(options.entry_block);
    return options.entry_block;
  }
  int best = least_entry_block;
  double least = std::numeric_limits<double>::infinity();
  for (const BlockCover& cover : a.block_covers) {
    const double bytes = static_cast<double>(cover.blocks) *
                             (static_cast<double>(a.value_bytes) * cover.size * cover.size + sizeof(lidx)) +
                         static_cast<double>(a.rows) / cover.size * sizeof(lidx);
    if (bytes >= least) continue;
    least = bytes;
    best = cover.size;
  }
  return best;
}

template <class T>
SlicedEll<T> build_sliced_ell(const Csr<T>& block, lidx slice_rows) {
  SlicedEll<T> built;
  built.slice_start.push_back(0);
  for (offset first = 0; first < block.rows; first += slice_rows) {
    offset longest = 0;
    for (offset row = first; row < std::min<offset>(first + slice_rows, block.rows); ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    built.slice_start.push_back(built.slice_start.back() + longest * slice_rows);
  }
  built.col.assign(static_cast<std::size_t>(built.slice_start.back()), -1);
  built.value.resize(built.col.size());
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < block.rows; ++row) {
    offset to = built.slice_start[row / slice_rows] + row % slice_rows;
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k, to += slice_rows) {
      built.col[to] = block.col[k];
      built.value[to] = block.value[k];
    }
  }
  return built;
}

template <class T>
BlockCsr<T> build_block_csr(const Csr<T>& block, int size) {
  require_block_size(size);
  const offset rows = (offset{block.rows} + size - 1) / size;
  const auto last_row = [&](offset i) { return std::min<offset>((i + 1) * size, block.rows); };
  const BlockSource<T> from = block_on_host(block, {});
  BlockCsr<T> built;
  built.row_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
  for_all<std::vector<lidx>>(rows, [&](offset i, std::vector<lidx>& cols) {
    find_block_cols(from, i * size, last_row(i), size, cols);
    built.row_ptr[i + 1] = static_cast<offset>(cols.size());
  });
  for (offset i = 0; i < rows; ++i) built.row_ptr[i + 1] += built.row_ptr[i];
  built.col.resize(static_cast<std::size_t>(built.row_ptr.back()));
  built.value.resize(built.col.size() * static_cast<std::size_t>(size * size));
  for_all<std::vector<lidx>>(rows, [&](offset i, std::vector<lidx>& cols) {
    find_block_cols(from, i * size, last_row(i), size, cols);
    std::copy(cols.begin(), cols.end(), built.col.begin() + built.row_ptr[i]);
    for (offset row = i * size; row < last_row(i); ++row) {
      for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k) {
        const lidx col = block.col[k];
        const offset at =
            built.row_ptr[i] + (std::lower_bound(cols.begin(), cols.end(), col / size) - cols.begin());
        built.value[at * size * size + (row - i * size) * size + col % size] += block.value[k];
      }
    }
  });
  return built;
}

SPMV_INSTANTIATE(build_sliced_ell);
SPMV_INSTANTIATE(build_block_csr);

}  // namespace spmv
