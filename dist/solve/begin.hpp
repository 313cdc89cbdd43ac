// The first lines of every solver's formula: what the host sees of an iteration, and whether the iteration does anything.
#pragma once

#include <limits>

#include "kernels/combine/formula.hpp"

namespace spmv {

/// Records the line of an iteration, (r, r) and a number that is positive unless the method breaks down. Returns 1 where the
/// iteration goes on, and 0 where it must change nothing because the host will stop at this line.
inline Value begin_iteration(Formula& f, double goal, Value residual, Value positive) {
  f.record(0, residual);
  f.record(1, positive);
  const auto infinity = f.constant(std::numeric_limits<double>::infinity());
  return f.all(f.all(f.constant(goal * goal) < residual, residual < infinity),
               f.all(f.constant(0) < positive, positive < infinity));
}

}  // namespace spmv
