// Patterns in dense b x b blocks.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/packed/cover.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/block_columns.hpp"
#include "kernels/parts/format_checks.hpp"

namespace spmv {

void require_entry_block(int b) {
  if (b < 1 || b > most_entry_block)
    throw Error(ExitCode::usage, fmt::format("blocks are 1 to {} wide, not {}", most_entry_block, b));
}

Error hole_in_block() {
  return {ExitCode::input, "a nonzero is the NaN that marks holes in blocks: use format sell_packed"};
}

template <class T>
T hole() {
  constexpr auto bits = [] {
    if constexpr (sizeof(RealOf<T>) == sizeof(float))
      return std::array{hole_bits_of_float, hole_bits_of_float};
    else
      return std::array{hole_bits_of_double, hole_bits_of_double};
  }();
  T value{};
  std::memcpy(static_cast<void*>(&value), bits.data(), sizeof(T));
  return value;
}

template <class T>
Elements<T> cover_with_blocks(const Csr<T>& block, int b, const RowOrder& order) {
  require_entry_block(b);
  std::atomic<bool> hole_used = false;
  BlockElements<T> blocks =
      cover_rows(block_on_host(block, order), b, hole<T>(), [&](T& place, const T& value) {
        place = value;
        if (bits_of(value) == bits_of(hole<T>())) hole_used = true;
      });
  if (hole_used) throw hole_in_block();
  const bool holes = static_cast<offset>(blocks.value.size()) > block.nonzeros();
  return {block.rows,
          block.cols,
          b,
          holes,
          std::move(blocks.row_ptr),
          std::move(blocks.col),
          std::move(blocks.value)};
}

int best_entry_block(const std::vector<BlockCover>& covers, std::size_t value_bytes) {
  int best = least_entry_block;
  double least = std::numeric_limits<double>::infinity();
  for (const BlockCover& cover : covers) {
    const double bytes = static_cast<double>(cover.blocks) *
                         (cover.size * cover.size * static_cast<double>(value_bytes) + sizeof(lidx));
    if (cover.blocks > 0 && bytes < least) {
      least = bytes;
      best = cover.size;
    }
  }
  return best;
}

template <class T>
std::vector<lidx> packed_row_order(const Csr<T>& block, int b, lidx sigma) {
  if (sigma <= 1) return {};
  if (b == 1) return sorted_rows(row_lengths(block.row_ptr), sigma);
  // Only whole groups take part: the last rows stay last.
  longest_row(block);
  std::vector<lidx> lengths(static_cast<std::size_t>(block.rows / b));
  for (std::size_t g = 0; g < lengths.size(); ++g) {
    const offset group = block.row_ptr[(g + 1) * b] - block.row_ptr[g * b];
    lengths[g] = static_cast<lidx>(std::min<offset>(group, std::numeric_limits<lidx>::max()));
  }
  std::vector<lidx> order;
  order.reserve(static_cast<std::size_t>(block.rows));
  for (const lidx group : sorted_rows(lengths, std::max<lidx>(2, sigma / b)))
    for (lidx row = group * b; row < (group + 1) * b; ++row) order.push_back(row);
  for (auto row = static_cast<lidx>(lengths.size()) * b; row < block.rows; ++row) order.push_back(row);
  return order;
}

SPMV_INSTANTIATE(hole);
SPMV_INSTANTIATE(cover_with_blocks);
SPMV_INSTANTIATE(packed_row_order);

}  // namespace spmv
