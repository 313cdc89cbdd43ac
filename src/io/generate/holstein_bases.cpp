#include "io/generate/holstein_bases.hpp"

#include <algorithm>
#include <limits>

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

PhononBasis::PhononBasis(int modes, int cut)
    : modes_(modes), cut_(cut), below_(static_cast<std::size_t>(modes + 1) * (cut + 2), 0) {
  const int width = cut + 2;
  for (int r = 1; r < width; ++r) below_[r] = 1;
  for (int q = 1; q <= modes; ++q) {
    for (int r = 1; r < width; ++r) {
      const gidx fewer_modes = below(r, q - 1);
      const gidx fewer_quanta = below(r - 1, q);
      if (fewer_modes > std::numeric_limits<gidx>::max() - fewer_quanta) {
        throw Error(ExitCode::usage, "the matrix is too large for 64-bit ids");
      }
      below_[q * width + r] = fewer_modes + fewer_quanta;
    }
  }
  size_ = below(cut + 1, modes);
}

void PhononBasis::state(gidx index, State& state) const {
  gidx rest = size_ - 1 - index;
  int allowed = cut_;
  for (int j = 0; j < modes_; ++j) {
    const int before = allowed;
    while (below(allowed, modes_ - j) > rest) --allowed;
    rest -= below(allowed, modes_ - j);
    state.allowed[j] = allowed;
    state.occupation[j] = before - allowed;
  }
  state.total = cut_ - allowed;
}

void PhononBasis::steps(const State& state, gidx* raise, gidx* lower) const {
  gidx up = 0;
  gidx down = 0;
  for (int k = modes_ - 1; k >= 0; --k) {
    up += below(state.allowed[k], modes_ - k - 1);
    down += below(state.allowed[k] + 1, modes_ - k - 1);
    raise[k] = up;
    lower[k] = down;
  }
}

}  // namespace spmv
