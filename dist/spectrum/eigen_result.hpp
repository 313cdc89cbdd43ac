// What searches for eigenvalues have in common before and after them.
#pragma once

#include <string>
#include <vector>

#include "dist/spectrum/eigen.hpp"

namespace spmv {

/// Throws AgreedError(usage) for a count that a matrix with so many rows does not have. Pure.
void require_possible(int count, gidx rows);

/// The number of the first random vector of a seed, which has 2^16 of them. Before those of seed 1 are some of checks and
/// estimates. Pure.
unsigned first_random(unsigned start_seed);

/// Rayleigh quotients (v, A v) of the columns, and |A v - (v, A v) v|.
struct Judged {
  std::vector<double> values, residuals;
};
/// Of a block, whose columns get norm 1; `product` is overwritten. One product and two sums over ranks. Waits. Collective.
template <class T>
Judged judge(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const VectorRef<T>& product);
inline constexpr int sums_of_judging = 2;

/// EigenResult::reason, of all else that a result has; `copies`: whether the search was for all copies. Pure.
template <class T>
std::string why_it_stopped(const EigenResult<T>& result, const EigenOptions& options, bool copies);

/// The result of a matrix that was multiplied as 2^-exponent A. Pure.
template <class T>
EigenResult<T> in_units_of_matrix(EigenResult<T> result, int exponent);

}  // namespace spmv
