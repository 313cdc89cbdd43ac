#include "kernels/tune/analysis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/alike_rows.hpp"
#include "core/value_types.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/parts/column_groups.hpp"
#include "kernels/parts/slice_sample.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/row_lengths.hpp"

namespace spmv {
namespace {

void analyze_lengths(Analysis& a, const std::vector<offset>& row_ptr) {
  LengthCounts sums = sum_up_lengths(row_ptr);
  a.changes_of_length = sums.changes;
  a.rows_of_length = std::move(sums.rows_of_length);
  a.longest = static_cast<lidx>(a.rows_of_length.size()) - 1;
  if (a.rows > 0) a.mean_length = static_cast<double>(a.nonzeros) / a.rows;
  double squares = 0;
  for (std::size_t l = 0; l < a.rows_of_length.size(); ++l)
    squares += static_cast<double>(a.rows_of_length[l]) * std::pow(static_cast<double>(l) - a.mean_length, 2);
  if (a.rows > 0) a.length_sigma = std::sqrt(squares / a.rows);
  // Sorting within a slice changes nothing.
  a.orders = {{1, sums.iterations},
              {slice_rows, sums.iterations},
              {sorting_window, sums.iterations_in_windows},
              {std::max(a.rows, 2 * sorting_window), iterations_sorted(a.rows_of_length)}};
}

/// Sums over the slices looked at.
struct SliceTotals {
  double nonzeros = 0;
  std::array<double, 4> columns{};  // by ColumnKind
  std::array<double, 4> values{};   // by ValueKind
  double constant_diagonals = 0;
  double distance8 = 0;
  double distance16 = 0;
  double sectors = 0;
  double least_sectors = 0;
  double different_sectors = 0;
  double exact_in_float = 0;
  double alike = 0;
  double compared = 0;  // those of rows whose row before is of the same slice
  double near = 0;      // to the element before, of all that have one in their row
  double pairs = 0;
  double half_warp_elements = 0;
  double strips = 0;
  BlockCounts blocks;

