#include "io/generate/block_stencil.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

using Point = std::array<gidx, 3>;

/// The grid and its cubes; what stands in the blocks is for those who derive.
class BlockStencil : public RowSource {
 public:
  BlockStencil(const std::vector<gidx>& sizes, int size) : n_{sizes[0], sizes[1], sizes[2]}, size_(size) {
    for (const gidx n : n_)
      if (n < 1) throw Error(ExitCode::usage, "a grid needs at least one point along every axis");
    points_ = checked_product(checked_product(n_[0], n_[1]), n_[2]);
    checked_product(checked_product(points_, size_), BlockStencil::longest_row());
  }

  Shape shape() const override { return {points_ * size_, points_ * size_}; }
  int longest_row() const override { return 27 * size_; }
  int row_length(gidx row) const override {
    const Point p = locate(row / size_);
    int points = 1;
    for (int axis = 0; axis < 3; ++axis) points *= static_cast<int>(high(p, axis) - low(p, axis)) + 1;
    return points * size_;
  }

 protected:
  gidx extent(int axis) const { return n_[axis]; }
  int size() const { return size_; }
  Point locate(gidx point) const {
    const gidx line = point / n_[0];
    return {point % n_[0], line % n_[1], line / n_[1]};
  }
  /// Calls visit(number of the point, its offset from p) for every point of the cube around p, ascending.
  template <class Visit>
  void around(const Point& p, const Visit& visit) const {
    for (gidx z = p[2] + low(p, 2); z <= p[2] + high(p, 2); ++z)
      for (gidx y = p[1] + low(p, 1); y <= p[1] + high(p, 1); ++y)
        for (gidx x = p[0] + low(p, 0); x <= p[0] + high(p, 0); ++x)
          visit(x + n_[0] * (y + n_[1] * z), Point{x - p[0], y - p[1], z - p[2]});
  }

 private:
  static gidx low(const Point& p, int axis) { return p[axis] > 0 ? -1 : 0; }
  gidx high(const Point& p, int axis) const { return p[axis] < n_[axis] - 1 ? 1 : 0; }

  Point n_;
  int size_;
  gidx points_ = 0;
};

class Elasticity final : public BlockStencil {
 public:
  explicit Elasticity(const std::string& parameters) : BlockStencil(parse_parameters(parameters, 3, {}), 3) {}

  std::string describe() const override {
    return fmt::format("elasticity on {} x {} x {} points, 3 displacements each, Dirichlet, dimensionless",
                       extent(0), extent(1), extent(2));
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const Point p = locate(row / 3);
    const int i = static_cast<int>(row % 3);
    int n = 0;
    around(p, [&](gidx point, const Point& d) {
      std::array<double, 3> block{};
      if (d == Point{0, 0, 0}) {
        // Springs to all 26 neighbours, those held outside the grid included.
        for (gidx z = -1; z <= 1; ++z)
          for (gidx y = -1; y <= 1; ++y)
            for (gidx x = -1; x <= 1; ++x)
              if (x != 0 || y != 0 || z != 0) add_spring(p, {x, y, z}, i, 1, block);
      } else {
        add_spring(p, d, i, -1, block);
      }
      for (int j = 0; j < 3; ++j) {
        cols[n] = 3 * point + j;
        values[n++] = block[j];
      }
    });
    return n;
  }

 private:
  /// Adds `sign` times row i of the spring between p and p + d: shear mu, stretch along d, fibres along s.
  /// A function of the two ends' sum, of products of components of d and of products of components of s: the
  /// same, to the last bit, from the other end.
  void add_spring(const Point& p, const Point& d, int i, double sign, std::array<double, 3>& block) const {
    std::array<double, 3> at{};  // middle of the spring; the grid is within [0, 1]^3
    for (int axis = 0; axis < 3; ++axis)
      at[axis] = static_cast<double>(2 * p[axis] + d[axis]) / static_cast<double>(2 * extent(axis));
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
  /// The first three of `sizes` are the grid's, the last is b.
  explicit Blocks(const std::vector<gidx>& sizes) : BlockStencil(sizes, static_cast<int>(sizes[3])) {}

  std::string describe() const override {
    return fmt::format(
        "27-point stencil of dense {0} x {0} blocks on {1} x {2} x {3} points, values in (-1, 1)", size(),
        extent(0), extent(1), extent(2));
  }

  int row(gidx row, gidx* cols, double* values) const override {
    int n = 0;
    around(locate(row / size()), [&](gidx point, const Point&) {
      for (gidx col = point * size(); col < (point + 1) * size(); ++col) {
        cols[n] = col;
        values[n++] = signed_value(mixed(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)));
      }
    });
    return n;
  }
};

}  // namespace

std::unique_ptr<RowSource> make_elasticity(const std::string& parameters) {
  return std::make_unique<Elasticity>(parameters);
}

std::unique_ptr<RowSource> make_blocks(const std::string& parameters) {
  constexpr gidx usual = 5, most = 64;
  const bool has_size = std::count(parameters.begin(), parameters.end(), ',') > 2;
  std::vector<gidx> sizes = parse_parameters(parameters, has_size ? 4 : 3, {});
  if (!has_size) sizes.push_back(usual);
  if (sizes[3] < 1 || sizes[3] > most)
    throw Error(ExitCode::usage, fmt::format("blocks of {0} x {0}; at most {1} x {1}", sizes[3], most));
  return std::make_unique<Blocks>(sizes);
}

}  // namespace spmv
