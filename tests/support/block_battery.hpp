// Small blocks that every format must multiply. Comments name the bug that each of them hunts.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "core/value_type.hpp"

namespace spmv::test {

/// Positions of the nonzeros; values follow from the position.
struct Pattern {
  std::string name;
  lidx cols = 0;
  std::vector<std::vector<lidx>> rows;
};

/// `length(i)` different columns of [first_col, cols) in every row i, in random order.
inline Pattern random_pattern(const std::string& name, lidx rows, lidx cols,
                              const std::function<lidx(lidx)>& length, lidx first_col = 0) {
  std::minstd_rand random(static_cast<unsigned>(rows) * 31 + static_cast<unsigned>(cols));
  std::vector<lidx> all(static_cast<std::size_t>(cols - first_col));
  std::iota(all.begin(), all.end(), first_col);
  Pattern pattern{name, cols, {}};
  for (lidx i = 0; i < rows; ++i) {
    const auto taken = static_cast<std::size_t>(length(i));
    for (std::size_t k = 0; k < taken; ++k)  // the beginning of a shuffle: a whole one costs O(cols)
      std::swap(all[k], all[std::uniform_int_distribution<std::size_t>(k, all.size() - 1)(random)]);
    pattern.rows.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  return pattern;
}

/// b x b blocks on and beside the diagonal; with `holes` each of them lacks an element.
inline Pattern block_pattern(const std::string& name, lidx rows, lidx b, bool holes) {
  Pattern pattern{name, rows, {}};
  for (lidx i = 0; i < rows; ++i) {
    pattern.rows.emplace_back();
    for (const lidx block : {i / b, (i / b + 5) % (rows / b), (i / b * 7 + 1) % (rows / b)})
      for (lidx col = block * b; col < std::min(rows, (block + 1) * b); ++col) {
        const bool hole = holes && (i + block) % b == col % b;
        if (!hole && std::count(pattern.rows[i].begin(), pattern.rows[i].end(), col) == 0)
          pattern.rows[i].push_back(col);
      }
  }
  return pattern;
}

/// Row i has the columns i + d for every d of `distances`.
inline Pattern diagonal_pattern(const std::string& name, lidx rows, lidx cols, std::vector<lidx> distances) {
  Pattern pattern{name, cols, {}};
  for (lidx i = 0; i < rows; ++i) {
    pattern.rows.emplace_back();
    for (const lidx distance : distances) pattern.rows[i].push_back(i + distance);
  }
  return pattern;
}

/// A nine-point stencil on a grid: diagonals with gaps at the ends of grid lines, short rows within slices.
inline Pattern grid_pattern(const std::string& name, lidx nx, lidx ny) {
  Pattern pattern{name, nx * ny, {}};
  for (lidx y = 0; y < ny; ++y)
    for (lidx x = 0; x < nx; ++x) {
      pattern.rows.emplace_back();
      for (lidx to_y = std::max(0, y - 1); to_y <= std::min(ny - 1, y + 1); ++to_y)
        for (lidx to_x = std::max(0, x - 1); to_x <= std::min(nx - 1, x + 1); ++to_x)
          pattern.rows.back().push_back(to_y * nx + to_x);
    }
  return pattern;
}

/// Neighbouring rows whose first columns differ by up to `apart`, as do their second ones.
inline Pattern spread_pattern(const std::string& name, lidx rows, lidx apart) {
  Pattern pattern{name, 2 * apart + 20, {}};
  for (lidx i = 0; i < rows; ++i) {
    const lidx first = i % 3 == 0 ? 7 : i % 3 == 1 ? 7 + apart : 7 + i;
    pattern.rows.push_back({first, first + apart + 3});
  }
  return pattern;
}

inline std::vector<Pattern> block_patterns() {
  const auto constant = [](lidx length) { return [length](lidx) { return length; }; };
  std::vector<Pattern> battery;
  const auto add = [&battery](Pattern pattern) { battery.push_back(std::move(pattern)); };
  // A CUDA launch without thread blocks, which is an error; the maximum over no rows.
  add(random_pattern("0 x 0", 0, 0, constant(0)));
  add(random_pattern("0 rows", 0, 5, constant(0)));
  // Padding that reads x[0] although x is empty.
  add(random_pattern("0 columns", 5, 0, constant(0)));
  // Off by one in rows or columns.
  add(random_pattern("1 x 1", 1, 1, constant(1)));
  // y not set to zero in a format without stored elements.
  add(random_pattern("1 x 1, empty", 1, 1, constant(0)));
  add(random_pattern("40 x 7, empty", 40, 7, constant(0)));
  // Empty rows before the first and after the last stored row.
  add(random_pattern("first rows empty", 40, 9, [](lidx i) { return i < 17 ? 0 : 3; }));
  add(random_pattern("last rows empty", 40, 9, [](lidx i) { return i < 17 ? 3 : 0; }));
  add(random_pattern("every other row empty", 65, 9, [](lidx i) { return i % 2 * 5; }));
  // Padding: one row sets the width of all others, in the first and in the last block of rows.
  add(random_pattern("first row full", 70, 70, [](lidx i) { return i == 0 ? 70 : 1; }));
  add(random_pattern("last row full", 70, 70, [](lidx i) { return i == 69 ? 70 : 1; }));
  // Padding that reads column 0: the block does not refer to it, so x[0] is NaN.
  add(random_pattern(
      "column 0 unused", 50, 20, [](lidx i) { return i % 7; }, 1));
  // Every row reads the same element; padding that repeats it would count it twice.
  add(random_pattern("one full column", 100, 1, constant(1)));
  // Rows that do not fill a warp or a block of rows, and one row too many.
  add(random_pattern("31 rows", 31, 40, [](lidx i) { return 1 + i % 4; }));
  add(random_pattern("33 rows", 33, 40, constant(3)));
  add(random_pattern("257 rows", 257, 300, [](lidx i) { return 2 + i % 3; }));
  // All remainders of unrolled loops and of vector lengths.
  add(random_pattern("row i has i elements", 72, 80, [](lidx i) { return i; }));
  // Many threads or chunks with rows of different lengths.
  add(random_pattern("random lengths", 1500, 500, [](lidx i) { return (i * 7919) % 41; }));
  add(random_pattern("power law", 600, 600, [](lidx i) { return 1 + 500 / (1 + (i * 337) % 600); }));
  // Rows and columns swapped.
  add(random_pattern("wide", 20, 3000, constant(11)));
  add(random_pattern("tall", 3000, 3, [](lidx i) { return i % 4; }));
  // Dense blocks, whole and with holes, whose size does and does not divide the rows; a block column cut off
  // by the edge.
  for (const lidx b : {2, 3, 4, 5, 6})
    add(block_pattern("dense blocks of " + std::to_string(b), 70, b, false));
  add(block_pattern("blocks of 3 with holes", 71, 3, true));
  // The columns of a slice in one run, and 255, 256, 65535 and 65536 apart: the limits of 8 and 16 bits.
  add(diagonal_pattern("runs", 200, 210, {0, 3, 10}));
  for (const lidx apart : {255, 256, 65535, 65536})
    add(spread_pattern("columns " + std::to_string(apart) + " apart", 64, apart));
  // Rows longer than a warp, a chunk or a thread block.
  add(random_pattern("long rows", 3, 2500, [](lidx i) { return 2000 + i; }));
  return battery;
}

/// The block with the pattern's rows in `order` (empty: as they are) and values in [-1, 1).
template <class T>
Csr<T> make_block(const Pattern& pattern, const std::vector<lidx>& order = {}) {
  Csr<T> block;
  block.rows = static_cast<lidx>(pattern.rows.size());
  block.cols = pattern.cols;
  std::minstd_rand random(7);
  std::uniform_real_distribution<RealOf<T>> value(-1, 1);
  for (lidx i = 0; i < block.rows; ++i) {
    for (const lidx col : pattern.rows[order.empty() ? i : order[i]]) {
      block.col.push_back(col);
      if constexpr (is_complex<T>)
        block.value.emplace_back(value(random), value(random));
      else
        block.value.push_back(value(random));
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

}  // namespace spmv::test