  void add(const SliceTotals& other) {
    nonzeros += other.nonzeros;
    for (std::size_t kind = 0; kind < columns.size(); ++kind) {
      columns[kind] += other.columns[kind];
      values[kind] += other.values[kind];
    }
    constant_diagonals += other.constant_diagonals;
    distance8 += other.distance8;
    distance16 += other.distance16;
    sectors += other.sectors;
    least_sectors += other.least_sectors;
    different_sectors += other.different_sectors;
    exact_in_float += other.exact_in_float;
    alike += other.alike;
    compared += other.compared;
    near += other.near;
    pairs += other.pairs;
    half_warp_elements += other.half_warp_elements;
    strips += other.strips;
    blocks.add(other.blocks);
  }
};

/// Columns and values of the slice of rows first .. last - 1.
template <class T>
void look_at_slice(const Csr<T>& block, offset first, offset last, SliceTotals& sums) {
  const auto nonzeros = static_cast<double>(block.row_ptr[last] - block.row_ptr[first]);
  sums.nonzeros += nonzeros;
  offset widest = 0;
  for (offset j = 0, active = 1; active > 0; ++j) {
    active = 0;
    lidx low = 0, high = 0, previous_sector = -1;
    for (offset row = first; row < last; ++row) {
      if (j >= block.row_ptr[row + 1] - block.row_ptr[row]) continue;
      const lidx col = block.col[block.row_ptr[row] + j];
      if (active == 0) low = high = col;
      low = std::min(low, col);
      high = std::max(high, col);
      const auto sector = static_cast<lidx>(static_cast<std::size_t>(col) * sizeof(T) / sector_bytes);
      sums.sectors += sector != previous_sector ? 1 : 0;
      previous_sector = sector;
      ++active;
    }
    widest = std::max<offset>(widest, high - low);
    const std::size_t least_sectors = (active * sizeof(T) + sector_bytes - 1) / sector_bytes;
    sums.least_sectors += static_cast<double>(least_sectors);
  }
  sums.distance8 += widest <= most_distance8 ? nonzeros : 0;
  sums.distance16 += widest <= most_distance16 ? nonzeros : 0;
  const auto begin = block.value.begin();
  if (std::all_of(begin + block.row_ptr[first], begin + block.row_ptr[last],
                  [](const T& value) { return fits_half(value); }))
    sums.exact_in_float += nonzeros;
}

/// What sell_packed makes of the slice of rows first .. last - 1: its own rule is asked.
template <class T>
void look_at_kinds(const PackSource<T>& source, offset first, offset last, SliceTotals& sums) {
  const Slice slice = classify_slice(source, static_cast<lidx>(first / slice_rows));
  const auto nonzeros = static_cast<double>(source.from.row_ptr[last] - source.from.row_ptr[first]);
  sums.columns[static_cast<std::size_t>(slice.columns())] += nonzeros;
  sums.values[static_cast<std::size_t>(slice.values())] += nonzeros;
  if (slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant)
    sums.constant_diagonals += nonzeros;
}

template <class T>
void look_at_alike_rows(const Csr<T>& block, offset first, offset last, SliceTotals& sums) {
  for (offset row = first + 1; row < last; ++row) {
    const auto nonzeros = static_cast<double>(block.row_ptr[row + 1] - block.row_ptr[row]);
    sums.compared += nonzeros;
    sums.alike += has_columns_of_row_before(block, static_cast<std::size_t>(row)) ? nonzeros : 0;
  }
}

template <class T>
void look_at_neighbours(const Csr<T>& block, offset first, offset last, SliceTotals& sums) {
  for (offset row = first; row < last; ++row) {
    const offset end = block.row_ptr[row + 1];
    offset near = 0;
    for (offset k = block.row_ptr[row] + 1; k < end; ++k) near += is_near_the_one_before(block, k) ? 1 : 0;
    sums.near += static_cast<double>(near);
    sums.pairs += static_cast<double>(std::max<offset>(end - block.row_ptr[row] - 1, 0));
  }
}

template <class T>
void look_at_strips(const Csr<T>& block, offset first, offset last, SliceTotals& sums,
                    GroupScratch& scratch) {
  for (offset row = first; row < last; row += half_warp) {
    const offset end = std::min<offset>(row + half_warp, last);
    sums.strips += static_cast<double>(count_groups(block, row, end, strip_cols, scratch));
    for (offset r = row; r < end; ++r) {
      std::vector<lidx>& cols = scratch.cols;
      cols.assign(block.col.begin() + block.row_ptr[r], block.col.begin() + block.row_ptr[r + 1]);
      if (!std::is_sorted(cols.begin(), cols.end())) std::sort(cols.begin(), cols.end());
      for (std::size_t k = 0; k < cols.size();) {
        const lidx strip = cols[k] / strip_cols;
        std::size_t count = 0;
        while (k < cols.size() && cols[k] / strip_cols == strip) ++count, ++k;
        const std::size_t whole = (count + half_warp - 1) / half_warp * half_warp;
        sums.half_warp_elements += static_cast<double>(whole);
      }
    }
  }
}

/// The different values of these slices, and of nonzeros everywhere: few slices may have few values where the block has
/// many.
template <class T>
std::vector<T> few_values_of(const Csr<T>& block, const SliceSample<T>& sample) {
  constexpr offset everywhere = 1 << 12;
  const offset stride =
      block.nonzeros() / everywhere | 1;  // odd: it meets every place in rows of most lengths
  std::vector<T> spread;
  for (offset k = 0; k < block.nonzeros(); k += stride) spread.push_back(block.value[k]);
  return few_values_of_parts<T>(sample.count() + 1, [&](offset number) {
    if (number == sample.count()) return ValueRange<T>{spread.data(), spread.data() + spread.size()};
    const offset first = sample.first_row(number);
    return ValueRange<T>{block.value.data() + block.row_ptr[first],
                         block.value.data() + block.row_ptr[sample.end_of(first)]};
  });
}

/// What is said of the whole block from these slices, which have nonzeros.
void take_shares(const SliceTotals& sums, Analysis& a) {
  const double all = static_cast<double>(a.nonzeros) / sums.nonzeros;
  for (std::size_t kind = 0; kind < sums.columns.size(); ++kind) {
    a.share_by_columns[kind] = sums.columns[kind] / sums.nonzeros;
    a.share_by_values[kind] = sums.values[kind] / sums.nonzeros;
  }
  a.constant_share = sums.constant_diagonals / sums.nonzeros;
  a.distance8_share = sums.distance8 / sums.nonzeros;
  a.distance16_share = sums.distance16 / sums.nonzeros;
  a.gather_sectors = sums.sectors / sums.least_sectors;
  a.sectors_per_nonzero = sums.different_sectors / sums.nonzeros;
  a.alike_share = sums.compared > 0 ? sums.alike / sums.compared : 0;
  a.near_share = sums.pairs > 0 ? sums.near / sums.pairs : 0;
  a.float_share = sums.exact_in_float / sums.nonzeros;
  a.half_warp_elements = static_cast<offset>(sums.half_warp_elements * all);
  a.strips = static_cast<offset>(sums.strips * all);
}

}  // namespace

offset Analysis::iterations(lidx window) const {
  offset found = 0;
  for (const SortOrder& order : orders)
    if (order.window <= std::max(window, lidx{1})) found = order.iterations;
  return found;
}

template <class T>
Analysis analyze(const Csr<T>& block, const AnalysisDepth& depth) {
  Analysis a;
  a.rows = block.rows;
  a.cols = block.cols;
  a.nonzeros = block.nonzeros();
  a.value_bytes = sizeof(T);
  a.complex_values = is_complex<T>;
  analyze_lengths(a, block.row_ptr);

  const SliceSample<T> sample(block, depth.most_slices);
  const std::vector<T> dictionary =
      sorted_dictionary(depth.all_values ? few_values(block.value) : few_values_of(block, sample));
  a.distinct_values = static_cast<int>(dictionary.size());
  if (a.distinct_values == 0 && a.nonzeros > 0) a.distinct_values = most_dictionary_values + 1;
  const PackSource<T> source{block_on_host(block, {}), 1, dictionary.data(),
                             static_cast<int>(dictionary.size())};
  const auto sums = sum_over_slices<SliceTotals>(
      sample, [&](offset first, offset last, SliceTotals& mine, GroupScratch& scratch) {
        look_at_slice(block, first, last, mine);
        mine.different_sectors += static_cast<double>(count_sectors(block, first, last, scratch));
        look_at_kinds(source, first, last, mine);
        look_at_alike_rows(block, first, last, mine);
        look_at_neighbours(block, first, last, mine);
        if (!depth.blocks) return;
        count_blocks(block, first, last, mine.blocks, scratch);
        look_at_strips(block, first, last, mine, scratch);
      });
  if (sums.nonzeros > 0) take_shares(sums, a);
  if (depth.blocks) a.block_covers = sums.blocks.covers(a.nonzeros);
  return a;
}

double vector_bytes(const Analysis& a) {
  return vector_bytes(a.rows, a.cols, a.value_bytes);
}

double row_iterations(const Analysis& a, int threads_per_row, lidx window) {
  // A warp holds 32 / T rows of T threads each; with T = 32 no row waits for another.
  double whole = 0;
  for (std::size_t l = 0; l < a.rows_of_length.size(); ++l)
    whole += static_cast<double>(a.rows_of_length[l]) * std::ceil(static_cast<double>(l) / threads_per_row) *
             threads_per_row / warp_size;
  const double waiting =
      static_cast<double>(a.iterations(window)) - static_cast<double>(a.nonzeros) / warp_size;
  return whole + waiting / threads_per_row;
}

SPMV_INSTANTIATE(analyze);

}  // namespace spmv
