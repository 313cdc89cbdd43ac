// A matrix like the links of a network: a few rows and columns are long, most are short.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "ROWS,MEAN,MAX[,exponent=2.2][,seed=1]": rows of lengths l with P(l) ~ l^-exponent, cut off
/// such that their mean is about MEAN (not whole, if need be) and the longest has MAX. Columns are as
/// unequal: the numbers of nonzeros in them follow the same law until columns are full; popular ones are
/// anywhere. Values are random-looking, in (-1, 1). Square, not symmetric; the diagonal is nothing special.
/// 0 < MEAN <= MAX <= ROWS, 1 < exponent <= 10. Throws Error(usage).
std::unique_ptr<RowSource> make_powerlaw(const std::string& parameters);

}  // namespace spmv
