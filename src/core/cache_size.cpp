#include "core/cache_size.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "core/names_in.hpp"

namespace spmv {
namespace {

template <class Value>
Value read(const std::string& file) {
  Value value{};
  std::ifstream(file) >> value;
  return value;
}

}  // namespace

double processor_cache_bytes(const std::string& folder) {
  constexpr double kib = 1024;
  int last_level = 0;
  std::map<std::string, double> caches;  // of the last level, by the processors that share it
  for (const std::string& processor : names_in(folder)) {
    const std::string of_processor = fmt::format("{}/{}/cache", folder, processor);
    for (const std::string& index : names_in(of_processor)) {
      const std::string cache = fmt::format("{}/{}", of_processor, index);
      const int level = read<int>(cache + "/level");
      if (level == 0 || level < last_level || read<std::string>(cache + "/type") == "Instruction") continue;
      if (level > last_level) caches.clear();
      last_level = level;
      caches[read<std::string>(cache + "/shared_cpu_list")] = kib * read<double>(cache + "/size");
    }
  }
  double sum = 0;
  for (const auto& [processors, bytes] : caches) sum += bytes;
  return sum;
}

}  // namespace spmv
