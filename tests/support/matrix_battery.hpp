// Small matrices that every distributed product must multiply. Comments name the bug that each of them hunts.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/csr.hpp"
#include "core/entry.hpp"
#include "core/reference.hpp"

namespace spmv::test {

/// Positions of the nonzeros, in any order, with duplicates; values follow from position and index.
struct GlobalMatrix {
  std::string name;
  Shape shape;
  std::vector<std::pair<gidx, gidx>> at;
};

/// A value in [-1, 1] that every value type holds exactly; duplicates of one position differ.
template <class T>
T battery_value(const GlobalMatrix& matrix, std::size_t k) {
  const auto [row, col] = matrix.at[k];
  return x_value<T>(row * 65537 + col, 1000 + static_cast<unsigned>(k % 1000));
}

/// A rank's share of the entries, dealt round robin: most belong to rows of other ranks.
template <class T>
std::vector<Entry<T>> dealt_entries(const GlobalMatrix& matrix, int rank, int ranks) {
  std::vector<Entry<T>> entries;
  for (auto k = static_cast<std::size_t>(rank); k < matrix.at.size(); k += static_cast<std::size_t>(ranks))
    entries.push_back({matrix.at[k].first, matrix.at[k].second, battery_value<T>(matrix, k)});
  return entries;
}

/// The whole matrix in one piece, duplicates side by side: input of the serial reference. Pure.
template <class T>
RowBlock<T> whole_rows(const GlobalMatrix& matrix) {
  std::vector<std::vector<std::size_t>> of_row(static_cast<std::size_t>(matrix.shape.rows));
  for (std::size_t k = 0; k < matrix.at.size(); ++k)
    of_row[static_cast<std::size_t>(matrix.at[k].first)].push_back(k);
  RowBlock<T> block;
  for (const auto& row : of_row) {
    for (const std::size_t k : row) {
      block.col.push_back(matrix.at[k].second);
      block.value.push_back(battery_value<T>(matrix, k));
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

/// rows x cols with a nonzero wherever `stored(row, col)`.
inline GlobalMatrix matrix_where(const std::string& name, gidx rows, gidx cols,
                                 const std::function<bool(gidx, gidx)>& stored) {
  GlobalMatrix matrix{name, {rows, cols}, {}};
  for (gidx i = 0; i < rows; ++i)
    for (gidx j = 0; j < cols; ++j)
      if (stored(i, j)) matrix.at.emplace_back(i, j);
  return matrix;
}

/// Reproducible, and looks random.
inline gidx scramble(gidx a, gidx b, gidx below) {
  return (a * 7919 + b * 104729 + a * b * 31) % below;
}

/// The battery for a run on `ranks` ranks; the sizes of some matrices follow from the number of ranks.
inline std::vector<GlobalMatrix> matrix_battery(int ranks) {
  std::vector<GlobalMatrix> battery;
  const auto add = [&](const char* name, gidx rows, gidx cols,
                       const std::function<bool(gidx, gidx)>& stored) {
    battery.push_back(matrix_where(name, rows, cols, stored));
  };
  const auto all = [](gidx, gidx) { return true; };
  const auto none = [](gidx, gidx) { return false; };
  const gidx p = ranks;
  // Sizes of zero: allocations, divisions by the number of rows, waiting for requests that were never
  // started.
  add("0 x 0", 0, 0, none);
  add("0 x 5", 0, 5, none);
  add("5 x 0", 5, 0, none);
  // y not set to zero where nothing is stored.
  add("no nonzeros", 3 * p + 1, 3 * p + 1, none);
  // Off by one anywhere; more ranks than rows.
  add("1 x 1", 1, 1, all);
  add("fewer rows than ranks", 3, 3, all);
  // Every rank needs all of x: missing neighbours, sends to oneself, counts swapped between pairs.
  add("dense", 4 * p + 1, 4 * p + 1, all);
  // One rank has ghosts from all others, and sends one element to each of them.
  add("one full row", 5 * p + 2, 5 * p + 2, [](gidx i, gidx j) { return i == 4 || i == j; });
  add("one full column", 5 * p + 2, 5 * p + 2, [](gidx i, gidx j) { return j == 4 || i == j; });
  add("arrow", 4 * p + 3, 4 * p + 3, [](gidx i, gidx j) { return i == 0 || j == 0 || i == j; });
  // Two neighbours each: the common case.
  add("tridiagonal", 6 * p + 1, 6 * p + 1, [](gidx i, gidx j) { return std::abs(i - j) <= 1; });
  // The first and the last rank are neighbours too.
  add("ring", 7 * p + 3, 7 * p + 3,
      [n = 7 * p + 3](gidx i, gidx j) { return (i + 1) % n == j || (i + n - 1) % n == j; });
  // No neighbours: an empty nonlocal block, no messages.
  add("block-diagonal", 4 * p, 4 * p, [](gidx i, gidx j) { return i / 4 == j / 4; });
  // Empty local block: its product must still set y before the nonlocal one adds.
  add("antidiagonal", 4 * p, 4 * p, [n = 4 * p](gidx i, gidx j) { return i + j == n - 1; });
  // Sends without receives: zeros on one side of a rank's neighbour list.
  add("one-directional", 5 * p, 5 * p, [](gidx i, gidx j) { return i == j || i == j + 5; });
  add("all need rank 0", 3 * p + 2, 3 * p + 2, [](gidx i, gidx j) { return j < 2 && i != j; });
  // Ranks that own rows but neither store nor need anything.
  add("last rows empty", 6 * p, 6 * p, [p](gidx i, gidx j) { return i < 3 * p && scramble(i, j, 3) == 0; });
  // Local and nonlocal rows sort differently: long local rows have short nonlocal ones.
  add("opposite lengths", 8 * p, 8 * p,
      [](gidx i, gidx j) { return i / 8 == j / 8 ? j % 8 <= i % 8 : j % 8 > i % 8; });
  // Ghosts in a different order than rows.
  add("permuted band", 61, 61, [](gidx i, gidx j) { return std::abs(i * 17 % 61 - j * 17 % 61) <= 2; });
  // Very different row lengths over several pJDS blocks.
  add("power law", 230, 230,
      [](gidx i, gidx j) { return scramble(i, j, 1 + (i * 37) % 230) == 0 || i == j; });
  // Rows and columns swapped; x and y in different bases.
  add("tall", 9 * p + 4, 7, [](gidx i, gidx j) { return scramble(i, j, 2) == 0; });
  add("wide", 7, 9 * p + 4, [](gidx i, gidx j) { return scramble(i, j, 3) == 0; });
  // Entries of one position read by different ranks: they must be summed, not overwritten.
  GlobalMatrix doubled = matrix_where("duplicates", 4 * p + 1, 4 * p + 1,
                                      [](gidx i, gidx j) { return std::abs(i - j) <= 1 || i + j == 6; });
  const auto once = doubled.at;
  doubled.at.insert(doubled.at.end(), once.rbegin(), once.rend());
  doubled.at.insert(doubled.at.end(), once.begin(),
                    once.begin() + static_cast<std::ptrdiff_t>(once.size() / 2));
  battery.push_back(std::move(doubled));
  return battery;
}

}  // namespace spmv::test
