// Matrices whose spectra are known, with eigenvalues that are there several times.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/small_system.hpp"

namespace spmv::test {

/// A matrix with eigenvalues that are known, ascending.
template <class T>
struct Known {
  SmallSystem<T> system;
  std::vector<double> values;
};

using Random = std::mt19937;
inline int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}
inline double unit(Random& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

/// Eigenvalue k, from 1, of the Laplacian of a path.
inline double of_path(int k, int points) {
  return 2 - 2 * std::cos(k * std::numbers::pi / (points + 1));
}

/// Hermitian, with the eigenvalues that the real values give on grids and paths.
template <class T>
void add(SmallSystem<T>& system, gidx i, gidx j, double value) {
  T v = T(static_cast<RealOf<T>>(value));
  if constexpr (is_complex<T>)
    if (i != j) v *= T(RealOf<T>(0.8), RealOf<T>(i < j ? 0.6 : -0.6));
  system.entries.push_back({i, j, v});
}

/// The Laplacian of a grid with zero around, with as many points each way.
template <class T>
Known<T> cube(int points, int dimensions) {
  Known<T> known{{"cube", 1, {}}, {0}};
  std::vector<gidx> stride;
  for (int d = 0; d < dimensions; ++d) {
    stride.push_back(known.system.rows);
    known.system.rows *= points;
    std::vector<double> sums;
    for (const double sum : known.values)
      for (int k = 1; k <= points; ++k) sums.push_back(sum + of_path(k, points));
    known.values = sums;
  }
  known.system.name = std::to_string(points) + "^" + std::to_string(dimensions);
  for (gidx i = 0; i < known.system.rows; ++i) {
    add(known.system, i, i, 2 * dimensions);
    for (const gidx s : stride) {
      const gidx at = i / s % points;
      if (at > 0) add(known.system, i, i - s, -1);
      if (at + 1 < points) add(known.system, i, i + s, -1);
    }
  }
  return known;
}

/// Rows and columns in another order.
template <class T>
void shuffle(SmallSystem<T>& system, Random& random) {
  std::vector<gidx> to(static_cast<std::size_t>(system.rows));
  std::iota(to.begin(), to.end(), 0);
  for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random() % i]);
  for (Entry<T>& e : system.entries)
    e = {to[static_cast<std::size_t>(e.row)], to[static_cast<std::size_t>(e.col)], e.value};
}

/// Paths of so many points, shuffled.
template <class T>
Known<T> paths(int copies, int points, Random& random) {
  Known<T> known{{std::to_string(copies) + " paths of " + std::to_string(points), gidx{copies} * points, {}},
                 {}};
  for (int c = 0; c < copies; ++c)
    for (int i = 0; i < points; ++i) {
      const gidx row = gidx{c} * points + i;
      known.values.push_back(of_path(i + 1, points));
      add(known.system, row, row, 2);
      if (i > 0) add(known.system, row, row - 1, -1);
      if (i + 1 < points) add(known.system, row, row + 1, -1);
    }
  shuffle(known.system, random);
  return known;
}

/// These eigenvalues, shuffled, in reflected blocks.
template <class T>
Known<T> reflected(const std::string& name, std::vector<double> values, Random& random) {
  const auto n = static_cast<gidx>(values.size());
  Known<T> known{{name, n, {}}, values};
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
  for (gidx first = 0; first < n;) {
    const auto size = std::min<gidx>(between(random, 1, 7), n - first);
    std::vector<double> v;
    for (gidx i = 0; i < size; ++i) v.push_back(unit(random) - 0.5);
    const double vv = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
    const auto h = [&](gidx i, gidx j) {
      return (i == j ? 1 : 0) - 2 * v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)] / vv;
    };
    for (gidx i = 0; i < size; ++i)
      for (gidx j = 0; j < size; ++j) {
        double sum = 0;
        for (gidx k = 0; k < size; ++k)
          sum += h(std::min(i, j), k) * values[static_cast<std::size_t>(first + k)] * h(std::max(i, j), k);
        known.system.entries.push_back({first + i, first + j, T(static_cast<RealOf<T>>(sum))});
      }
    first += size;
  }
  return known;
}

/// Most eigenvalues several times, in spectra of several shapes.
template <class T>
Known<T> many_times(Random& random) {
  const int different = between(random, 10, 250), shape = between(random, 0, 4);
  std::vector<double> values;
  double value = 2 * unit(random) - 1, gap = std::pow(10, -6 * unit(random));
  for (int k = 0; k < different; ++k) {
    const int times = k < 12 || random() % 2 ? between(random, 2, 10) : 1;
    for (int t = 0; t < times; ++t) values.push_back(value);
    const double u = 0.1 + unit(random);
    value += shape == 0   ? u
             : shape == 1 ? u * (k + 1)
             : shape == 2 ? u * std::pow(1.1, k)
             : shape == 3 ? (k % 3 == 0 ? gap : u)
                          : u * std::min(1.0, gap * std::pow(2, k));
  }
  return reflected<T>(std::to_string(different) + " different ones", values, random);
}

template <class T>
Known<T> drawn(Random& random) {
  switch (between(random, 0, 3)) {
    case 0:
      return cube<T>(between(random, 8, 45), 2);
    case 1:
      return cube<T>(between(random, 4, 11), 3);
    case 2:
      return paths<T>(between(random, 2, 10), between(random, 20, 200), random);
    default:
      return many_times<T>(random);
  }
}

}  // namespace spmv::test
