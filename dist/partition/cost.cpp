#include "dist/partition/cost.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "dist/prepare/column_set.hpp"
#include "dist/prepare/fetch_elements.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

/// This rank's rows, from 0, ordered by part, and where each part's begin.
struct RowsByPart {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> first;
};

RowsByPart by_part(const std::vector<int>& part, int parts) {
  RowsByPart sorted{std::vector<std::size_t>(part.size()),
                    std::vector<std::size_t>(static_cast<std::size_t>(parts) + 1, 0)};
  for (const int p : part) ++sorted.first[static_cast<std::size_t>(p) + 1];
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  std::vector<std::size_t> next = sorted.first;
  for (std::size_t row = 0; row < part.size(); ++row)
    sorted.rows[next[static_cast<std::size_t>(part[row])]++] = row;
  return sorted;
}

/// Columns that a part's rows need, ascending.
struct Needs {
  std::size_t part = 0;
  std::vector<gidx> columns;
};

/// Parts are dealt out in ranges: who counts for which.
RowPartition counting_ranks(int parts, int ranks) {
  return RowPartition::even(parts, ranks);
}

/// Needs of the parts that this rank counts for; `set` is for all columns, without members. Collective.
std::vector<Needs> gather_needs(const Communicator& communicator, const Pattern& pattern,
                                const RowsByPart& sorted, const RowPartition& counting, ColumnSet& set) {
  std::vector<gidx> needed;
  std::vector<offset> lengths, counts(static_cast<std::size_t>(communicator.size()), 0);
  for (std::size_t part = 0; part + 1 < sorted.first.size(); ++part) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (std::size_t r = sorted.first[part]; r < sorted.first[part + 1]; ++r)
      for (offset k = pattern.row_ptr[sorted.rows[r]]; k < pattern.row_ptr[sorted.rows[r] + 1]; ++k)
        set.add(pattern.col[static_cast<std::size_t>(k)]);
    const std::vector<gidx> columns = set.take();
    lengths.push_back(static_cast<offset>(columns.size()));
    counts[static_cast<std::size_t>(counting.owner(static_cast<gidx>(part)))] += lengths.back();
    needed.insert(needed.end(), columns.begin(), columns.end());
  }
  std::vector<offset> parts_of_rank;
  parts_of_rank.reserve(static_cast<std::size_t>(counting.ranks()));
  for (int r = 0; r < counting.ranks(); ++r) parts_of_rank.push_back(counting.count(r));
  const auto received = communicator.all_to_all(needed, counts);
  const std::vector<offset> received_lengths = communicator.all_to_all(lengths, parts_of_rank).data;

  // From every rank the lists of this rank's parts, one after the other.
  const auto mine = static_cast<std::size_t>(counting.count(communicator.rank()));
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<offset> begin(1, 0);
  for (const offset length : received_lengths) begin.push_back(begin.back() + length);
  std::vector<Needs> all;
  for (std::size_t p = 0; p < mine; ++p) {
    for (std::size_t r = 0; r < ranks; ++r)
      for (offset k = begin[r * mine + p]; k < begin[r * mine + p + 1]; ++k)
        set.add(received.data[static_cast<std::size_t>(k)]);
    all.push_back({static_cast<std::size_t>(counting.first(communicator.rank())) + p, set.take()});
  }
  return all;
}

/// The parts that these columns, ascending, are assigned to, asked of those that know: who reads them. Collective.
std::vector<int> parts_of_columns(const Communicator& communicator, const Pattern& pattern,
                                  const Assignment& assignment, const std::vector<gidx>& columns) {
  const std::vector<int>& mine = pattern.square() ? assignment.rows : assignment.cols;
  return FetchedElements<int>(communicator, pattern.cols, mine, columns).all();
}

/// The columns of all needs that any of them has, ascending; `set` is for all columns, without members.
std::vector<gidx> all_columns(const std::vector<Needs>& needs, ColumnSet& set) {
  if (needs.size() == 1) return needs.front().columns;
  for (const Needs& n : needs)
    for (const gidx col : n.columns) set.add(col);
  return set.take();
}

/// The first of the ascending columns from `at` on that is `col` or beyond: soon found where it is near.
std::vector<gidx>::const_iterator seek(std::vector<gidx>::const_iterator at,
                                       std::vector<gidx>::const_iterator end, gidx col) {
  offset step = 1;
  while (step < end - at && at[step] < col) step *= 2;
  return std::lower_bound(at, at + std::min(step + 1, static_cast<offset>(end - at)), col);
}

