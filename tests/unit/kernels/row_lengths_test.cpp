// Sums from one pass over all row lengths, against sums computed one by one.
#include "kernels/tune/row_lengths.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/parts/sizes.hpp"

namespace spmv::test {
namespace {

std::vector<offset> ends_of(const std::vector<lidx>& lengths) {
  std::vector<offset> row_ptr{0};
  for (const lidx length : lengths) row_ptr.push_back(row_ptr.back() + length);
  return row_ptr;
}

/// Sum over slices of the longest row, with rows sorted within windows of `window` rows.
offset iterations(std::vector<lidx> lengths, std::size_t window) {
  offset sum = 0;
  for (std::size_t first = 0; first < lengths.size(); first += window)
    std::sort(lengths.begin() + static_cast<std::ptrdiff_t>(first),
              lengths.begin() + static_cast<std::ptrdiff_t>(std::min(first + window, lengths.size())),
              std::greater<>());
  for (std::size_t first = 0; first < lengths.size(); first += slice_rows)
    sum += *std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(first),
                             lengths.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                   first + slice_rows, lengths.size())));
  return sum;
}

void check(const std::vector<lidx>& lengths) {
  const LengthCounts sums = sum_up_lengths(ends_of(lengths));
  const lidx longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  std::vector<offset> rows_of_length(static_cast<std::size_t>(longest) + 1);
  for (const lidx length : lengths) ++rows_of_length[length];
  EXPECT_EQ(sums.rows_of_length, rows_of_length);
  offset changes = 0;
  for (std::size_t row = 1; row < lengths.size(); ++row) changes += lengths[row] != lengths[row - 1] ? 1 : 0;
  EXPECT_EQ(sums.changes, changes);
  EXPECT_EQ(sums.iterations, iterations(lengths, 1));
  EXPECT_EQ(sums.iterations_in_windows, iterations(lengths, sorting_window));
  EXPECT_EQ(iterations_sorted(sums.rows_of_length),
            iterations(lengths, std::max<std::size_t>(lengths.size(), 1)));
}

TEST(RowLengths, AddUpToWhatRowsOneByOneDo) {
  const int threads = omp_get_max_threads();
  for (const int used : {1, 3}) {
    omp_set_num_threads(used);
    std::mt19937 random(7);
    for (const std::size_t rows : {0, 1, 31, 33, 1023, 1024, 1025, 5000})
      for (const int most : {1, 5, 40, 1024, 1025, 3000}) {
        SCOPED_TRACE(std::to_string(rows) + " rows of less than " + std::to_string(most));
        std::vector<lidx> lengths(rows);
        for (lidx& length : lengths) length = static_cast<lidx>(random() % static_cast<unsigned>(most));
        check(lengths);
        if (rows > 0) lengths[rows / 2] = 100'000;  // in a window of short rows
        check(lengths);
      }
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace spmv::test
