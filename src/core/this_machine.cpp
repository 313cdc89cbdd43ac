#include "core/this_machine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/names_in.hpp"
#include "core/number.hpp"

namespace spmv {
namespace {

std::string word_of(const std::string& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

/// What the file begins with, such as 512 of "512K"; 0 where that is no number.
int number_of(const std::string& file) {
  const std::string word = word_of(file);
  const auto found = leading_number<int>(word);
  return found ? found->number : 0;
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string boot_id() {
  return word_of("/proc/sys/kernel/random/boot_id");
}

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

bool finds_mps_pipe() {
  const char* const folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::error_code unreadable;  // then there is none for this process
  return std::filesystem::exists(
      std::filesystem::path(folder != nullptr ? folder : "/tmp/nvidia-mps") / "control", unreadable);
}

double processor_cache_bytes(const std::string& folder) {
  constexpr double kib = 1024;
  int last_level = 0;
  std::map<std::string, double> caches;  // of the last level, by the processors that share it
  for (const std::string& processor : names_in(folder)) {
    const std::string of_processor = fmt::format("{}/{}/cache", folder, processor);
    for (const std::string& index : names_in(of_processor)) {
      const std::string cache = fmt::format("{}/{}", of_processor, index);
      const int level = number_of(cache + "/level");
      if (level == 0 || level < last_level || word_of(cache + "/type") == "Instruction") continue;
      if (level > last_level) caches.clear();
      last_level = level;
      caches[word_of(cache + "/shared_cpu_list")] = kib * number_of(cache + "/size");
    }
  }
  double sum = 0;
  for (const auto& [processors, bytes] : caches) sum += bytes;
  return sum;
}

}  // namespace spmv
