// How many of n draws succeed, as a pure function of a seed.
#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace spmv {

/// A draw from the binomial distribution of n >= 0 trials, each a success with probability p in [0, 1]: the
/// number that belongs to `seed`. Exact but for the rounding of double arithmetic (n up to 2^48); takes the
/// same time for every n. Results may differ between C libraries whose logarithms are rounded differently.
gidx binomial_draw(gidx n, double p, std::uint64_t seed);

}  // namespace spmv
