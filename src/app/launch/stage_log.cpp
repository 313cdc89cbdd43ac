#include "app/launch/stage_log.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

#include "core/number.hpp"

namespace spmv {
namespace {

double seconds_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The start of this process, in seconds since boot; the present time if the kernel does not tell.
double process_start() {
  std::ifstream in("/proc/self/stat");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t name_end = text.rfind(')');  // a program's name may hold blanks and brackets
  constexpr int fields_between = 19;             // of the name, field 2, and the start, field 22
  std::optional<double> ticks;
  if (name_end != std::string::npos) {
    std::istringstream rest(text.substr(name_end + 1));
    std::string field;
    for (int i = 0; i <= fields_between; ++i) rest >> field;
    ticks = number_in<double>(field);
  }
  return ticks ? *ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : seconds_since_boot();
}

}  // namespace

double seconds_since_process_start() {
  static const double start = process_start();
  return seconds_since_boot() - start;
}

double peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr double kib = 1024;
  return static_cast<double>(usage.ru_maxrss) * kib;
}

void StageLog::begin(const std::string& name) {
  if (!stages_.empty() && stages_[at_].name == name) return;
  stages_ = stages();
  began_s_ = seconds_since_process_start();
  const auto again = std::find_if(stages_.begin(), stages_.end(),
                                  [&](const StageRecord& stage) { return stage.name == name; });
  at_ = static_cast<std::size_t>(again - stages_.begin());
  if (again == stages_.end()) stages_.push_back({.name = name, .begin_s = began_s_});
}

std::vector<StageRecord> StageLog::stages() const {
  std::vector<StageRecord> all = stages_;
  if (all.empty()) return all;
  all[at_].seconds += seconds_since_process_start() - began_s_;
  all[at_].peak_bytes = peak_resident_bytes();
  return all;
}

}  // namespace spmv
