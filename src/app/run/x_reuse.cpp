#include "app/run/x_reuse.hpp"

#include <algorithm>
#include <cstdint>

namespace spmv {
namespace {

/// Lines of memory in sets; in each, the least recently used line is replaced.
class Lines {
 public:
  explicit Lines(const Cache& cache)
      : sets_(std::max<std::size_t>(1, static_cast<std::size_t>(cache.bytes) / (ways * cache.line_bytes))),
        held_(sets_ * ways, nothing) {}

  /// Uses a line; whether it was in the cache.
  bool use(std::uint64_t line) {
    const auto first = held_.begin() + static_cast<std::ptrdiff_t>((mixed(line) % sets_) * ways);
    const auto last = first + ways;
    const auto found = std::find(first, last, line);
    const bool held = found != last;
    std::rotate(first, held ? found : last - 1, held ? found + 1 : last);
    *first = line;
    return held;
  }

 private:
  static constexpr std::ptrdiff_t ways = 16;
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  /// Hashed, as caches do: lines at a regular distance go to different sets.
  static std::uint64_t mixed(std::uint64_t line) {
    line *= 0x9e3779b97f4a7c15U;
    return line ^ (line >> 32U);
  }

  std::size_t sets_;
  std::vector<std::uint64_t> held_;  // of each set, what was used last comes first
};

}  // namespace

double alpha_of_pattern(const std::vector<offset>& row_ptr, const std::vector<lidx>& col,
                        std::size_t value_bytes, const Cache& cache) {
  if (row_ptr.empty() || row_ptr.back() == 0) return 0;
  constexpr std::uint64_t streamed = std::uint64_t{1} << 62U;  // lines of the matrix, apart from those of x
  Lines lines(cache);
  std::uint64_t loaded = 0;
  const auto nonzeros = static_cast<std::uint64_t>(row_ptr.back());
  const std::uint64_t nonzero_bytes = value_bytes + sizeof(lidx);
  for (std::uint64_t i = 0; i < nonzeros; ++i) {
    const std::uint64_t end = (i + 1) * nonzero_bytes / cache.line_bytes;
    for (std::uint64_t line = i * nonzero_bytes / cache.line_bytes; line < end; ++line)
      lines.use(streamed + line);
    if (!lines.use(static_cast<std::uint64_t>(col[i]) * value_bytes / cache.line_bytes)) ++loaded;
  }
  return static_cast<double>(loaded * cache.line_bytes) / static_cast<double>(nonzeros * value_bytes);
}

}  // namespace spmv
