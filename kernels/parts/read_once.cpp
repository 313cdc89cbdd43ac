#include "kernels/parts/read_once.hpp"

#include <algorithm>
#include <cmath>

namespace spmv {
namespace {

/// The part of the cache that can be held. Each of its two halves has copies of some of the lines of the other half, so this
/// is less than all.
constexpr double held = 0.5;
/// What a byte of x and y takes of that, since lines of x and y come and go.
constexpr double taken_by_vectors = 2;
constexpr double steps = 16;  // of the hardware's

}  // namespace

float share_to_keep(double cache_bytes, double matrix_bytes, double vector_bytes) {
  const double room = held * cache_bytes - taken_by_vectors * vector_bytes;
  if (room <= 0 || matrix_bytes <= 0) return 0;
  return static_cast<float>(std::floor(std::min(1.0, room / matrix_bytes) * steps) / steps);
}

}  // namespace spmv
