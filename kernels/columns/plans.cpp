#include "kernels/columns/plans.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "core/error.hpp"
#include "core/region_failure.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

using Lengths = std::vector<lidx>;

offset rows_of(const Lengths& lengths) {
  return static_cast<offset>(lengths.size());
}

lidx longest_of(const Lengths& lengths) {
  lidx longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (const lidx length : lengths) longest = std::max(longest, length);
  return longest;
}

/// The longest of every `group` rows.
std::vector<lidx> longest_of_groups(const Lengths& lengths, offset group) {
  const offset rows = rows_of(lengths);
  std::vector<lidx> longest(static_cast<std::size_t>((rows + group - 1) / group));
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < longest.size(); ++g) {
    const offset first = static_cast<offset>(g) * group;
    longest[g] =
        *std::max_element(lengths.begin() + first, lengths.begin() + std::min<offset>(first + group, rows));
  }
  return longest;
}

/// Rows stored in every column: those of the blocks that reach it, padding included.
std::vector<offset> column_heights(const Lengths& lengths, lidx block_rows) {
  std::vector<offset> height;
  offset first = 0;
  for (const lidx longest : longest_of_groups(lengths, block_rows)) {
    if (first == 0) height.resize(longest);
    if (longest > static_cast<offset>(height.size()) || (longest > 0 && height[longest - 1] != first))
      throw Error(ExitCode::internal,
                  "jagged columns need their rows in descending order of length: apply row_order first");
    first += block_rows;
    std::fill_n(height.begin(), longest, first);
  }
  return height;
}

/// Sorts the rows of one window, first .. last - 1, into `order`: a counting sort, in which place[d] is where the next
/// row goes that is d shorter than the longest.
void sort_window(const Lengths& lengths, offset first, offset last, std::vector<offset>& place,
                 std::vector<lidx>& order) {
  const lidx longest = *std::max_element(lengths.begin() + first, lengths.begin() + last);
  place.assign(static_cast<std::size_t>(longest) + 2, first);
  for (offset row = first; row < last; ++row) ++place[longest - lengths[row] + 1];
  for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1] - first;
  for (offset row = first; row < last; ++row) order[place[longest - lengths[row]]++] = static_cast<lidx>(row);
}

/// The same for all rows as one window, by all threads: each counts and places the rows of one part.
void sort_as_one_window(const Lengths& lengths, std::vector<lidx>& order) {
  const offset rows = rows_of(lengths);
  const lidx longest = longest_of(lengths);
  const offset kinds = offset{longest} + 1;  // lengths that there may be
  const offset parts = std::clamp<offset>(rows / kinds, 1, omp_get_max_threads());
  std::vector<std::vector<offset>> place(static_cast<std::size_t>(parts));
  const auto rows_of_part = [&](offset part, const auto& visit) {
    for (offset row = rows * part / parts; row < rows * (part + 1) / parts; ++row)
      visit(place[part][longest - lengths[row]], row);
  };
  RegionFailure failure;
#pragma omp parallel for schedule(static)
  for (offset part = 0; part < parts; ++part)
    failure.guard([&] {
      place[part].assign(static_cast<std::size_t>(kinds), 0);
      rows_of_part(part, [](offset& count, offset) { ++count; });
    });
  failure.rethrow();
  offset placed = 0;
  for (offset kind = 0; kind < kinds; ++kind)
    for (std::vector<offset>& of_part : place) placed += std::exchange(of_part[kind], placed);
#pragma omp parallel for schedule(static)
  for (offset part = 0; part < parts; ++part)
    rows_of_part(part, [&](offset& next, offset row) { order[next++] = static_cast<lidx>(row); });
}

}  // namespace

std::vector<lidx> sorted_rows(const Lengths& lengths, lidx window) {
  if (window <= 1) return {};
  std::vector<lidx> order(lengths.size());
  if (window >= rows_of(lengths)) {
    sort_as_one_window(lengths, order);
    return order;
  }
  const offset windows = (rows_of(lengths) + window - 1) / window;
  RegionFailure failure;
#pragma omp parallel
  {
    std::vector<offset> place;
#pragma omp for schedule(dynamic, 16)
    for (offset w = 0; w < windows; ++w)
      failure.guard([&] {
        sort_window(lengths, w * window, std::min<offset>((w + 1) * window, rows_of(lengths)), place, order);
      });
  }
  failure.rethrow();
  return order;
}

StridedPlan plan_strided(const Lengths& lengths) {
  StridedPlan plan;
  plan.stride = rounded_up(rows_of(lengths), warp_size);
  plan.stored = plan.stride * longest_of(lengths);
  return plan;
}

JaggedPlan plan_jagged(const Lengths& lengths, lidx block_rows) {
  if (block_rows < 1)
    throw Error(ExitCode::usage, fmt::format("pJDS block rows must be at least 1, not {}", block_rows));
  JaggedPlan plan;
  for (const offset height : column_heights(lengths, block_rows)) {
    plan.col_start.push_back(plan.stored);
    plan.stored += height;
  }
  return plan;
}

SlicedPlan plan_sliced(const Lengths& lengths, lidx chunk_rows) {
  if (chunk_rows < 1 || (chunk_rows & (chunk_rows - 1)) != 0)
    throw Error(ExitCode::usage,
                fmt::format("the rows of a slice, C, must be a power of two, not {}", chunk_rows));
  SlicedPlan plan;
  while ((lidx{1} << plan.log2_rows) < chunk_rows) ++plan.log2_rows;
  plan.slice_ptr.push_back(0);
  for (const lidx longest : longest_of_groups(lengths, chunk_rows)) {
    plan.stored += offset{longest} * chunk_rows;
    plan.slice_ptr.push_back(plan.stored);
  }
  return plan;
}

}  // namespace spmv
