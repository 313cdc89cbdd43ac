#include "io/generate/refined_grid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

using Point = std::array<gidx, 3>;

/// Which cells are divided, and from that which leaf, a whole cell or a part, has which number.
class RefinedCells {
 public:
  explicit RefinedCells(gidx n) : n_(n) {
    divided_.resize(static_cast<std::size_t>(n * n * n / 64 + 1), 0);
    first_leaf_.resize(divided_.size() + 1, 0);
    divide_near_surface();
    divide_what_is_enclosed();
    for (std::size_t w = 0; w < divided_.size(); ++w)
      first_leaf_[w + 1] = first_leaf_[w] + 64 + extra * gidx{std::popcount(divided_[w])};
  }

  gidx side() const { return n_; }
  gidx leaves() const { return leaf(n_ * n_ * n_); }
  bool divided(gidx cell) const { return divided_[word(cell)] >> (cell % 64) & 1; }
  /// Number of the cell's first leaf.
  gidx leaf(gidx cell) const {
    const std::uint64_t before = divided_[word(cell)] & ((std::uint64_t{1} << (cell % 64)) - 1);
    return first_leaf_[word(cell)] + cell % 64 + extra * gidx{std::popcount(before)};
  }
  /// The cell that holds a leaf.
  gidx cell_of(gidx leaf_number) const {
    const auto next = std::upper_bound(first_leaf_.begin(), first_leaf_.end(), leaf_number);
    gidx cell = (next - first_leaf_.begin() - 1) * 64;
    for (gidx step = 32; step > 0; step /= 2)
      if (leaf(cell + step) <= leaf_number) cell += step;
    return cell;
  }
  Point locate(gidx cell) const { return {cell % n_, cell / n_ % n_, cell / n_ / n_}; }

 private:
  static constexpr int extra = 7;  // leaves that a divided cell has more than a whole one
  static std::size_t word(gidx cell) { return static_cast<std::size_t>(cell / 64); }

  void divide(gidx cell) { divided_[word(cell)] |= std::uint64_t{1} << (cell % 64); }

  /// Surely near an ellipsoid, then less and less often.
  void divide_near_surface() {
    constexpr double sure = 0.15, never = 0.45;
    for (gidx cell = 0; cell < n_ * n_ * n_; ++cell) {
      const Point at = locate(cell);
      double level = -1;  // 0 on the surface
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double semi_axis = axis == 0 ? 0.8 : 0.5;  // the grid is from -1 to 1
        const double u = static_cast<double>(2 * at[axis] + 1 - n_) / (static_cast<double>(n_) * semi_axis);
        level += u * u;
      }
      const double share = (never - std::abs(level)) / (never - sure);
      if (unit_value(mixed(static_cast<std::uint64_t>(cell))) < share) divide(cell);
    }
  }

  /// A whole cell between six divided ones. None of its neighbours can become such a cell by this.
  void divide_what_is_enclosed() {
    for (gidx cell = 0; cell < n_ * n_ * n_; ++cell) {
      bool enclosed = !divided(cell);
      const Point at = locate(cell);
      gidx step = 1;
      for (std::size_t axis = 0; axis < 3 && enclosed; ++axis, step *= n_)
        enclosed = at[axis] > 0 && at[axis] < n_ - 1 && divided(cell - step) && divided(cell + step);
      if (enclosed) divide(cell);
    }
  }

  gidx n_;
  std::vector<std::uint64_t> divided_;  // a bit per cell
  std::vector<gidx> first_leaf_;        // of every 64 cells
};

/// One side of a cell: along which axis, and whether towards smaller coordinates.
struct Face {
  int axis;
  bool low;
};

/// In the order of what stands behind them.
constexpr std::array<Face, 3> low_faces{{{2, true}, {1, true}, {0, true}}};
constexpr std::array<Face, 3> high_faces{{{0, false}, {1, false}, {2, false}}};

class RefinedGrid final : public RowSource {
 public:
  RefinedGrid(gidx n, double scale) : cells_(n), scale_(scale), step_{1, n, n * n} {}

  Shape shape() const override { return {cells_.leaves(), cells_.leaves()}; }
  int longest_row() const override { return 1 + 6 * 4; }
  std::string describe() const override {
    return fmt::format(
        "stand-in for the matrix sAMG, at {} of its size: Laplacian on {}^3 cells, divided near a closed "
        "surface, Dirichlet, dimensionless",
        scale_, cells_.side());
  }

