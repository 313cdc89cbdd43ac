// A grid of points, numbered with x fastest.
#pragma once

#include <array>
#include <vector>

#include "core/error.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {

using Point = std::array<gidx, 3>;  // coordinates x, y, z, from 0

/// nx x ny x nz points; point (x, y, z) has the number x + nx (y + ny z). Immutable. Local.
class Grid {
 public:
  /// `extents`: up to three; the others are 1. Throws Error(usage) if one is below 1, or if a matrix with `nonzeros` per
  /// point cannot be numbered with 64 bits.
  Grid(std::vector<gidx> extents, gidx nonzeros) {
    extents.resize(3, 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      require_parameter(extents[axis] >= 1, "a grid needs at least one point along every axis");
      n_[axis] = extents[axis];
      step_[axis] = points_;
      points_ = checked_product(points_, n_[axis]);
    }
    checked_product(points_, nonzeros);
  }

  gidx points() const { return points_; }
  gidx extent(int axis) const { return n_[axis]; }
  /// How much the number grows from a point to the next one along the axis.
  gidx step(int axis) const { return step_[axis]; }
  Point locate(gidx number) const {
    const gidx line = number / n_[0];
    return {number - line * n_[0], line % n_[1], line / n_[1]};
  }
  bool has_before(const Point& p, int axis) const { return p[axis] > 0; }
  bool has_behind(const Point& p, int axis) const { return p[axis] < n_[axis] - 1; }

  /// How many points of the grid are in the cube of 27 around p.
  int cube_size(const Point& p) const {
    int size = 1;
    for (int axis = 0; axis < 3; ++axis)
      size *= 1 + static_cast<int>(has_before(p, axis)) + static_cast<int>(has_behind(p, axis));
    return size;
  }
  /// Calls visit(number, offset from p) for the points of the grid in the cube around p, by ascending number.
  template <class Visit>
  void visit_cube(const Point& p, const Visit& visit) const {
    const auto low = [&](int axis) -> gidx { return has_before(p, axis) ? -1 : 0; };
    const auto high = [&](int axis) -> gidx { return has_behind(p, axis) ? 1 : 0; };
    const gidx own = p[0] + step_[1] * p[1] + step_[2] * p[2];
    for (gidx z = low(2); z <= high(2); ++z)
      for (gidx y = low(1); y <= high(1); ++y)
        for (gidx x = low(0); x <= high(0); ++x) visit(own + x + step_[1] * y + step_[2] * z, Point{x, y, z});
  }

 private:
  Point n_{}, step_{};
  gidx points_ = 1;
};

}  // namespace spmv
