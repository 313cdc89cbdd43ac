#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/cusparse/cusparse.hpp"

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

int cusparse_block_size(const std::vector<BlockCover>& covers, lidx rows, std::size_t value_bytes,
                        const FormatOptions& options) {
  if (options.entry_block != 0) {
    require_block_size(options.entry_block);
    return options.entry_block;
  }
  int best = least_entry_block;
  double least = std::numeric_limits<double>::infinity();
  for (const BlockCover& cover : covers) {
    const double bytes = static_cast<double>(cover.blocks) *
                             (static_cast<double>(value_bytes) * cover.size * cover.size + sizeof(lidx)) +
                         static_cast<double>(rows) / cover.size * sizeof(lidx);
    if (bytes >= least) continue;
    least = bytes;
    best = cover.size;
  }
  return best;
}

template <class T>
SlicedEll<T> build_sliced_ell(const Csr<T>& block, lidx slice_rows) {
  SlicedEll<T> built;
  built.slice_start = plan_sliced(row_lengths(block.row_ptr), slice_rows).slice_ptr;
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
BlockElements<T> build_block_csr(const Csr<T>& block, int size) {
  require_block_size(size);
  return cover_rows(block_on_host(block, {}), size, T{}, [](T& place, const T& value) { place += value; });
}

SPMV_INSTANTIATE(build_sliced_ell);
SPMV_INSTANTIATE(build_block_csr);

}  // namespace spmv
