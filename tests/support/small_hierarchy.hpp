// Levels for tests of hierarchies, as dense matrices on every rank, and what a cycle does with a vector.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dist/solve/hierarchy.hpp"
#include "support/small_system.hpp"

namespace spmv::test {

template <class T>
using Dense = std::vector<std::vector<Wide<T>>>;
template <class T>
using Column = std::vector<Wide<T>>;

template <class T>
Dense<T> zeros(gidx rows, gidx cols) {
  return Dense<T>(static_cast<std::size_t>(rows), Column<T>(static_cast<std::size_t>(cols), Wide<T>(0)));
}

template <class T>
Dense<T> product(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c = zeros<T>(static_cast<gidx>(a.size()), static_cast<gidx>(b.empty() ? 0 : b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[k].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

template <class T>
Dense<T> adjoint(const Dense<T>& a, gidx cols) {
  Dense<T> b = zeros<T>(cols, static_cast<gidx>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      if constexpr (is_complex<T>)
        b[j][i] = std::conj(a[i][j]);
      else
        b[j][i] = a[i][j];
    }
  return b;
}

/// Of a x = b, by elimination; a is positive definite.
template <class T>
Column<T> solution(Dense<T> a, Column<T> b) {
  for (std::size_t k = 0; k < b.size(); ++k)
    for (std::size_t i = k + 1; i < b.size(); ++i) {
      const Wide<T> factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < b.size(); ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t i = b.size(); i-- > 0;) {
    for (std::size_t j = i + 1; j < b.size(); ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b;
}

/// This rank's rows of a matrix that all ranks have.
template <class T>
RowBlock<T> rows_of(const Dense<T>& all, const RowPartition& rows) {
  RowBlock<T> mine;
  mine.first_row = rows.first(world().rank());
  for (gidx row = mine.first_row; row < rows.first(world().rank() + 1); ++row) {
    const Column<T>& elements = all[static_cast<std::size_t>(row)];
    for (std::size_t col = 0; col < elements.size(); ++col)
      if (elements[col] != Wide<T>(0)) {
        mine.col.push_back(static_cast<gidx>(col));
        mine.value.push_back(T(elements[col]));
      }
    mine.row_ptr.push_back(static_cast<offset>(mine.col.size()));
  }
  return mine;
}

/// Of rows that are joined: which vectors of coarser levels interpolate to constant ones.
enum class Constants { none, some };

/// Levels of which each rank joins three consecutive rows into one, with weights that are not all 1: P is not its own scale.
template <class T>
class Levels {
 public:
  Levels(Solved<T>& solved, int coarser, Constants constants = Constants::none) {
    const DistributedRows<T>& rows = solved.request().rows;
    matrices.push_back(whole(solved));
    RowPartition here = rows.rows;
    std::vector<long double> constant(static_cast<std::size_t>(here.total()), 1);
    for (int level = 0; level < coarser; ++level) {
      std::vector<gidx> counts;
      for (int r = 0; r < world().size(); ++r) counts.push_back((here.count(r) + 2) / 3);
      const RowPartition next = RowPartition::from_counts(counts);
      Dense<T> P = zeros<T>(here.total(), next.total());
      std::vector<long double> coarse(static_cast<std::size_t>(next.total()));
      for (int r = 0; r < world().size(); ++r)
        for (gidx i = 0; i < here.count(r); ++i) {
          const auto row = static_cast<std::size_t>(here.first(r) + i);
          const auto col = static_cast<std::size_t>(next.first(r) + i / 3);
          coarse[col] = 1 / (1 + static_cast<long double>(i / 3 % 2) / 4);
          P[row][col] = Wide<T>(constants == Constants::some ? constant[row] / coarse[col]
                                                             : 1 + static_cast<long double>(i % 2) / 4);
        }
      constant = std::move(coarse);
      prolongations.push_back(P);
      const Dense<T> R = adjoint<T>(P, next.total());
      matrices.push_back(product<T>(R, product<T>(matrices.back(), P)));
      given.push_back({next, rows_of<T>(matrices.back(), next), rows_of<T>(P, here), rows_of<T>(R, next)});
      here = next;
    }
  }

  std::vector<Dense<T>> matrices;       // by level
  std::vector<Dense<T>> prolongations;  // from level i + 1 to level i
  std::vector<CoarseLevel<T>> given;

 private:
  /// The finest matrix with the ids that rows have now, on every rank.
  static Dense<T> whole(Solved<T>& solved) {
    const DistributedRows<T>& rows = solved.request().rows;
    struct Element {
      gidx row, col;
      T value;
    };
    std::vector<Element> mine;
    const int me = world().rank();
    for (lidx row = 0; row < rows.block.rows; ++row)
      for (offset k = rows.block.row_ptr[static_cast<std::size_t>(row)];
           k < rows.block.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
        const lidx col = rows.block.col[static_cast<std::size_t>(k)];
        mine.push_back({rows.rows.first(me) + row,
                        col < rows.owned() ? rows.cols.first(me) + col
                                           : rows.ghosts[static_cast<std::size_t>(col - rows.owned())],
                        rows.block.value[static_cast<std::size_t>(k)]});
      }
    std::vector<Element> copies;
    for (int r = 0; r < world().size(); ++r) copies.insert(copies.end(), mine.begin(), mine.end());
    Dense<T> all = zeros<T>(rows.shape.rows, rows.shape.rows);
    const std::vector<offset> counts(static_cast<std::size_t>(world().size()),
                                     static_cast<offset>(mine.size()));
    for (const Element& e : world().all_to_all(copies, counts).data)
      all[static_cast<std::size_t>(e.row)][static_cast<std::size_t>(e.col)] += Wide<T>(e.value);
    return all;
  }
};

template <class T>
SmallSystem<T> test_grid() {
  return grid<T>("grid", 9, 8, 0.4, number_of<T> % 2 == 0, 0.05);
}

template <class T>
Solved<T> on_ranks(const SmallSystem<T>& system, const TestBackend& backend, const std::string& transport,
                   const std::string& format = "pjds") {
  return {system, backend, pick(modes<T>(), "vector", "mode"), transport, format};
}

/// z = M^-1 r, on every rank in the ids that rows have now. Halos hold NaN before.
template <class T>
Column<T> applied(Solved<T>& solved, Preconditioner<T>& m, const Column<T>& r) {
  const RowPartition& rows = solved.request().rows.rows;
  const Vector<T> from = solved.A().make_vector(), to = solved.A().make_vector();
  for (const Vector<T>* vector : {&from, &to})
    solved.on().queue().fill(vector->data(), 0xff, vector->bytes());
  solved.on().queue().synchronize();
  std::vector<T> mine;
  for (const gidx row : rows.ids(world().rank())) mine.push_back(T(r[static_cast<std::size_t>(row)]));
  upload(solved.on().backend(), from, solved.A().matrix().to_basis(mine));
  m.apply(from, to);
  const std::vector<T> found = natural_elements(solved.on(), solved.A(), to);
  std::vector<T> copies;
  for (int k = 0; k < world().size(); ++k) copies.insert(copies.end(), found.begin(), found.end());
  const std::vector<offset> counts(static_cast<std::size_t>(world().size()),
                                   static_cast<offset>(found.size()));
  Column<T> all;
  for (const T& value : world().all_to_all(copies, counts).data) all.push_back(Wide<T>(value));
  return all;
}

template <class T>
Column<T> times(const Dense<T>& a, const Column<T>& x) {
  Column<T> y(a.size(), Wide<T>(0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  return y;
}

template <class T>
Column<T> sum(Column<T> a, const Column<T>& b, long double factor) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

template <class T>
Column<T> numbers(gidx count, unsigned seed) {
  Column<T> all;
  for (gidx i = 0; i < count; ++i) all.push_back(Wide<T>(x_value<T>(i, seed)));
  return all;
}

}  // namespace spmv::test
