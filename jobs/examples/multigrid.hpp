// Levels of a Poisson problem on a cube of (2^k - 1)^3 points, for spmv_dist::Hierarchy. Each rank holds an even share of each level.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include <spmv_dist/hierarchy.hpp>

/// This rank's rows of a matrix, and the arrays that they are in.
template <class T>
struct OwnRows {
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<T> values;
  spmv_dist::Rows<T> view{};
};

/// The points of one level: n in each direction, and those that this rank owns.
struct Grid {
  std::int64_t n, first, end;
  Grid(std::int64_t side, int rank, int ranks)
      : n(side), first(n * n * n * rank / ranks), end(n * n * n * (rank + 1) / ranks) {}
  std::int64_t points() const { return n * n * n; }
  std::array<std::int64_t, 3> place(std::int64_t point) const {
    return {point % n, point / n % n, point / (n * n)};
  }
};

/// A matrix from the points of `cols` to those of `rows`. stencil(point, add) calls add(x, y, z, value) for each element of a row.
template <class T, class Stencil>
OwnRows<T> make_rows(const Grid& rows, const Grid& cols, const Stencil& stencil) {
  OwnRows<T> own;
  for (std::int64_t row = rows.first; row < rows.end; ++row) {
    stencil(rows.place(row), [&](std::int64_t x, std::int64_t y, std::int64_t z, double value) {
      for (const std::int64_t i : {x, y, z})
        if (i < 0 || i >= cols.n) return;
      own.columns.push_back(x + cols.n * (y + cols.n * z));
      own.values.push_back(T(value));
    });
    own.row_ptr.push_back(static_cast<std::int64_t>(own.columns.size()));
  }
  own.view =
      spmv_dist::rows_from(rows.points(), cols.points(), rows.first, own.row_ptr, own.columns, own.values);
  if (rows.n != cols.n) {  // x of a square matrix is owned like its rows
    own.view.first_x = cols.first;
    own.view.x_size = cols.end - cols.first;
  }
  return own;
}

/// The seven-point Laplacian times a factor.
template <class T>
OwnRows<T> laplacian(const Grid& grid, double factor = 1) {
  return make_rows<T>(grid, grid, [factor](auto at, auto add) {
    add(at[0], at[1], at[2], 6 * factor);
    for (const int step : {-1, 1}) {
      add(at[0] + step, at[1], at[2], -factor);
      add(at[0], at[1] + step, at[2], -factor);
      add(at[0], at[1], at[2] + step, -factor);
    }
  });
}

/// Coarse point c lies on fine point 2 c + 1. A fine point takes the mean of the coarse points beside it.
template <class T>
OwnRows<T> interpolation(const Grid& fine, const Grid& coarse) {
  return make_rows<T>(fine, coarse, [](auto at, auto add) {
    // An odd place is that of a coarse point; an even one lies between two.
    const auto beside = [&](int d, int side) {
      return (at[d] - 1 + (at[d] % 2 == 0 ? 2 * side - 1 : 0)) / 2;
    };
    const auto sides = [&](int d) { return at[d] % 2 == 0 ? 2 : 1; };
    const double weight = 1.0 / (sides(0) * sides(1) * sides(2));
    for (int x = 0; x < sides(0); ++x)
      for (int y = 0; y < sides(1); ++y)
        for (int z = 0; z < sides(2); ++z) add(beside(0, x), beside(1, y), beside(2, z), weight);
  });
}

/// All levels. The arrays live as long as this; a Hierarchy needs them no more once it has been made.
template <class T>
class PoissonLevels {
 public:
  /// 2^levels - 1 points in each direction.
  PoissonLevels(const spmv_dist::Context& context, int levels)
      : finest_(laplacian<T>(grid(context, levels))) {
    double factor = 1;
    for (int level = levels - 1; level >= 3; --level) {
      const Grid fine = grid(context, level + 1), coarse = grid(context, level);
      factor *= 2;  // about R A P: the same stencil on twice the spacing
      const auto& A = kept_.emplace_back(laplacian<T>(coarse, factor));
      const auto& P = kept_.emplace_back(interpolation<T>(fine, coarse));
      coarser_.push_back({A.view, P.view});
    }
  }
  PoissonLevels(const PoissonLevels&) = delete;
  PoissonLevels& operator=(const PoissonLevels&) = delete;
  const spmv_dist::Rows<T>& finest() const { return finest_.view; }
  const std::vector<spmv_dist::Level<T>>& coarser() const { return coarser_; }

 private:
  static Grid grid(const spmv_dist::Context& context, int level) {
    return {(std::int64_t{1} << level) - 1, context.rank(), context.size()};
  }
  OwnRows<T> finest_;
  std::deque<OwnRows<T>> kept_;  // whose elements stay where they are
  std::vector<spmv_dist::Level<T>> coarser_;
};
