#include "dist/partition/metis_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace spmv {

int metis_width(const std::function<void(void*)>& set_default_options) {
  constexpr std::size_t numbers = 40;  // METIS_NOPTIONS of METIS 5; each is set
  // Room for more than the options of either width; what is not written stays what METIS writes nowhere.
  constexpr unsigned char untouched = 0x5a;
  std::array<std::int64_t, 2 * numbers> options;
  std::memset(options.data(), untouched, sizeof(options));
  set_default_options(options.data());
  std::array<unsigned char, sizeof(options)> bytes;
  std::memcpy(bytes.data(), options.data(), sizeof(options));
  const auto last =
      std::find_if(bytes.rbegin(), bytes.rend(), [](unsigned char b) { return b != untouched; });
  const auto written = static_cast<std::size_t>(std::distance(last, bytes.rend()));
  for (const std::size_t width : {sizeof(std::int32_t), sizeof(std::int64_t)})
    if (written == numbers * width) return static_cast<int>(width);
  return 0;
}

}  // namespace spmv
