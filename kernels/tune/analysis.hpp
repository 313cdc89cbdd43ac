// What a block looks like to storage formats: all that is needed to predict what each of them would cost.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"
#include "kernels/packed/slice.hpp"
#include "kernels/parts/block_covers.hpp"

namespace spmv {

/// Rows sorted by descending length within windows of `window` rows.
struct SortOrder {
  lidx window = 1;
  offset iterations = 0;  // N_iter [Wang 2020, Eq. 1]: sum over warps of the longest row
};

/// How closely analyze() looks. The default takes longest.
struct AnalysisDepth {
  offset most_slices = 16384;  // spread evenly
  bool blocks = true;          // also at dense blocks and strips, which takes most of the time
  bool all_values = true;      // or at those of these slices, and at some everywhere
};

/// If a block has more slices than analyze() may look at, all about slices, strips, blocks and sectors comes from a sample of
/// them (SliceSample); different values are counted in the sample and among some nonzeros everywhere, unless all values are
/// to be looked at.
struct Analysis {
  lidx rows = 0;
  lidx cols = 0;
  offset nonzeros = 0;
  std::size_t value_bytes = 0;
  bool complex_values = false;
  // [Vazquez 2011, Table I]
  lidx longest = 0;
  double mean_length = 0;   // Av
  double length_sigma = 0;  // standard deviation
  /// [Kreutzer 2012, Fig. 3]: element l counts the rows of l nonzeros; longest + 1 elements.
  offset changes_of_length = 0;  // rows that are of another length than the one before
  std::vector<offset> rows_of_length;
  std::vector<SortOrder> orders;         // windows 1, 32, 1024 and all rows, at least 2048
  std::vector<BlockCover> block_covers;  // b = least_entry_block to most_entry_block, if they were looked at
  /// [Bordawekar 2013]: elements where rows are cut into strips of strip_cols, each padded to half_warp
  /// elements.
  offset half_warp_elements = 0;
  offset strips = 0;  // pairs of half_warp rows and a strip that hold a nonzero
  // Shares of the nonzeros that lie in certain slices, of slice_rows rows as they are:
  double constant_share = 0;    // ColumnKind::diagonals, every diagonal with one value
  double distance8_share = 0;   // slices whose slice columns have no greater distance than most_distance8
  double distance16_share = 0;  // the same with most_distance16; both whatever kind they are stored in
  /// Sectors of x (sector_bytes) that slice columns touch, over the fewest that so many elements could lie
  /// in.
  double gather_sectors = 0;
  /// Different sectors of x that a slice's nonzeros lie in, divided by its nonzeros: 1 where no two of them share a sector.
  /// What a slice reads for the first time comes from beyond the nearest cache.
  double sectors_per_nonzero = 0;
  /// Share of the nonzeros that lie in rows with the very columns of the row before.
  double alike_share = 0;
  /// Of the elements that have one before them in their row: see is_near_the_one_before().
  double near_share = 0;
  /// Share of the nonzeros by the kind of columns and of values that sell_packed stores their slice with.
  std::array<double, 4> share_by_columns{};
  std::array<double, 4> share_by_values{};
  // Values
  int distinct_values = 0;  // most_dictionary_values + 1: more than most_dictionary_values
  double float_share = 0;   // of the nonzeros in slices whose values are all exact in half their size

  double x_bytes() const { return static_cast<double>(cols) * static_cast<double>(value_bytes); }
  /// Of the rows, those that are of another length than the one before.
  double changes_share() const { return rows > 0 ? static_cast<double>(changes_of_length) / rows : 0; }
  double share(ColumnKind kind) const { return share_by_columns[static_cast<std::size_t>(kind)]; }
  double share(ValueKind kind) const { return share_by_values[static_cast<std::size_t>(kind)]; }

  /// N_iter with rows sorted within windows of `window` rows, or the next smaller that was counted.
  offset iterations(lidx window) const;
};

/// Local, OpenMP over rows. Pure.
template <class T>
Analysis analyze(const Csr<T>& block, const AnalysisDepth& depth = {});

/// vector_bytes() of the block. Pure.
double vector_bytes(const Analysis& analysis);

/// Cost::iterations of a kernel that gives `threads_per_row` threads to every row, with rows sorted within
/// windows of `window` rows. Pure.
double row_iterations(const Analysis& analysis, int threads_per_row, lidx window = 1);

}  // namespace spmv
