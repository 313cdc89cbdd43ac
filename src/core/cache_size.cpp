#include "core/cache_size.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

namespace spmv {
namespace {

template <class Value>
Value read(const std::filesystem::path& file) {
  Value value{};
  std::ifstream(file) >> value;
  return value;
}

}  // namespace

double processor_cache_bytes(const std::string& folder) {
  constexpr double kib = 1024;
  int last_level = 0;
  std::map<std::string, double> caches;  // of the last level, by the processors that share it
  std::error_code unreadable;
  for (const auto& processor : std::filesystem::directory_iterator(folder, unreadable))
    for (const auto& index : std::filesystem::directory_iterator(processor.path() / "cache", unreadable)) {
      const int level = read<int>(index.path() / "level");
      if (level == 0 || level < last_level || read<std::string>(index.path() / "type") == "Instruction")
        continue;
      if (level > last_level) caches.clear();
      last_level = level;
      caches[read<std::string>(index.path() / "shared_cpu_list")] = kib * read<double>(index.path() / "size");
    }
  double sum = 0;
  for (const auto& [processors, bytes] : caches) sum += bytes;
  return sum;
}

}  // namespace spmv
