
#include "dist/order.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// Of a cache of about the size that a core has to itself: 1 MiB.
constexpr offset cache_lines = (offset{1} << 20) / static_cast<offset>(cache_line_bytes);

}  // namespace

offset loaded_lines(const std::vector<offset>& row_ptr, const std::vector<lidx>& col,
                    const std::vector<lidx>& order, std::size_t element_bytes) {
  const std::vector<lidx> position = inverse(order);
  const std::size_t per_line = cache_line_bytes / element_bytes;
  std::vector<offset> touched;  // when each line was touched last, as a number of nonzeros from 1 on
  offset nonzeros = 0, loaded = 0;
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    const std::size_t row = order.empty() ? i : static_cast<std::size_t>(order[i]);
    for (offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      auto c = static_cast<std::size_t>(col[static_cast<std::size_t>(k)]);
      if (c < position.size()) c = static_cast<std::size_t>(position[c]);
      const std::size_t line = c / per_line;
      if (line >= touched.size()) touched.resize(line + 1, -cache_lines);
      ++nonzeros;
      if (nonzeros - touched[line] > cache_lines) ++loaded;
      touched[line] = nonzeros;
    }
  }
  return loaded;
}

}  // namespace spmv
