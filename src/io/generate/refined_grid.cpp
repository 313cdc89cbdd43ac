// A stand-in for the matrix sAMG: the Laplacian on a grid that is finer near a surface (README.md in this folder).
//
// Some of n x n x n cells are divided into 2 x 2 x 2 parts, numbered in the place of the cell, x fastest. Finite volumes:
// through a face of area A, between middles that are h apart along its axis, flows A / h times the difference; the value is
// zero at the walls. The unit of length is the side of a cell.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/grid.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

/// Which cells are divided, and the numbers of the leaves: whole cells, and parts of divided ones.
class RefinedCells {
 public:
  explicit RefinedCells(gidx n) : grid_({n, n, n}, 1 + extra), n_(n) {
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
  const Grid& grid() const { return grid_; }

 private:
  static constexpr int extra = 7;  // leaves that a divided cell has in addition
  static std::size_t word(gidx cell) { return static_cast<std::size_t>(cell / 64); }

  void divide(gidx cell) { divided_[word(cell)] |= std::uint64_t{1} << (cell % 64); }

  /// Divides all cells near an ellipsoid, and fewer and fewer further away.
  void divide_near_surface() {
    constexpr double all = 0.15, none = 0.45;  // distances from the surface
    for (gidx cell = 0; cell < n_ * n_ * n_; ++cell) {
      const Point at = grid_.locate(cell);
      double level = -1;  // 0 on the surface
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double semi_axis = axis == 0 ? 0.8 : 0.5;  // the grid is from -1 to 1
        const double u = static_cast<double>(2 * at[axis] + 1 - n_) / (static_cast<double>(n_) * semi_axis);
        level += u * u;
      }
      const double share = (none - std::abs(level)) / (none - all);
      if (unit_value(mixed(static_cast<std::uint64_t>(cell))) < share) divide(cell);
    }
  }

  /// Divides whole cells between six divided ones. That gives no new cell of this kind.
  void divide_what_is_enclosed() {
    for (gidx cell = 0; cell < n_ * n_ * n_; ++cell) {
      bool enclosed = !divided(cell);
      const Point at = grid_.locate(cell);
      for (int axis = 0; axis < 3 && enclosed; ++axis)
        enclosed = grid_.has_before(at, axis) && grid_.has_behind(at, axis) &&
                   divided(cell - grid_.step(axis)) && divided(cell + grid_.step(axis));
      if (enclosed) divide(cell);
    }
  }

  Grid grid_;
  gidx n_;
  std::vector<std::uint64_t> divided_;  // a bit per cell
  std::vector<gidx> first_leaf_;        // of every 64 cells
};

/// One side of a cell: its axis, and whether it is the side with the smaller coordinate.
struct Face {
  int axis;
  bool low;
};

/// In the order of the cells behind them.
constexpr std::array<Face, 3> low_faces{{{2, true}, {1, true}, {0, true}}};
constexpr std::array<Face, 3> high_faces{{{0, false}, {1, false}, {2, false}}};

class RefinedGrid final : public RowSource {
 public:
  RefinedGrid(gidx n, double scale) : cells_(n), scale_(scale) {}

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
    RowWriter out{cols, values};
    visit_row(row, [&](gidx col, double value) { out.put(col, value); });
    return out.length;
  }

 private:
  /// The leaf of a row: a cell or a part of one.
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
    return !(face.low ? cells_.grid().has_before(leaf.at, face.axis)
                      : cells_.grid().has_behind(leaf.at, face.axis));
  }

  /// Calls visit(column, conductance) for the leaves of other cells behind the face, ascending.
  template <class Visit>
  void behind(const Leaf& leaf, const Face& face, const Visit& visit) const {
    if (!outward(leaf, face) || at_wall(leaf, face)) return;
    const gidx step = cells_.grid().step(face.axis), cell = leaf.cell + (face.low ? -step : step);
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

  /// The conductance from the leaf to the wall, 0 if the face is no wall.
  double to_wall(const Leaf& leaf, const Face& face) const {
    if (!outward(leaf, face) || !at_wall(leaf, face)) return 0;
    return leaf.whole ? whole_to_wall : part_to_wall;
  }

  template <class Visit>
  void visit_row(gidx row, const Visit& visit) const {
    const gidx cell = cells_.cell_of(row);
    const Leaf leaf{row, cell, !cells_.divided(cell), static_cast<int>(row - cells_.leaf(cell)),
                    cells_.grid().locate(cell)};
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
};

}  // namespace

std::unique_ptr<RowSource> make_samg(const std::string& parameters) {
  const double scale = parse_scale(parameters);
  constexpr double side = 127;  // gives 3.4 million leaves
  const gidx n = std::max(gidx{1}, static_cast<gidx>(std::llround(side * std::cbrt(scale))));
  return std::make_unique<RefinedGrid>(n, scale);
}

}  // namespace spmv
