#include "app/report/sharing_words.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/place/cores.hpp"

namespace spmv {
namespace {

/// "a, b", and no more than a few of many.
std::string name_hosts(const std::vector<std::string>& hosts) {
  constexpr std::size_t most = 3;
  const auto named = static_cast<std::ptrdiff_t>(std::min(most, hosts.size()));
  const std::string text = fmt::format("{}", fmt::join(hosts.begin(), hosts.begin() + named, ", "));
  return hosts.size() > most ? fmt::format("{} and {} more", text, hosts.size() - most) : text;
}

/// Of the GPUs that are shared in one of the two ways.
std::string sentence(const std::vector<SharedGpu>& shared, bool mps) {
  std::size_t gpus = 0, ranks = 0;
  std::string seen_by;
  for (const SharedGpu& gpu : shared) {
    if (gpu.mps != mps) continue;
    ++gpus;
    ranks += gpu.ranks.size();
    if (gpu.hosts.size() > 1 && seen_by.empty())
      seen_by = fmt::format(" (hosts {} see the same GPU)", name_hosts(gpu.hosts));
  }
  if (gpus == 0) return {};
  const std::string who =
      fmt::format("{} ranks share {}{}", ranks, gpus == 1 ? "a GPU" : fmt::format("{} GPUs", gpus), seen_by);
  if (mps) return who + " side by side, through MPS";
  return who +
         " by time slices: while one computes, the others wait; start one rank for each GPU, or MPS "
         "(nvidia-cuda-mps-control -d)";
}

}  // namespace

const char* way_of_sharing(bool mps) {
  return mps ? "MPS" : "time slices";
}

std::string gpu_sharing(const std::vector<SharedGpu>& shared) {
  const std::string in_turns = sentence(shared, false), side_by_side = sentence(shared, true);
  return in_turns + (in_turns.empty() || side_by_side.empty() ? "" : "; ") + side_by_side;
}

std::string core_sharing(const std::vector<SharedCores>& shared) {
  if (shared.empty()) return {};
  const SharedCores& first = shared.front();
  return fmt::format("{} share cores {} of one machine{}: give each its own (taskset)",
                     name_hosts(first.hosts), core_ranges(first.cores),
                     shared.size() > 1 ? fmt::format(", as do hosts of {} more", shared.size() - 1) : "");
}

}  // namespace spmv
