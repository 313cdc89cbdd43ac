#include "app/run/core_waiting.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "core/names_in.hpp"
#include "core/number.hpp"

namespace spmv {

CoreWaiting::CoreWaiting(const std::vector<int>& idle) {
  for (const int id : idle) idle_.insert(std::to_string(id));
  before_ = waited();
  start_ = std::chrono::steady_clock::now();
}

double CoreWaiting::share() const {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (!(elapsed > 0)) return 0;
  double most = 0;
  for (const auto& [thread, seconds] : waited()) {
    const auto before = before_.find(thread);
    most = std::max(most, seconds - (before == before_.end() ? 0 : before->second));
  }
  return std::min(1.0, most / elapsed);
}

std::map<std::string, double> CoreWaiting::waited() const {
  std::map<std::string, double> seconds;
  for (const std::string& thread : names_in("/proc/self/task")) {
    if (idle_.contains(thread)) continue;
    std::string ran, waited;
    std::ifstream(fmt::format("/proc/self/task/{}/schedstat", thread)) >> ran >> waited;
    if (const auto ns = number_in<double>(waited)) seconds[thread] = *ns * 1e-9;
  }
  return seconds;
}

}  // namespace spmv
