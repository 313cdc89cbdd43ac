#include "comm/transports/awaited.hpp"

#include <fmt/format.h>

namespace spmv {

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  if (ranks.empty()) return {};
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  const std::size_t named = ranks.size() > most ? most - 1 : ranks.size() - 1;
  std::string text = fmt::format("ranks {}", ranks[0]);
  for (std::size_t i = 1; i < named; ++i) text += fmt::format(", {}", ranks[i]);
  if (ranks.size() > most) return text + fmt::format(" and {} more", ranks.size() - named);
  return text + fmt::format(" and {}", ranks.back());
}

std::size_t Awaited::add(int rank, int parts) {
  ranks_.push_back(rank);
  parts_.push_back(parts);
  missing_ = std::vector<std::atomic<int>>(ranks_.size());  // atomics cannot move; all are 0
  return ranks_.size() - 1;
}

void Awaited::expect_all() {
  for (std::size_t i = 0; i < missing_.size(); ++i) missing_[i].store(parts_[i], std::memory_order_relaxed);
}

std::string Awaited::text() const {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < missing_.size(); ++i)
    if (missing_[i].load(std::memory_order_relaxed) > 0) ranks.push_back(ranks_[i]);
  return ranks.empty() ? std::string() : fmt::format("{} {}", what_, name_ranks(ranks));
}

}  // namespace spmv
