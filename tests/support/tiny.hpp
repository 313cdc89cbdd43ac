// A 5 x 5 matrix on three ranks, everything written out by hand. Rows 0-1 | 2-3 | 4:
//
//        0   1 |  2   3 |  4
//   0    1   2 |        |  3
//   1        4 |        |
//      --------+--------+----
//   2    5     |  6   7 |
//   3        8 |      9 | 10
//      --------+--------+----
//   4   11     |        | 12
//
// Rank 1 sends nothing, rank 2 sends to rank 1 but receives nothing, rank 0 has a row that is no boundary
// row. dist/GLOSSARY.md explains its terms with this matrix.
#pragma once

#include <vector>

#include "comm/halo_plan.hpp"
#include "core/csr.hpp"
#include "dist/layouts/parted.hpp"
#include "dist/layouts/split.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/row_partition.hpp"

namespace spmv::test::tiny {

inline constexpr int ranks = 3;
inline const Shape shape{5, 5};

/// Ranks beyond the third own nothing.
inline RowPartition partition(int size = ranks) {
  std::vector<gidx> offsets{0, 2, 4, 5};
  offsets.resize(static_cast<std::size_t>(size) + 1, 5);
  return RowPartition(offsets);
}

struct Rank {
  RowBlock<double> block;  // as read: columns unsorted on rank 1
  std::vector<gidx> ghosts;
  Csr<double> merged;
  Split<double> parts;
  Parted<double> parted;
  HaloPlan plan;
  std::vector<double> y;  // A x for x = (1, 2, 3, 4, 5)
};

inline std::vector<Rank> expected() {
  Rank r0;
  r0.block = {0, {0, 3, 4}, {0, 1, 4, 1}, {1, 2, 3, 4}};
  r0.ghosts = {4};
  r0.parts.local = {2, 2, {0, 2, 3}, {0, 1, 1}, {1, 2, 4}};
  r0.parts.nonlocal = {1, 1, {0, 1}, {0}, {3}};
  r0.parts.nonlocal_row = {0};
  r0.merged = {2, 3, {0, 3, 4}, {0, 1, 2, 1}, {1, 2, 3, 4}};
  r0.parted.interior = {1, 2, {0, 1}, {1}, {4}};
  r0.parted.interior_row = {1};
  r0.parted.boundary = {1, 3, {0, 3}, {0, 1, 2}, {1, 2, 3}};
  r0.parted.boundary_row = {0};
  r0.plan = {2, 1, {{1, 0, 2, 0, 0}, {2, 2, 1, 0, 1}}, {0, 1, 0}};
  r0.y = {20, 8};

  Rank r1;
  r1.block = {2, {0, 3, 6}, {2, 0, 3, 4, 3, 1}, {6, 5, 7, 10, 9, 8}};
  r1.ghosts = {0, 1, 4};
  r1.parts.local = {2, 2, {0, 2, 3}, {0, 1, 1}, {6, 7, 9}};
  r1.parts.nonlocal = {2, 3, {0, 1, 3}, {0, 2, 1}, {5, 10, 8}};
  r1.parts.nonlocal_row = {0, 1};
  r1.merged = {2, 5, {0, 3, 6}, {0, 2, 1, 4, 1, 3}, {6, 5, 7, 10, 9, 8}};
  r1.parted.interior = {0, 2, {0}, {}, {}};
  r1.parted.boundary = r1.merged;
  r1.parted.boundary_row = {0, 1};
  r1.plan = {2, 3, {{0, 0, 0, 0, 2}, {2, 0, 0, 2, 1}}, {}};
  r1.y = {51, 102};

  Rank r2;
  r2.block = {4, {0, 2}, {0, 4}, {11, 12}};
  r2.ghosts = {0};
  r2.parts.local = {1, 1, {0, 1}, {0}, {12}};
  r2.parts.nonlocal = {1, 1, {0, 1}, {0}, {11}};
  r2.parts.nonlocal_row = {0};
  r2.merged = {1, 2, {0, 2}, {1, 0}, {11, 12}};
  r2.parted.interior = {0, 1, {0}, {}, {}};
  r2.parted.boundary = r2.merged;
  r2.parted.boundary_row = {0};
  r2.plan = {1, 1, {{0, 0, 1, 0, 1}, {1, 1, 1, 1, 0}}, {0, 0}};
  r2.y = {71};
  return {r0, r1, r2};
}

/// A rank's rows, ready for a layout. Ranks beyond the third have none.
inline DistributedRows<double> rows_of(int rank, int size = ranks) {
  const RowPartition owners = partition(size);
  DistributedRows<double> rows{shape, owners, owners, {}, {}, {}, {}};
  if (rank < ranks) {
    const Rank mine = expected()[static_cast<std::size_t>(rank)];
    rows.block = mine.merged;
    rows.ghosts = mine.ghosts;
  }
  for (gidx id = owners.first(rank); id < owners.first(rank + 1); ++id) rows.original_row.push_back(id);
  rows.original_col = rows.original_row;
  return rows;
}

}  // namespace spmv::test::tiny
