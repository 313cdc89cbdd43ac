#include "core/processor_name.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace spmv {

std::string processor_name() {
  // As the kernel lists them on x86-64 and on ARM, for the first processor.
  constexpr std::array fields = {"model name", "cpu family",       "model",       "stepping",
                                 "CPU part",   "CPU architecture", "CPU variant", "CPU revision"};
  std::ifstream file("/proc/cpuinfo");
  std::string name;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    const std::string field = line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1);
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) continue;
    name += (name.empty() ? "" : " ") + line.substr(colon + 2);
  }
  return name.empty() ? "unknown processor" : name;
}

}  // namespace spmv
