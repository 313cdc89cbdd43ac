#include "core/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace spmv {
namespace {

std::optional<std::size_t> number_in(const std::string& file) {
  std::ifstream in(file);
  std::size_t value = 0;
  if (in >> value) return value;
  return std::nullopt;  // absent, or "max"
}

MemoryInfo physical_memory() {
  MemoryInfo info;
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  std::size_t kib = 0;
  while (in >> key >> kib) {
    if (key == "MemTotal:") info.total_bytes = kib * 1024;
    if (key == "MemAvailable:") info.free_bytes = kib * 1024;
    std::getline(in, unit);
  }
  return info;
}

}  // namespace

MemoryInfo machine_memory() {
  MemoryInfo info = physical_memory();
  const auto cap = [&](const std::string& limit_file, const std::string& used_file) {
    const auto limit = number_in(limit_file);
    const auto used = number_in(used_file);
    if (!limit || !used || *limit >= info.total_bytes) return;
    info.total_bytes = *limit;
    info.free_bytes = std::min(info.free_bytes, *limit > *used ? *limit - *used : 0);
  };
  cap("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current");
  cap("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes");
  return info;
}

}  // namespace spmv
