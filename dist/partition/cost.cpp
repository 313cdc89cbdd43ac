#include "dist/partition/cost.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace spmv {
namespace {

/// Column ids, each once: a bit for every column says which are there.
class ColumnSet {
 public:
  explicit ColumnSet(gidx cols) : bits_(static_cast<std::size_t>(cols / 64 + 1), 0) {}
  void add(gidx col) {
    std::uint64_t& word = bits_[static_cast<std::size_t>(col / 64)];
    const std::uint64_t bit = std::uint64_t{1} << (col % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    members_.push_back(col);
  }
  /// The members, ascending; none are left.
  std::vector<gidx> take() {
    for (const gidx col : members_) bits_[static_cast<std::size_t>(col / 64)] = 0;
    std::sort(members_.begin(), members_.end());
    return std::exchange(members_, {});
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<gidx> members_;
};

/// This rank's rows, from 0, ordered by new owner, and where each owner's begin.
struct RowsByOwner {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> first;
};

RowsByOwner by_owner(const std::vector<int>& owners, int ranks) {
  RowsByOwner sorted{std::vector<std::size_t>(owners.size()),
                     std::vector<std::size_t>(static_cast<std::size_t>(ranks) + 1, 0)};
  for (const int owner : owners) ++sorted.first[static_cast<std::size_t>(owner) + 1];
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  std::vector<std::size_t> next = sorted.first;
  for (std::size_t row = 0; row < owners.size(); ++row)
    sorted.rows[next[static_cast<std::size_t>(owners[row])]++] = row;
  return sorted;
}

/// Columns that this rank needs under the assignment: those of its future rows, ascending. Collective.
std::vector<gidx> needed_columns(const Communicator& communicator, const Pattern& pattern,
                                 const RowsByOwner& sorted) {
  ColumnSet set(pattern.cols.total());
  std::vector<gidx> needed;
  std::vector<offset> counts;
  for (std::size_t owner = 0; owner + 1 < sorted.first.size(); ++owner) {
    for (std::size_t r = sorted.first[owner]; r < sorted.first[owner + 1]; ++r)
      for (offset k = pattern.row_ptr[sorted.rows[r]]; k < pattern.row_ptr[sorted.rows[r] + 1]; ++k)
        set.add(pattern.col[static_cast<std::size_t>(k)]);
    const std::vector<gidx> part = set.take();
    counts.push_back(static_cast<offset>(part.size()));
    needed.insert(needed.end(), part.begin(), part.end());
  }
  for (const gidx col : communicator.all_to_all(needed, counts).data) set.add(col);
  return set.take();
}

/// The future owners of these columns, asked of those that know: who reads them. Collective.
std::vector<int> future_owners(const Communicator& communicator, const Pattern& pattern,
                               const Assignment& assignment, const std::vector<gidx>& columns) {
  const std::vector<int>& mine = pattern.square() ? assignment.rows : assignment.cols;
  const gidx first = pattern.cols.first(communicator.rank());
  std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
  for (const gidx col : columns) ++counts[static_cast<std::size_t>(pattern.cols.owner(col))];
  const auto asked = communicator.all_to_all(columns, counts);
  std::vector<int> answers;
  answers.reserve(asked.data.size());
  for (const gidx col : asked.data) answers.push_back(mine[static_cast<std::size_t>(col - first)]);
  return communicator.all_to_all(answers, asked.counts).data;
}

double seconds(double rows, double nonzeros, const ProductRates& rates) {
  return (nonzeros * rates.nonzero_bytes + rows * rates.row_bytes) / rates.memory;
}

}  // namespace

std::vector<PartShare> examine(const Communicator& communicator, const Pattern& pattern,
                               const Assignment& assignment) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto me = static_cast<std::size_t>(communicator.rank());
  std::vector<gidx> sums(5 * ranks, 0);  // five for each rank, as in PartShare
  for (std::size_t row = 0; row < assignment.rows.size(); ++row) {
    const std::size_t at = 5 * static_cast<std::size_t>(assignment.rows[row]);
    ++sums[at];
    sums[at + 1] += pattern.row_ptr[row + 1] - pattern.row_ptr[row];
  }
  const std::vector<gidx> columns =
      needed_columns(communicator, pattern, by_owner(assignment.rows, communicator.size()));
  std::vector<char> is_neighbour(ranks, 0);
  sums[5 * me + 2] = static_cast<gidx>(columns.size());
  for (const int owner : future_owners(communicator, pattern, assignment, columns)) {
    if (owner == communicator.rank()) continue;
    ++sums[5 * me + 3];
    is_neighbour[static_cast<std::size_t>(owner)] = 1;
  }
  sums[5 * me + 4] = std::accumulate(is_neighbour.begin(), is_neighbour.end(), gidx{0});
  sums = communicator.sum(std::move(sums));
  std::vector<PartShare> shares;
  for (std::size_t r = 0; r < ranks; ++r)
    shares.push_back({sums[5 * r], sums[5 * r + 1], sums[5 * r + 2], sums[5 * r + 3], sums[5 * r + 4]});
  return shares;
}

double predicted_product(const std::vector<PartShare>& shares, const ProductRates& rates) {
  double slowest = 0;
  for (const PartShare& s : shares) {
    const double outside = s.columns > 0 ? static_cast<double>(s.halo) / static_cast<double>(s.columns) : 0;
    const auto rows = static_cast<double>(s.rows), nonzeros = static_cast<double>(s.nonzeros);
    const double exchange = static_cast<double>(s.halo) * rates.element_bytes / rates.exchange +
                            static_cast<double>(s.neighbours) * rates.message_s;
    slowest = std::max(slowest, std::max(exchange, seconds(rows, nonzeros * (1 - outside), rates)) +
                                    seconds(0, nonzeros * outside, rates));
  }
  return slowest;
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
