// A matrix without any structure: every place is as likely as every other.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "ROWS,COLS,MEAN[,seed=1]": each place holds a nonzero with probability MEAN / COLS, whatever the
/// others hold, so row lengths are binomial. Values are random-looking, in (-1, 1). ROWS, COLS >= 1,
/// 0 <= MEAN <= COLS, at most 10^6. Throws Error(usage).
std::unique_ptr<RowSource> make_random(const std::string& parameters);

}  // namespace spmv