/// PartShare as numbers that can be added up.
enum At : std::size_t {
  rows_at,
  nonzeros_at,
  columns_at,
  halo_at,
  neighbours_at,
  near_halo_at,
  near_neighbours_at,
  sent_at,
  sampled_rows_at,
  sampled_nonzeros_at,
  boundary_rows_at,
  boundary_nonzeros_at,
  nonlocal_at,
  counts_in_all
};
using Counts = std::array<gidx, counts_in_all>;

/// Collective.
std::vector<PartShare> sum_up(const Communicator& communicator, const std::vector<Counts>& mine) {
  std::vector<gidx> sums;
  for (const Counts& part : mine) sums.insert(sums.end(), part.begin(), part.end());
  sums = communicator.sum(std::move(sums));
  std::vector<PartShare> shares;
  for (auto c = sums.begin(); c != sums.end(); c += counts_in_all)
    shares.push_back({c[rows_at], c[nonzeros_at], c[columns_at], c[halo_at], c[neighbours_at],
                      c[near_halo_at], c[near_neighbours_at], c[sent_at], c[sampled_rows_at],
                      c[sampled_nonzeros_at], c[boundary_rows_at], c[boundary_nonzeros_at], c[nonlocal_at]});
  return shares;
}

/// This rank's rows that are looked at for boundaries: those whose number, as read, is a multiple of a stride, so that the
/// whole matrix has about so many.
std::vector<std::size_t> sampled_rows(const Communicator& communicator, const Pattern& pattern) {
  constexpr gidx enough = 65536;
  // Of the lengths of lines and planes of grids: a stride that shares one meets the same places of them again and again.
  constexpr gidx small_factors = gidx{2} * 3 * 5 * 7;
  gidx stride = std::max<gidx>(1, pattern.rows.total() / enough);
  while (std::gcd(stride, small_factors) > 1) ++stride;
  const gidx first = pattern.rows.first(communicator.rank());
  const auto count = pattern.row_ptr.size() - 1;
  std::vector<std::size_t> rows;
  for (auto row = static_cast<std::size_t>((stride - first % stride) % stride); row < count;
       row += static_cast<std::size_t>(stride))
    rows.push_back(row);
  return rows;
}

/// Counts a sampled row of so many nonzeros, of which so many refer to the halo.
void count_sampled(Counts& part, gidx nonzeros, gidx nonlocal) {
  ++part[sampled_rows_at];
  part[sampled_nonzeros_at] += nonzeros;
  if (nonlocal == 0) return;
  ++part[boundary_rows_at];
  part[boundary_nonzeros_at] += nonzeros;
  part[nonlocal_at] += nonlocal;
}

/// Counts what of the sampled rows waits for the halo. Collective.
void count_boundaries(const Communicator& communicator, const Pattern& pattern, const Assignment& assignment,
                      std::vector<Counts>& counts) {
  const std::vector<std::size_t> rows = sampled_rows(communicator, pattern);
  std::vector<gidx> columns;
  for (const std::size_t row : rows)
    columns.insert(columns.end(), pattern.col.begin() + pattern.row_ptr[row],
                   pattern.col.begin() + pattern.row_ptr[row + 1]);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const std::vector<int> owners = parts_of_columns(communicator, pattern, assignment, columns);
  for (const std::size_t row : rows) {
    const int part = assignment.rows[row];
    const auto begin = pattern.col.begin() + pattern.row_ptr[row];
    const auto end = pattern.col.begin() + pattern.row_ptr[row + 1];
    const gidx nonlocal = std::count_if(begin, end, [&](gidx col) {
      const auto at = std::lower_bound(columns.begin(), columns.end(), col) - columns.begin();
      return owners[static_cast<std::size_t>(at)] != part;
    });
    count_sampled(counts[static_cast<std::size_t>(part)], end - begin, nonlocal);
  }
}

/// Whether every rank keeps its rows, and with them its columns. Collective.
bool everyone_stays(const Communicator& communicator, const Pattern& pattern, const Assignment& assignment,
                    int parts) {
  const int rank = communicator.rank();
  const bool stays =
      parts == communicator.size() && pattern.square() &&
      std::all_of(assignment.rows.begin(), assignment.rows.end(), [&](int part) { return part == rank; });
  return communicator.all_of(stays);
}

