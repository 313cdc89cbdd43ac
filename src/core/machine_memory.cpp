#include "core/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "core/number.hpp"

namespace spmv {
namespace {

/// The first word of a file; nullopt where that is no number, such as "max", or there is no such file.
std::optional<std::size_t> number_of_file(const std::string& file) {
  std::string word;
  std::ifstream(file) >> word;
  return number_in<std::size_t>(word);
}

/// Sum of some lines "key number" of a file.
std::size_t sum_of(const std::string& file, std::initializer_list<const char*> keys) {
  std::ifstream in(file);
  std::string key, value;
  std::size_t sum = 0;
  while (in >> key >> value)
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      sum += number_in<std::size_t>(value).value_or(0);
  return sum;
}

MemoryInfo physical_memory() {
  MemoryInfo info;
  std::ifstream in("/proc/meminfo");
  std::string key, kib, unit;
  // Both are among the first of many lines.
  while ((info.total_bytes == 0 || info.free_bytes == 0) && in >> key >> kib) {
    const std::size_t bytes = number_in<std::size_t>(kib).value_or(0) * 1024;
    if (key == "MemTotal:") info.total_bytes = bytes;
    if (key == "MemAvailable:") info.free_bytes = bytes;
    std::getline(in, unit);
  }
  return info;
}

/// One control group's limit, what is used of it, and how much of that the kernel would give back: a sum of lines of
/// memory.stat. That is long, and most groups have no limit.
void cap(MemoryInfo& info, const std::string& folder, const char* limit_file, const char* used_file,
         std::initializer_list<const char*> reclaimable_lines) {
  const auto limit = number_of_file(folder + limit_file);
  if (!limit || *limit >= info.total_bytes) return;
  const auto used = number_of_file(folder + used_file);
  if (!used) return;
  const std::size_t reclaimable = sum_of(folder + "/memory.stat", reclaimable_lines);
  info.total_bytes = *limit;
  const std::size_t kept = *used > reclaimable ? *used - reclaimable : 0;
  info.free_bytes = std::min(info.free_bytes, *limit > kept ? *limit - kept : 0);
}

/// This process's group in a hierarchy: the path after "ID:CONTROLLERS:" in /proc/self/cgroup.
std::string group_of(const std::string& controllers) {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second != std::string::npos && line.substr(first + 1, second - first - 1) == controllers)
      return line.substr(second + 1);
  }
  return "/";
}

/// Calls visit(folder) for the group's folder and every one above it up to `root`: each may set a limit.
template <class Visit>
void for_each_level(const std::string& root, std::string group, const Visit& visit) {
  while (group.size() > 1 && group.front() == '/') {
    visit(root + group);
    group.resize(group.rfind('/'));
  }
  visit(root);
}

}  // namespace

MemoryInfo machine_memory() {
  MemoryInfo info = physical_memory();
  for_each_level("/sys/fs/cgroup", group_of(""), [&](const std::string& folder) {
    cap(info, folder, "/memory.max", "/memory.current", {"inactive_file", "active_file", "slab_reclaimable"});
  });
  for_each_level("/sys/fs/cgroup/memory", group_of("memory"), [&](const std::string& folder) {
    cap(info, folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
        {"total_inactive_file", "total_active_file"});
  });
  return info;
}

std::optional<std::size_t> address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t used = number_of_file("/proc/self/statm").value_or(0) * page;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

MemoryInfo process_memory(int ranks) {
  MemoryInfo info = share_of(machine_memory(), ranks);
  if (const auto left = address_space_left()) info.free_bytes = std::min(info.free_bytes, *left);
  return info;
}

}  // namespace spmv
