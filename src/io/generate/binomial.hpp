#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace spmv {

/// A number from the binomial distribution of n >= 0 trials with probability p in [0, 1], as a pure function of `seed`. Exact
/// up to the rounding of doubles (n up to 2^48); the time does not depend on n. The result may differ between C libraries
/// that round logarithms differently.
gidx binomial_draw(gidx n, double p, std::uint64_t seed);

}  // namespace spmv