/// Counts the part of this rank, where everyone stays: whose a column is needs no asking. Local.
void count_own(const Communicator& communicator, const Pattern& pattern, int per_node,
               std::vector<Counts>& counts) {
  const int rank = communicator.rank();
  const gidx first = pattern.cols.first(rank), count = pattern.cols.count(rank);
  const auto is_own = [=](gidx col) { return col >= first && col < first + count; };
  Counts& mine = counts[static_cast<std::size_t>(rank)];
  mine[rows_at] = static_cast<gidx>(pattern.row_ptr.size()) - 1;
  mine[nonzeros_at] = pattern.row_ptr.back();

  ColumnSet own(first, count);
#pragma omp parallel for schedule(static)
  for (const gidx col : pattern.col)
    if (is_own(col)) own.add(col);
  const std::vector<gidx> halo = columns_outside(pattern.col, first, count);
  mine[columns_at] = own.size() + static_cast<gidx>(halo.size());
  int previous = -1;
  for (const gidx col : halo) {
    const int owner = pattern.cols.owner(col);
    const bool near = owner / per_node == rank / per_node;
    const bool is_new = std::exchange(previous, owner) != owner;
    ++mine[halo_at];
    ++counts[static_cast<std::size_t>(owner)][sent_at];
    mine[near_halo_at] += near;
    mine[neighbours_at] += is_new;
    mine[near_neighbours_at] += is_new && near;
  }
  for (const std::size_t row : sampled_rows(communicator, pattern)) {
    const auto begin = pattern.col.begin() + pattern.row_ptr[row];
    const auto end = pattern.col.begin() + pattern.row_ptr[row + 1];
    count_sampled(mine, end - begin, (end - begin) - std::count_if(begin, end, is_own));
  }
}

double seconds(double rows, double nonzeros, const ProductRates& rates) {
  return (nonzeros * rates.nonzero_bytes + rows * rates.row_bytes) / rates.memory;
}

}  // namespace

std::vector<PartShare> examine(const Communicator& communicator, const Pattern& pattern,
                               const Assignment& assignment, int parts, int per_node) {
  std::vector<Counts> counts(static_cast<std::size_t>(parts), Counts{});
  if (everyone_stays(communicator, pattern, assignment, parts)) {
    count_own(communicator, pattern, per_node, counts);
    return sum_up(communicator, counts);
  }
  for (std::size_t row = 0; row < assignment.rows.size(); ++row) {
    Counts& part = counts[static_cast<std::size_t>(assignment.rows[row])];
    ++part[rows_at];
    part[nonzeros_at] += pattern.row_ptr[row + 1] - pattern.row_ptr[row];
  }
  ColumnSet set(0, pattern.cols.total());
  const std::vector<Needs> needs = gather_needs(communicator, pattern, by_part(assignment.rows, parts),
                                                counting_ranks(parts, communicator.size()), set);
  const std::vector<gidx> columns = all_columns(needs, set);
  const std::vector<int> owners = parts_of_columns(communicator, pattern, assignment, columns);
  std::vector<std::size_t> counted_for(static_cast<std::size_t>(parts),
                                       counts.size());  // as neighbour of which part
  for (const Needs& n : needs) {
    counts[n.part][columns_at] = static_cast<gidx>(n.columns.size());
    auto at = columns.begin();
    for (const gidx col : n.columns) {
      at = seek(at, columns.end(), col);
      const auto owner = static_cast<std::size_t>(owners[static_cast<std::size_t>(at - columns.begin())]);
      if (owner == n.part) continue;
      const bool near =
          owner / static_cast<std::size_t>(per_node) == n.part / static_cast<std::size_t>(per_node);
      const bool is_new = std::exchange(counted_for[owner], n.part) != n.part;
      ++counts[n.part][halo_at];
      ++counts[owner][sent_at];
      counts[n.part][near_halo_at] += near;
      counts[n.part][neighbours_at] += is_new;
      counts[n.part][near_neighbours_at] += is_new && near;
    }
  }
  count_boundaries(communicator, pattern, assignment, counts);
  return sum_up(communicator, counts);
}

