#include "kernels/tune/row_lengths.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "core/region_failure.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

static_assert(sorting_window % slice_rows == 0);

/// Counts the rows of so many nonzeros.
void count(std::vector<offset>& rows_of_length, lidx length, offset rows) {
  const auto at = static_cast<std::size_t>(length);
  if (at >= rows_of_length.size()) rows_of_length.resize(at + 1);
  rows_of_length[at] += rows;
}

/// The windows that one thread takes.
class Windows {
 public:
  explicit Windows(const std::vector<offset>& row_ptr) : row_ptr_(row_ptr.data()) {}

  /// `rows` rows from `first` on.
  void add(offset first, lidx rows) {
    const offset* const ends = row_ptr_ + first;
    for (lidx i = 0; i < rows; ++i) length_[i] = static_cast<lidx>(ends[i + 1] - ends[i]);
    if (first > 0 && ends[0] - ends[-1] != length_[0]) ++sums_.changes;
    for (lidx i = 1; i < rows; ++i) sums_.changes += length_[i] != length_[i - 1];
    lidx longest = 0;
    for (lidx begin = 0; begin < rows; begin += slice_rows) {
      lidx of_slice = 0;
      for (lidx i = begin; i < std::min(begin + slice_rows, rows); ++i)
        of_slice = std::max(of_slice, length_[i]);
      sums_.iterations += of_slice;
      longest = std::max(longest, of_slice);
    }
    if (longest <= sorting_window)
      count_window(rows, longest);  // the shorter way
    else
      sort_window(rows);
  }
  const LengthCounts& sums() const { return sums_; }

 private:
  /// With two sets of counters in turns, because a counter that was just stored has to be waited for.
  void count_window(lidx rows, lidx longest) {
    const auto size = static_cast<std::size_t>(longest) + 1;
    counted_.assign(size, 0);
    others_.assign(size, 0);
    lidx i = 0;
    for (; i + 1 < rows; i += 2) {
      ++counted_[length_[i]];
      ++others_[length_[i + 1]];
    }
    if (i < rows) ++counted_[length_[i]];
    for (std::size_t l = 0; l < size; ++l) {
      counted_[l] += others_[l];
      if (counted_[l] > 0) count(sums_.rows_of_length, static_cast<lidx>(l), counted_[l]);
    }
    sums_.iterations_in_windows += iterations_sorted(counted_);
  }
  void sort_window(lidx rows) {
    for (lidx i = 0; i < rows; ++i) count(sums_.rows_of_length, length_[i], 1);
    std::sort(length_.begin(), length_.begin() + rows, std::greater<>());
    for (lidx at = 0; at < rows; at += slice_rows) sums_.iterations_in_windows += length_[at];
  }

  const offset* row_ptr_;
  LengthCounts sums_;
  std::array<lidx, sorting_window> length_{};
  std::vector<offset> counted_, others_;
};

}  // namespace

offset iterations_sorted(const std::vector<offset>& rows_of_length) {
  offset iterations = 0, placed = 0;
  for (auto length = static_cast<offset>(rows_of_length.size()) - 1; length > 0; --length) {
    const offset before = placed;
    placed += rows_of_length[length];
    // The longest row of every slice that begins among these is one of them.
    const offset slices = (placed + slice_rows - 1) / slice_rows - (before + slice_rows - 1) / slice_rows;
    iterations += slices * length;
  }
  return iterations;
}

LengthCounts sum_up_lengths(const std::vector<offset>& row_ptr) {
  const auto rows = static_cast<offset>(row_ptr.size()) - 1;
  LengthCounts all;
  all.rows_of_length = {0};
  RegionFailure failure;
#pragma omp parallel
  {
    Windows mine(row_ptr);
#pragma omp for schedule(static)
    for (offset first = 0; first < rows; first += sorting_window)
      failure.guard(
          [&] { mine.add(first, static_cast<lidx>(std::min<offset>(sorting_window, rows - first))); });
#pragma omp critical(spmv_sum_up_lengths)
    failure.guard([&] {
      const LengthCounts& sums = mine.sums();
      all.changes += sums.changes;
      all.iterations += sums.iterations;
      all.iterations_in_windows += sums.iterations_in_windows;
      for (std::size_t l = 0; l < sums.rows_of_length.size(); ++l)
        count(all.rows_of_length, static_cast<lidx>(l), sums.rows_of_length[l]);
    });
  }
  failure.rethrow();
  return all;
}

}  // namespace spmv
