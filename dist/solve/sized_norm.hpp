// Norms of vectors of any size, where the sum of their squares may be beyond the type.
#pragma once

#include <string>
#include <vector>

#include "dist/solve/workspace.hpp"

namespace spmv {

/// |v| = norm 2^exponent, where 2^-exponent v is safe to compute with. The exponent is 0 unless |v| is very small or large, or
/// the matrix is normalised. Both are 0 for v = 0.
struct SizedNorm {
  double norm = 0;
  int exponent = 0;
};

/// Of each column. Waits. Collective; throws AgreedError(input) for a value that is not finite, which it names: `name` is what
/// people call v, such as "the right-hand side", and `row_ids` what the caller calls this rank's rows, in natural order; nullptr:
/// they have no names. Uses slots 0 and most_slots - 1.
template <class T>
std::vector<SizedNorm> sized_norms(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v,
                                   const std::string& name, const std::vector<gidx>* row_ids);
/// That of column 0.
template <class T>
SizedNorm sized_norm(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const std::string& name,
                     const std::vector<gidx>* row_ids) {
  return sized_norms(on, A, v, name, row_ids).front();
}

/// Throws as sized_norm() if a value is not finite, after some number that came from it was not. Waits. Collective.
template <class T>
void require_finite(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const std::string& name,
                    const std::vector<gidx>* row_ids);

}  // namespace spmv
