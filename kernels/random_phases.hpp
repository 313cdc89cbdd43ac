// Random vectors for traces of a matrix: elements of modulus 1 and mean 0, made where they are used.
#pragma once

#include <cstdint>

#include "core/backend.hpp"
#include "core/mixed_bits.hpp"
#include "core/types.hpp"

namespace spmv {

/// A random element: a sign, or in complex vectors a power of i. Both are exact in every value type, and the square of the latter
/// has mean 0, as that of any random phase: so traces have as small an error.
struct RandomPhase {
  int real, imaginary;
};

/// Of vector `number`, by the id of the element alone. Pure.
constexpr RandomPhase random_phase(gidx id, unsigned number, bool complex_values) {
  const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(id), 2 * std::uint64_t{number});
  if (!complex_values) return {(bits >> 63U) != 0 ? 1 : -1, 0};
  const int quarter = static_cast<int>(bits >> 62U);
  return quarter % 2 == 0 ? RandomPhase{1 - quarter, 0} : RandomPhase{0, 2 - quarter};
}

/// Queues v[i] = the random element of ids[i] for i < count; of a multivector, column j becomes vector `number` + j. Device memory.
/// Local; returns when queued.
template <class T>
void queue_random_phases(Queue& queue, lidx count, const gidx* ids, unsigned number, T* v, int columns = 1);

}  // namespace spmv
