// Nonzeros anywhere within a band around the diagonal.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "ROWS,HALFWIDTH[,density=1][,seed=1]": row i has its diagonal, and column j with
/// 0 < |i - j| <= HALFWIDTH with probability `density`, j with i and i with j. Values are random-looking, in
/// (-1, 1), not symmetric. A row costs time for all places of its band, also where few are filled. ROWS >= 1,
/// HALFWIDTH from 0 to 10^6, 0 <= density <= 1. Throws Error(usage).
std::unique_ptr<RowSource> make_banded(const std::string& parameters);

}  // namespace spmv
