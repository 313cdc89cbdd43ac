// A hermitian positive definite matrix as a caller may hold it: a five-point stencil on a grid, with rows dealt to ranks.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "callers_rows.hpp"

namespace spmv::test {

struct GridShape {
  gidx nx = 13;
  gidx ny = 11;
  double shift = 0.2;   // of the diagonal; below -4: negative definite
  bool scaled = false;  // row and column i times 1 + i % 3
};

template <class T>
struct CallersGrid {
  std::vector<gidx> ids, row_ptr{0}, columns;
  std::vector<T> values;
  std::vector<T> x, b;  // of this rank's rows; b = A x
  spmv_dist::Rows<T> view;

  explicit CallersGrid(GridShape shape = {}) {
    const gidx rows = shape.nx * shape.ny;
    for (gidx i = rows; i-- > 0;)
      if ((i * 11 + 3) % world().size() == world().rank()) add_row(shape, i);
    view.global_rows = view.global_cols = rows;
    view.rows = static_cast<gidx>(ids.size());
    view.row_ids = ids.data();
    view.row_ptr = row_ptr.data();
    view.columns = columns.data();
    view.values = values.data();
    view.elements = static_cast<gidx>(columns.size());
  }
  CallersGrid(const CallersGrid&) = delete;
  CallersGrid& operator=(const CallersGrid&) = delete;

 private:
  /// i above the diagonal, -i below, in complex matrices: hermitian, and not symmetric.
  static std::complex<double> off_diagonal(bool upper) {
    return is_complex<T> ? std::complex<double>(-0.8, upper ? 0.6 : -0.6) : std::complex<double>(-1);
  }
  static T value_of(std::complex<double> value) {
    if constexpr (is_complex<T>)
      return T(value);
    else
      return static_cast<T>(value.real());
  }
  void add_row(GridShape shape, gidx i) {
    std::complex<double> sum = 0;
    const auto scale = [&](gidx k) { return shape.scaled ? static_cast<double>(1 + k % 3) : 1.0; };
    const auto add = [&](bool inside, gidx k, std::complex<double> value) {
      if (!inside) return;
      value *= scale(i) * scale(k);
      columns.push_back(k);
      values.push_back(value_of(value));
      sum += std::complex<double>(values.back()) * std::complex<double>(x_value<T>(k, 0));
    };
    add(i >= shape.nx, i - shape.nx, off_diagonal(false));
    add(i % shape.nx > 0, i - 1, off_diagonal(false));
    add(true, i, 4 + shape.shift);
    add(i % shape.nx < shape.nx - 1, i + 1, off_diagonal(true));
    add(i < shape.nx * (shape.ny - 1), i + shape.nx, off_diagonal(true));
    ids.push_back(i);
    row_ptr.push_back(static_cast<gidx>(columns.size()));
    x.push_back(x_value<T>(i, 0));
    b.push_back(value_of(sum));
  }
};

/// |a - b| / |b| over all ranks.
template <class T>
double distance(const std::vector<T>& a, const std::vector<T>& b) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    off += std::norm(std::complex<double>(a[i]) - std::complex<double>(b[i]));
    size += std::norm(std::complex<double>(b[i]));
  }
  return std::sqrt(world().sum(off) / world().sum(size));
}

}  // namespace spmv::test
