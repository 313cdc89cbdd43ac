// The first lines of every solver's step: what the host sees of an iteration, and whether the iteration does anything.
#pragma once

#include <limits>

#include "kernels/combine/combination.hpp"

namespace spmv {

/// `number`, or -number where `sign` is negative: positive if both have one sign, as for a negative definite A and M.
inline Number signed_by(const Number& sign, const Number& number) {
  return number - where(sign < 0, 2 * number);
}

/// Records the line of an iteration, (r, r) and a number that is positive unless the method breaks down, and requires that
/// the iteration goes on: where the host will stop at this line, it and all later ones change nothing.
template <class T>
Combination<T>& begin_iteration(Combination<T>& step, const Number& goal, const Number& residual,
                                const Number& positive) {
  const Number infinity = std::numeric_limits<double>::infinity();
  return step.record(0, residual)
      .record(1, positive)
      .require(goal * goal < residual)
      .require(residual < infinity)
      .require(0 < positive)
      .require(positive < infinity);
}

}  // namespace spmv
