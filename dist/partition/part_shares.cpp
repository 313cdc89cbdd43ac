#include "dist/partition/part_shares.hpp"

#include <algorithm>
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

/// Which rank counts for which parts: even ranges.
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

/// The parts of these ascending columns; the ranks that have read them know. Collective.
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

/// The first of the ascending columns from `at` on that is not below `col`. Fast if it is near.
std::vector<gidx>::const_iterator seek(std::vector<gidx>::const_iterator at,
                                       std::vector<gidx>::const_iterator end, gidx col) {
  offset step = 1;
  while (step < end - at && at[step] < col) step *= 2;
  return std::lower_bound(at, at + std::min(step + 1, static_cast<offset>(end - at)), col);
}

/// All members of a share.
constexpr gidx PartShare::*members[] = {
    &PartShare::rows,
    &PartShare::nonzeros,
    &PartShare::columns,
    &PartShare::halo,
    &PartShare::neighbours,
    &PartShare::near_halo,
    &PartShare::near_neighbours,
    &PartShare::sent,
    &PartShare::sampled_rows,
    &PartShare::sampled_nonzeros,
    &PartShare::boundary_rows,
    &PartShare::boundary_nonzeros,
    &PartShare::nonlocal_nonzeros,
};
static_assert(sizeof(PartShare) == std::size(members) * sizeof(gidx));

/// This rank's rows in the sample: those whose number, as read, is a multiple of a stride.
std::vector<std::size_t> sampled_rows(const Communicator& communicator, const Pattern& pattern) {
  constexpr gidx enough = 65536;
  // Lines and planes of grids have such lengths: a stride with one of these factors would meet the same places again and again.
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

/// Counts a sampled row; `nonlocal` of its nonzeros refer to the halo.
void count_sampled(PartShare& part, gidx nonzeros, gidx nonlocal) {
  ++part.sampled_rows;
  part.sampled_nonzeros += nonzeros;
  if (nonlocal == 0) return;
  ++part.boundary_rows;
  part.boundary_nonzeros += nonzeros;
  part.nonlocal_nonzeros += nonlocal;
}

/// Counts boundary rows in the sample. Collective.
void count_boundaries(const Communicator& communicator, const Pattern& pattern, const Assignment& assignment,
                      std::vector<PartShare>& counts) {
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

/// Counts this rank's part if all ranks keep their rows: then pattern.cols tells the owner of every column. Local.
void count_own(const Communicator& communicator, const Pattern& pattern, int per_node,
               std::vector<PartShare>& counts) {
  const int rank = communicator.rank();
  const gidx first = pattern.cols.first(rank), count = pattern.cols.count(rank);
  const auto is_own = [=](gidx col) { return col >= first && col < first + count; };
  PartShare& mine = counts[static_cast<std::size_t>(rank)];
  mine.rows = static_cast<gidx>(pattern.row_ptr.size()) - 1;
  mine.nonzeros = pattern.row_ptr.back();

  ColumnSet own(first, count);
#pragma omp parallel for schedule(static)
  for (const gidx col : pattern.col)
    if (is_own(col)) own.add(col);
  const std::vector<gidx> halo = columns_outside(pattern.col, first, count);
  mine.columns = own.size() + static_cast<gidx>(halo.size());
  int previous = -1;
  for (const gidx col : halo) {
    const int owner = pattern.cols.owner(col);
    const bool near = owner / per_node == rank / per_node;
    const bool is_new = std::exchange(previous, owner) != owner;
    ++mine.halo;
    ++counts[static_cast<std::size_t>(owner)].sent;
    mine.near_halo += near;
    mine.neighbours += is_new;
    mine.near_neighbours += is_new && near;
  }
  for (const std::size_t row : sampled_rows(communicator, pattern)) {
    const auto begin = pattern.col.begin() + pattern.row_ptr[row];
    const auto end = pattern.col.begin() + pattern.row_ptr[row + 1];
    count_sampled(mine, end - begin, (end - begin) - std::count_if(begin, end, is_own));
  }
}

}  // namespace

std::vector<PartShare> sum_of_shares(const Communicator& communicator, const std::vector<PartShare>& mine) {
  std::vector<gidx> numbers;
  for (const PartShare& share : mine)
    for (const auto member : members) numbers.push_back(share.*member);
  numbers = communicator.sum(std::move(numbers));
  std::vector<PartShare> sums(mine.size());
  auto number = numbers.begin();
  for (PartShare& share : sums)
    for (const auto member : members) share.*member = *number++;
  return sums;
}

std::vector<PartShare> examine(const Communicator& communicator, const Pattern& pattern,
                               const Assignment& assignment, int parts, int per_node) {
  std::vector<PartShare> counts(static_cast<std::size_t>(parts), PartShare{});
  if (everyone_stays(communicator, pattern, assignment, parts)) {
    count_own(communicator, pattern, per_node, counts);
    return sum_of_shares(communicator, counts);
  }
  for (std::size_t row = 0; row < assignment.rows.size(); ++row) {
    PartShare& part = counts[static_cast<std::size_t>(assignment.rows[row])];
    ++part.rows;
    part.nonzeros += pattern.row_ptr[row + 1] - pattern.row_ptr[row];
  }
  ColumnSet set(0, pattern.cols.total());
  const std::vector<Needs> needs = gather_needs(communicator, pattern, by_part(assignment.rows, parts),
                                                counting_ranks(parts, communicator.size()), set);
  const std::vector<gidx> columns = all_columns(needs, set);
  const std::vector<int> owners = parts_of_columns(communicator, pattern, assignment, columns);
  std::vector<std::size_t> counted_for(static_cast<std::size_t>(parts),
                                       counts.size());  // as neighbour of which part
  for (const Needs& n : needs) {
    counts[n.part].columns = static_cast<gidx>(n.columns.size());
    auto at = columns.begin();
    for (const gidx col : n.columns) {
      at = seek(at, columns.end(), col);
      const auto owner = static_cast<std::size_t>(owners[static_cast<std::size_t>(at - columns.begin())]);
      if (owner == n.part) continue;
      const bool near =
          owner / static_cast<std::size_t>(per_node) == n.part / static_cast<std::size_t>(per_node);
      const bool is_new = std::exchange(counted_for[owner], n.part) != n.part;
      ++counts[n.part].halo;
      ++counts[owner].sent;
      counts[n.part].near_halo += near;
      counts[n.part].neighbours += is_new;
      counts[n.part].near_neighbours += is_new && near;
    }
  }
  count_boundaries(communicator, pattern, assignment, counts);
  return sum_of_shares(communicator, counts);
}

double sectors_per_nonzero(const Communicator& communicator, const Pattern& pattern, gidx sector_elements) {
  constexpr std::size_t enough = 512;  // slices of a rank
  // Slices with hubs are left out: they say little about the others, and take longer than all of them.
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

}  // namespace spmv
