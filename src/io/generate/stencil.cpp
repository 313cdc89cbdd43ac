// Operators on a grid, with one or several unknowns per point: unknown i of point p is row p * size + i.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/grid.hpp"
#include "io/generate/hash.hpp"

namespace spmv {
namespace {

/// -1 for every neighbour inside the grid, and on the diagonal their number inside and outside.
class Stencil : public RowSource {
 public:
  Stencil(const std::string& parameters, int axes, int points)
      : grid_(parse_parameters(parameters, static_cast<std::size_t>(axes), {}), points),
        axes_(axes),
        points_(points) {}

  Shape shape() const override { return {grid_.points(), grid_.points()}; }
  int longest_row() const override { return points_; }
  std::string describe() const override {
    const std::string plane = fmt::format("{} x {}", grid_.extent(0), grid_.extent(1));
    return fmt::format("{}-point stencil on {} points, Dirichlet, {} and -1, dimensionless", points_,
                       axes_ == 2 ? plane : fmt::format("{} x {}", plane, grid_.extent(2)), points_ - 1);
  }

 protected:
  const Grid& grid() const { return grid_; }
  double diagonal() const { return points_ - 1; }

 private:
  Grid grid_;
  int axes_, points_;
};

/// The neighbours along the axes.
class Star final : public Stencil {
 public:
  Star(const std::string& parameters, int axes) : Stencil(parameters, axes, 2 * axes + 1) {}

  int row_length(gidx row) const override {
    const Point p = grid().locate(row);
    int length = 1;
    for (int axis = 0; axis < 3; ++axis) length += grid().has_before(p, axis) + grid().has_behind(p, axis);
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const Point p = grid().locate(row);
    RowWriter out{cols, values};
    for (int axis = 2; axis >= 0; --axis)
      if (grid().has_before(p, axis)) out.put(row - grid().step(axis), -1);
    out.put(row, diagonal());
    for (int axis = 0; axis < 3; ++axis)
      if (grid().has_behind(p, axis)) out.put(row + grid().step(axis), -1);
    return out.length;
  }
};

/// The neighbours in the surrounding square or cube.
class Cube final : public Stencil {
 public:
  Cube(const std::string& parameters, int axes) : Stencil(parameters, axes, axes == 2 ? 9 : 27) {}

  int row_length(gidx row) const override { return grid().cube_size(grid().locate(row)); }
  int row(gidx row, gidx* cols, double* values) const override {
    RowWriter out{cols, values};
    grid().visit_cube(grid().locate(row),
                      [&](gidx col, const Point&) { out.put(col, col == row ? diagonal() : -1); });
    return out.length;
  }
};

/// A 27-point stencil of dense blocks of `size` rows. Derived classes make the values.
class BlockStencil : public RowSource {
 public:
  BlockStencil(const std::vector<gidx>& extents, int size)
      : grid_(extents, gidx{27} * size * size), size_(size) {}

  Shape shape() const override { return {grid_.points() * size_, grid_.points() * size_}; }
  int longest_row() const override { return 27 * size_; }
  int row_length(gidx row) const override { return grid_.cube_size(grid_.locate(row / size_)) * size_; }

 protected:
  const Grid& grid() const { return grid_; }
  int size() const { return size_; }

 private:
  Grid grid_;
  int size_;
};

class Elasticity final : public BlockStencil {
 public:
  explicit Elasticity(const std::string& parameters) : BlockStencil(parse_parameters(parameters, 3, {}), 3) {}

  std::string describe() const override {
    return fmt::format("elasticity on {} x {} x {} points, 3 displacements each, Dirichlet, dimensionless",
                       grid().extent(0), grid().extent(1), grid().extent(2));
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const Point p = grid().locate(row / 3);
    const int i = static_cast<int>(row % 3);
    RowWriter out{cols, values};
    grid().visit_cube(p, [&](gidx point, const Point& d) {
      std::array<double, 3> block{};
      if (d == Point{0, 0, 0})
        add_all_springs(p, i, block);
      else
        add_spring(p, d, i, -1, block);
      for (int j = 0; j < 3; ++j) out.put(3 * point + j, block[j]);
    });
    return out.length;
  }

