#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/grid.hpp"

namespace spmv {
namespace {

struct DiffusionProblem {
  std::vector<gidx> extents;
  double along_z = 1, jump = 1, cube = 8;
  static constexpr int most_nonzeros = 7;  // per row
};

DiffusionProblem parse_diffusion(const std::string& parameters) {
  DiffusionProblem p;
  p.extents = parse_parameters(parameters, 3, {{"z", &p.along_z}, {"jump", &p.jump}, {"cube", &p.cube}});
  require_parameter(p.along_z > 0 && p.jump > 0, "z and jump must be positive");
  whole_number(p.cube, "cube", 1, gidx{1} << 30);
  return p;
}

/// Finite volumes: a face between two points has the harmonic mean of their coefficients, one to the outside its point's own.
class Diffusion final : public RowSource {
 public:
  explicit Diffusion(const DiffusionProblem& problem)
      : problem_(problem),
        grid_(problem.extents, DiffusionProblem::most_nonzeros),
        cube_(static_cast<gidx>(problem.cube)) {}

  Shape shape() const override { return {grid_.points(), grid_.points()}; }
  int longest_row() const override { return DiffusionProblem::most_nonzeros; }
  std::string describe() const override {
    return fmt::format(
        "diffusion on {} x {} x {} points, {} times as fast along z, coefficients 1 and {} in a checkerboard "
        "of cubes with {} points a side",
        grid_.extent(0), grid_.extent(1), grid_.extent(2), problem_.along_z, problem_.jump, cube_);
  }

  int row_length(gidx row) const override {
    const Point p = grid_.locate(row);
    int length = 1;
    for (int axis = 0; axis < 3; ++axis)
      length += static_cast<int>(grid_.has_before(p, axis)) + static_cast<int>(grid_.has_behind(p, axis));
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const Point p = grid_.locate(row);
    const double own = coefficient(p);
    int length = 0;
    double diagonal = 0;
    const auto add_face = [&](int axis, int side) {
      const double fast = axis == 2 ? problem_.along_z : 1;
      Point other = p;
      other[static_cast<std::size_t>(axis)] += side;
      const bool inside = side < 0 ? grid_.has_before(p, axis) : grid_.has_behind(p, axis);
      const double its = inside ? coefficient(other) : own;
      const double face = fast * 2 * own * its / (own + its);
      diagonal += face;
      if (!inside) return;
      cols[length] = row + side * grid_.step(axis);
      values[length++] = -face;
    };
    for (const int axis : {2, 1, 0}) add_face(axis, -1);
    const int middle = length++;
    for (const int axis : {0, 1, 2}) add_face(axis, 1);
    cols[middle] = row;
    values[middle] = diagonal;
    return length;
  }

 private:
  double coefficient(const Point& p) const {
    return (p[0] / cube_ + p[1] / cube_ + p[2] / cube_) % 2 == 0 ? 1 : problem_.jump;
  }

  DiffusionProblem problem_;
  Grid grid_;
  gidx cube_;
};

}  // namespace

std::unique_ptr<RowSource> make_diffusion(const std::string& parameters) {
  return std::make_unique<Diffusion>(parse_diffusion(parameters));
}

}  // namespace spmv