double sectors_per_nonzero(const Communicator& communicator, const Pattern& pattern, gidx sector_elements) {
  constexpr std::size_t enough = 512;  // slices of a rank
  // Slices of hubs tell little of the others, and take longer than all of them: they are passed over.
  constexpr offset far_more = 32;  // times the mean
  const std::size_t rows = pattern.row_ptr.size() - 1;
  const std::size_t stride = slice_rows * (rows / (slice_rows * enough) + 1);
  const offset most =
      far_more *
      (slice_rows * pattern.row_ptr.back() / std::max<offset>(std::ssize(pattern.row_ptr) - 1, 1) + 1);
  gidx nonzeros = 0, different = 0;
  std::vector<gidx> sectors;
  for (std::size_t row = 0; row < rows; row += stride) {
    const auto begin = pattern.col.begin() + pattern.row_ptr[row];
    const auto end = pattern.col.begin() + pattern.row_ptr[std::min(row + slice_rows, rows)];
    if (end - begin > most) continue;
    sectors.clear();
    std::transform(begin, end, std::back_inserter(sectors), [=](gidx col) { return col / sector_elements; });
    std::sort(sectors.begin(), sectors.end());
    different += std::unique(sectors.begin(), sectors.end()) - sectors.begin();
    nonzeros += end - begin;
  }
  const std::vector<gidx> sums = communicator.sum(std::vector<gidx>{different, nonzeros});
  return static_cast<double>(sums[0]) / static_cast<double>(std::max<gidx>(sums[1], 1));
}

BoundaryShare boundary_of(const PartShare& share) {
  const auto rows = static_cast<double>(share.rows), nonzeros = static_cast<double>(share.nonzeros);
  if (share.sampled_nonzeros > 0) {
    const double row_scale = rows / static_cast<double>(share.sampled_rows);
    const double scale = nonzeros / static_cast<double>(share.sampled_nonzeros);
    return {static_cast<double>(share.boundary_rows) * row_scale,
            static_cast<double>(share.boundary_nonzeros) * scale,
            static_cast<double>(share.nonlocal_nonzeros) * scale};
  }
  if (share.columns == 0 || share.rows == 0) return {};
  const double nonlocal = nonzeros * static_cast<double>(share.halo) / static_cast<double>(share.columns);
  const double boundary_rows = std::min(rows, nonlocal);
  return {boundary_rows, nonzeros * boundary_rows / rows, nonlocal};
}

double predicted_product(const std::vector<PartShare>& shares, const ProductRates& rates) {
  // Gathered, stored where it arrives, and perhaps copied from there: read and written on both sides.
  constexpr double moves_of_halo = 4;
  double slowest = 0;
  for (const PartShare& s : shares) {
    const auto rows = static_cast<double>(s.rows), nonzeros = static_cast<double>(s.nonzeros);
    const double halo_bytes = static_cast<double>(s.halo) * rates.element_bytes;
    const double exchange = halo_bytes / rates.exchange + static_cast<double>(s.neighbours) * rates.message_s;
    const double beside = moves_of_halo * halo_bytes / rates.memory, read = halo_bytes / rates.memory;
    const BoundaryShare boundary = boundary_of(s);
    const double split = std::max(exchange, seconds(rows, nonzeros - boundary.nonlocal, rates) + beside) +
                         seconds(boundary.rows, boundary.nonlocal, rates);
    const double parted =
        std::max(exchange, seconds(rows - boundary.rows, nonzeros - boundary.nonzeros, rates) + beside) +
        seconds(boundary.rows, boundary.nonzeros, rates);
    const double merged = exchange + seconds(rows, nonzeros, rates);
    slowest = std::max(slowest, read + std::min({split, parted, merged}));
  }
  return slowest;
}

double most_of_a_product(const PartShare& part, const ProductRates& rates) {
  const double halo_bytes = static_cast<double>(part.halo) * rates.element_bytes;
  return halo_bytes / rates.exchange + static_cast<double>(part.neighbours) * rates.message_s +
         halo_bytes / rates.memory +
         seconds(static_cast<double>(part.rows), static_cast<double>(part.nonzeros), rates);
}

double least_product(const std::vector<PartShare>& shares, const ProductRates& rates) {
  PartShare all;
  for (const PartShare& s : shares) {
    all.rows += s.rows;
    all.nonzeros += s.nonzeros;
  }
  return seconds(static_cast<double>(all.rows), static_cast<double>(all.nonzeros), rates) /
         static_cast<double>(std::max<std::size_t>(shares.size(), 1));
}

}  // namespace spmv