  int row_length(gidx row) const override {
    int length = 0;
    visit_row(row, [&](gidx, double) { ++length; });
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    int n = 0;
    visit_row(row, [&](gidx col, double value) {
      cols[n] = col;
      values[n++] = value;
    });
    return n;
  }

 private:
  /// A row's own cell, and which part of it.
  struct Leaf {
    gidx number, cell;
    bool whole;
    int part;  // a bit per axis
    Point at;
  };

  static constexpr double between_whole = 1;       // area 1, distance 1
  static constexpr double between_parts = 0.5;     // 1/4, 1/2
  static constexpr double between_both = 1.0 / 3;  // 1/4, 3/4
  static constexpr double whole_to_wall = 2;       // 1, 1/2
  static constexpr double part_to_wall = 1;        // 1/4, 1/4

  /// Whether the face leads out of the leaf's cell.
  static bool outward(const Leaf& leaf, const Face& face) {
    return leaf.whole || (leaf.part >> face.axis & 1) == (face.low ? 0 : 1);
  }
  bool at_wall(const Leaf& leaf, const Face& face) const {
    return leaf.at[face.axis] == (face.low ? 0 : cells_.side() - 1);
  }

  /// Calls visit(column, conductance) for what stands in other cells behind the face, ascending.
  template <class Visit>
  void behind(const Leaf& leaf, const Face& face, const Visit& visit) const {
    if (!outward(leaf, face) || at_wall(leaf, face)) return;
    const gidx cell = leaf.cell + (face.low ? -step_[face.axis] : step_[face.axis]);
    const gidx first = cells_.leaf(cell);
    if (!cells_.divided(cell)) {
      visit(first, leaf.whole ? between_whole : between_both);
    } else if (leaf.whole) {
      const int touching = face.low ? 1 : 0;
      for (int part = 0; part < 8; ++part)
        if ((part >> face.axis & 1) == touching) visit(first + part, between_both);
    } else {
      visit(first + (leaf.part ^ 1 << face.axis), between_parts);
    }
  }

  /// What the leaf gives to the wall, if the face is one.
  double to_wall(const Leaf& leaf, const Face& face) const {
    if (!outward(leaf, face) || !at_wall(leaf, face)) return 0;
    return leaf.whole ? whole_to_wall : part_to_wall;
  }

  template <class Visit>
  void visit_row(gidx row, const Visit& visit) const {
    const gidx cell = cells_.cell_of(row);
    const Leaf leaf{row, cell, !cells_.divided(cell), static_cast<int>(row - cells_.leaf(cell)),
                    cells_.locate(cell)};
    double diagonal = leaf.whole ? 0 : 3 * between_parts;
    for (const auto& faces : {low_faces, high_faces}) {
      for (const Face& face : faces) {
        diagonal += to_wall(leaf, face);
        behind(leaf, face, [&](gidx, double conductance) { diagonal += conductance; });
      }
    }
    const auto put = [&](gidx col, double conductance) { visit(col, -conductance); };
    for (const Face& face : low_faces) behind(leaf, face, put);
    visit_own_cell(leaf, diagonal, visit);
    for (const Face& face : high_faces) behind(leaf, face, put);
  }

  /// The leaf and its neighbours in the same cell, ascending.
  template <class Visit>
  static void visit_own_cell(const Leaf& leaf, double diagonal, const Visit& visit) {
    if (leaf.whole) {
      visit(leaf.number, diagonal);
      return;
    }
    for (int part = 0; part < 8; ++part) {
      const int apart = std::popcount(static_cast<unsigned>(part ^ leaf.part));
      if (apart == 0) visit(leaf.number, diagonal);
      if (apart == 1) visit(leaf.number - leaf.part + part, -between_parts);
    }
  }

  RefinedCells cells_;
  double scale_;
  Point step_;
};

}  // namespace

std::unique_ptr<RowSource> make_samg(const std::string& parameters) {
  const double scale = parse_scale(parameters);
  constexpr double side = 127;  // gives 3.4 million leaves
  const gidx n = std::max(gidx{1}, static_cast<gidx>(std::llround(side * std::cbrt(scale))));
  return std::make_unique<RefinedGrid>(n, scale);
}

}  // namespace spmv
