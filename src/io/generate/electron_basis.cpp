#include "io/generate/electron_basis.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spmv {
namespace {

/// C(n, k), or limit + 1 if it exceeds `limit`.
gidx binomial(int n, int k, gidx limit) {
  gidx product = 1;
  for (int i = 1; i <= std::min(k, n - k); ++i) {
    product = product * (n - i + 1) / i;
    if (product > limit) return limit + 1;
  }
  return product;
}

/// The next larger number with the same number of ones: the top bit of the lowest block of ones moves up by one, the others
/// move to the bottom.
std::uint64_t next_pattern(std::uint64_t pattern) {
  const std::uint64_t lowest = pattern & (~pattern + 1);
  const std::uint64_t carried = pattern + lowest;
  return carried | ((pattern ^ carried) / lowest >> 2);
}

}  // namespace

ElectronBasis::ElectronBasis(int sites, int electrons) : sites_(sites) {
  const gidx size = binomial(sites, electrons, max_size);
  if (size > max_size) {
    throw Error(ExitCode::usage, fmt::format("{} electrons of one spin on {} sites have more than {} states",
                                             electrons, sites, max_size));
  }
  std::uint64_t pattern = (std::uint64_t{1} << electrons) - 1;
  patterns_.reserve(size);
  patterns_.push_back(static_cast<std::uint32_t>(pattern));
  while (static_cast<gidx>(patterns_.size()) < size) {
    pattern = next_pattern(pattern);
    patterns_.push_back(static_cast<std::uint32_t>(pattern));
  }
  for (const std::uint32_t state : patterns_) add_hops(state, electrons % 2 == 1 ? 1 : -1);
}

void ElectronBasis::add_hops(std::uint32_t pattern, int closing_sign) {
  const auto hop = [&](int i, int j, int sign) {
    const std::uint32_t bond = (std::uint32_t{1} << i) | (std::uint32_t{1} << j);
    const std::uint32_t occupied = pattern & bond;
    if (occupied != 0 && occupied != bond) hops_.push_back({index(pattern ^ bond), sign});
  };
  for (int i = 0; i + 1 < sites_; ++i) hop(i, i + 1, 1);
  if (sites_ > 2) hop(sites_ - 1, 0, closing_sign);
  std::sort(hops_.begin() + first_hop_.back(), hops_.end(),
            [](const Hop& a, const Hop& b) { return a.target < b.target; });
  first_hop_.push_back(static_cast<offset>(hops_.size()));
}

lidx ElectronBasis::index(std::uint32_t pattern) const {
  return static_cast<lidx>(std::lower_bound(patterns_.begin(), patterns_.end(), pattern) - patterns_.begin());
}

}  // namespace spmv
