#include "app/run/collect_pictures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/value_types.hpp"
#include "dist/prepare/fetch_elements.hpp"

namespace spmv {
namespace {

std::size_t cell_of(gidx id, gidx length, int side) {
  // Lengths beyond 2^57 would overflow the product; no matrix has so many rows.
  return length > 0 ? static_cast<std::size_t>(id * side / length) : 0;
}

/// The ids, as `ids` numbers them, of all columns that this rank's block refers to: its own, then its ghosts.
template <class T>
std::vector<std::uint8_t> column_cells(const DistributedRows<T>& rows, const std::vector<gidx>& own,
                                       const std::vector<gidx>& ghosts, int side) {
  std::vector<std::uint8_t> cells;
  cells.reserve(own.size() + ghosts.size());
  for (const std::vector<gidx>* ids : {&own, &ghosts})
    for (const gidx id : *ids) cells.push_back(static_cast<std::uint8_t>(cell_of(id, rows.shape.cols, side)));
  return cells;
}

/// The grid of all ranks' rows; `row_ids` and `col_cells` are this rank's. Collective.
template <class T>
SpyGrid spy(const Communicator& communicator, const DistributedRows<T>& rows,
            const std::vector<gidx>& row_ids, const std::vector<std::uint8_t>& col_cells, gidx every_row) {
  SpyGrid grid;
  grid.side = spy_side(rows.shape);
  const auto side = static_cast<std::size_t>(grid.side);
  std::vector<gidx> mine(side * side, 0);
  for (gidx row = 0; row < rows.block.rows; row += every_row) {
    const auto i = static_cast<std::size_t>(row);
    const std::size_t first = cell_of(row_ids[i], rows.shape.rows, grid.side) * side;
    for (offset k = rows.block.row_ptr[i]; k < rows.block.row_ptr[i + 1]; ++k)
      ++mine[first + col_cells[static_cast<std::size_t>(rows.block.col[static_cast<std::size_t>(k)])]];
  }
  // The largest count of any rank, and which rank has it, in one number: exact below 2^53.
  const double ranks = communicator.size();
  std::vector<double> claims;
  for (const gidx count : mine)
    claims.push_back(count > 0 ? static_cast<double>(count) * ranks + (ranks - 1 - communicator.rank()) : -1);
  claims = communicator.max(claims);
  grid.nonzeros = communicator.sum(std::move(mine));
  for (const double claim : claims) {
    const auto number = static_cast<gidx>(claim);
    grid.rank.push_back(claim < 0 ? -1
                                  : communicator.size() - 1 - static_cast<int>(number % communicator.size()));
  }
  return grid;
}

/// Collective.
template <class T>
std::vector<RowLengthClass> row_lengths(const Communicator& communicator, const Csr<T>& block) {
  gidx shortest = std::numeric_limits<gidx>::max(), longest = -1;
  for (lidx row = 0; row < block.rows; ++row) {
    shortest = std::min<gidx>(shortest, block.row_length(row));
    longest = std::max<gidx>(longest, block.row_length(row));
  }
  shortest = communicator.min(shortest);
  longest = communicator.max(longest);
  if (longest < 0) return {};
  std::vector<RowLengthClass> classes = row_length_classes(shortest, longest);
  std::vector<gidx> counts(classes.size(), 0);
  for (lidx row = 0; row < block.rows; ++row) {
    const auto found = std::partition_point(classes.begin(), classes.end(), [&](const RowLengthClass& c) {
      return c.to < block.row_length(row);
    });
    ++counts[static_cast<std::size_t>(found - classes.begin())];
  }
  counts = communicator.sum(std::move(counts));
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i].rows = counts[i];
  std::erase_if(classes, [](const RowLengthClass& c) { return c.rows == 0; });
  return classes;
}

int per_block(int ranks, int most_blocks) {
  return (ranks + most_blocks - 1) / most_blocks;
}

/// What a product sends, by blocks of ranks. Adds to `mine` what it counts on the way. Collective.
template <class T>
void collect_communication(const Communicator& communicator, const DistributedRows<T>& rows,
                           Pictures& pictures, PartShare& mine) {
  const int ranks = communicator.size();
  pictures.ranks_per_block = per_block(ranks, Pictures::most_cells);
  const auto blocks = static_cast<std::size_t>(per_block(ranks, pictures.ranks_per_block));
  std::vector<gidx> bytes(blocks * blocks, 0);
  const auto to = static_cast<std::size_t>(communicator.rank() / pictures.ranks_per_block);
  int last_owner = -1;
  for (const gidx ghost : rows.ghosts) {  // ascending, so that those of one owner lie together
    const int owner =
        last_owner >= 0 && ghost < rows.cols.first(last_owner + 1) ? last_owner : rows.cols.owner(ghost);
    if (owner != last_owner) ++mine.neighbours;
    last_owner = owner;
    bytes[static_cast<std::size_t>(owner / pictures.ranks_per_block) * blocks + to] += gidx{sizeof(T)};
  }
  const std::vector<gidx> sums = communicator.sum(std::move(bytes));
  for (const gidx sum : sums) pictures.bytes.push_back(static_cast<double>(sum));
}

/// Collective.
void collect_shares(const Communicator& communicator, const PartShare& mine, Pictures& pictures) {
  pictures.share_total = communicator.size();
  pictures.ranks_per_share = per_block(communicator.size(), Pictures::most_shares);
  const std::vector<PartShare> all = communicator.all_gather(mine);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % static_cast<std::size_t>(pictures.ranks_per_share) == 0)
      pictures.shares.push_back(all[i]);
    else if (all[i].nonzeros > pictures.shares.back().nonzeros)
      pictures.shares.back() = all[i];
}

}  // namespace

template <class T>
Pictures collect_pictures(const Run& run, const Problem<T>& problem) {
  run.watchdog.stage("collecting what figures show", {.quiet = true});
  const Communicator& communicator = run.communicator;
  const DistributedRows<T>& rows = problem.rows;
  Pictures pictures;
  constexpr gidx most_nonzeros = gidx{1} << 24;
  pictures.every_row = communicator.max(rows.block.nonzeros()) / most_nonzeros + 1;
  const int side = spy_side(rows.shape);
  const int rank = communicator.rank();
  pictures.after = spy(communicator, rows, rows.rows.ids(rank),
                       column_cells(rows, rows.cols.ids(rank), rows.ghosts, side), pictures.every_row);
  const FetchedElements<gidx> original(communicator, rows.cols, rows.original_col, rows.ghosts);
  std::vector<gidx> ghosts;
  for (const gidx ghost : rows.ghosts) ghosts.push_back(original(ghost));
  pictures.before = spy(communicator, rows, rows.original_row,
                        column_cells(rows, rows.original_col, ghosts, side), pictures.every_row);
  pictures.row_lengths = row_lengths(communicator, rows.block);
  PartShare mine;
  mine.rows = rows.block.rows;
  mine.nonzeros = rows.block.nonzeros();
  mine.halo = static_cast<gidx>(rows.ghosts.size());
  collect_communication(communicator, rows, pictures, mine);
  collect_shares(communicator, mine, pictures);
  return pictures;
}

SPMV_INSTANTIATE(collect_pictures);

}  // namespace spmv