 private:
  /// The springs to all 26 neighbours. Those outside the grid are held fixed.
  void add_all_springs(const Point& p, int i, std::array<double, 3>& block) const {
    for (gidx z = -1; z <= 1; ++z)
      for (gidx y = -1; y <= 1; ++y)
        for (gidx x = -1; x <= 1; ++x)
          if (x != 0 || y != 0 || z != 0) add_spring(p, {x, y, z}, i, 1, block);
  }

  /// Adds `sign` times row i of the spring between p and p + d: shear mu, stretch along d, fibres along s. The formula uses
  /// only the sum of both ends and products of two components of d or of s, so both ends give exactly the same values.
  void add_spring(const Point& p, const Point& d, int i, double sign, std::array<double, 3>& block) const {
    std::array<double, 3> at{};  // middle of the spring; the grid is within [0, 1]^3
    for (int axis = 0; axis < 3; ++axis)
      at[axis] = static_cast<double>(2 * p[axis] + d[axis]) / static_cast<double>(2 * grid().extent(axis));
    const double mu = 1 + 0.5 * at[0] + 0.25 * at[1] * at[2];
    const double stretch = 2 + at[2] * at[2] - 0.5 * at[0] * at[1];
    const double fibres = 0.1 + 0.05 * at[1];
    const std::array<double, 3> s{1 + 0.3 * at[1], 0.8 - 0.2 * at[0] + 0.1 * at[2],
                                  0.6 + 0.1 * at[2] * at[0]};
    const auto squared = static_cast<double>(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int j = 0; j < 3; ++j) {
      const double stiffness =
          (i == j ? mu : 0) + stretch * (static_cast<double>(d[i] * d[j]) / squared) + fibres * (s[i] * s[j]);
      block[j] += sign * stiffness / squared;
    }
  }
};

class Blocks final : public BlockStencil {
 public:
  using BlockStencil::BlockStencil;

  std::string describe() const override {
    return fmt::format(
        "27-point stencil of dense {0} x {0} blocks on {1} x {2} x {3} points, values in (-1, 1)", size(),
        grid().extent(0), grid().extent(1), grid().extent(2));
  }

  int row(gidx row, gidx* cols, double* values) const override {
    RowWriter out{cols, values};
    grid().visit_cube(grid().locate(row / size()), [&](gidx point, const Point&) {
      for (gidx col = point * size(); col < (point + 1) * size(); ++col)
        out.put(col, signed_value(mixed(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col))));
    });
    return out.length;
  }
};

}  // namespace

std::unique_ptr<RowSource> make_stencil5(const std::string& parameters) {
  return std::make_unique<Star>(parameters, 2);
}

std::unique_ptr<RowSource> make_stencil7(const std::string& parameters) {
  return std::make_unique<Star>(parameters, 3);
}

std::unique_ptr<RowSource> make_stencil9(const std::string& parameters) {
  return std::make_unique<Cube>(parameters, 2);
}

std::unique_ptr<RowSource> make_stencil27(const std::string& parameters) {
  return std::make_unique<Cube>(parameters, 3);
}

std::unique_ptr<RowSource> make_elasticity(const std::string& parameters) {
  return std::make_unique<Elasticity>(parameters);
}

std::unique_ptr<RowSource> make_blocks(const std::string& parameters) {
  constexpr gidx default_size = 5, most = 64;
  const bool has_size = std::count(parameters.begin(), parameters.end(), ',') > 2;
  std::vector<gidx> sizes = parse_parameters(parameters, has_size ? 4 : 3, {});
  const gidx size = has_size ? sizes.back() : default_size;
  require_parameter(size >= 1 && size <= most, "B = {}; it is from 1 to {}", size, most);
  sizes.resize(3);
  return std::make_unique<Blocks>(sizes, static_cast<int>(size));
}

}  // namespace spmv
