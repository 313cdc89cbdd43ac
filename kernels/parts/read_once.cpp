#include "kernels/parts/read_once.hpp"

#include <algorithm>
#include <cmath>

namespace spmv {
namespace {

/// Of the cache: what it can hold for good. Each of its two halves has lines of its own for some of what lies in the other
/// one, so this is less than all.
constexpr double held = 0.5;
/// What a byte of x and y takes of that: they come and go. With both numbers 31 MB of an H200's cache, which has 63 MB, are
/// kept less twice the vectors: the best of 36 such rules for 120 pairs of a matrix and a format, a hundredth slower on
/// average than the best share for each, and nowhere more than a fiftieth slower than keeping nothing.
constexpr double taken_by_vectors = 2;
constexpr double steps = 16;  // of the hardware's

}  // namespace

float share_to_keep(double cache_bytes, double matrix_bytes, double vector_bytes) {
  const double room = held * cache_bytes - taken_by_vectors * vector_bytes;
  if (room <= 0 || matrix_bytes <= 0) return 0;
  return static_cast<float>(std::floor(std::min(1.0, room / matrix_bytes) * steps) / steps);
}

}  // namespace spmv
