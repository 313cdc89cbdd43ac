#include "dist/assemble.hpp"

#include <algorithm>
#include <complex>
#include <utility>

namespace spmv {
namespace {

/// Grouped by owner, in the order given within a group; counts gets the groups' sizes.
template <class T>
std::vector<Entry<T>> group_by_owner(const RowPartition& rows, std::vector<Entry<T>> entries,
                                     std::vector<offset>& counts) {
  // Entries mostly come in runs of one owner: remember the last range.
  int owner = 0;
  const auto owner_of = [&](gidx row) {
    if (row < rows.first(owner) || row >= rows.first(owner + 1)) owner = rows.owner(row);
    return static_cast<std::size_t>(owner);
  };
  counts.assign(static_cast<std::size_t>(rows.ranks()), 0);
  for (const Entry<T>& e : entries) ++counts[owner_of(e.row)];
  if (std::count(counts.begin(), counts.end(), 0) >= static_cast<offset>(counts.size()) - 1) return entries;
  std::vector<offset> next(counts.size(), 0);
  for (std::size_t r = 1; r < next.size(); ++r) next[r] = next[r - 1] + counts[r - 1];
  std::vector<Entry<T>> grouped(entries.size());
  for (const Entry<T>& e : entries) grouped[static_cast<std::size_t>(next[owner_of(e.row)]++)] = e;
  return grouped;
}

/// Sorts one row's entries by column where they are not, keeping the order of duplicates.
template <class T>
void sort_row(gidx* col, T* value, offset length, std::vector<std::pair<gidx, T>>& scratch) {
  if (std::is_sorted(col, col + length)) return;
  scratch.clear();
  for (offset k = 0; k < length; ++k) scratch.emplace_back(col[k], value[k]);
  std::stable_sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (offset k = 0; k < length; ++k) {
    col[k] = scratch[static_cast<std::size_t>(k)].first;
    value[k] = scratch[static_cast<std::size_t>(k)].second;
  }
}

template <class T>
RowBlock<T> to_rows(gidx first_row, gidx rows, const std::vector<Entry<T>>& entries) {
  RowBlock<T> block;
  block.first_row = first_row;
  std::vector<offset> begin(static_cast<std::size_t>(rows) + 1, 0);
  for (const Entry<T>& e : entries) ++begin[static_cast<std::size_t>(e.row - first_row) + 1];
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) begin[i + 1] += begin[i];
  block.col.resize(entries.size());
  block.value.resize(entries.size());
  std::vector<offset> next(begin.begin(), begin.end() - 1);
  for (const Entry<T>& e : entries) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(e.row - first_row)]++);
    block.col[at] = e.col;
    block.value[at] = e.value;
  }
  std::vector<std::pair<gidx, T>> scratch;
  block.row_ptr.assign(1, 0);
  block.row_ptr.reserve(begin.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    const auto from = static_cast<std::size_t>(begin[i]);
    const auto until = static_cast<std::size_t>(begin[i + 1]);
    sort_row(block.col.data() + from, block.value.data() + from, begin[i + 1] - begin[i], scratch);
    const std::size_t row_begin = kept;
    for (std::size_t k = from; k < until; ++k) {
      if (kept > row_begin && block.col[kept - 1] == block.col[k]) {
        block.value[kept - 1] += block.value[k];
      } else {
        block.col[kept] = block.col[k];
        block.value[kept++] = block.value[k];
      }
    }
    block.row_ptr.push_back(static_cast<offset>(kept));
  }
  block.col.resize(kept);
  block.value.resize(kept);
  return block;
}

}  // namespace

template <class T>
RowBlock<T> assemble(const Communicator& communicator, const RowPartition& rows, std::vector<Entry<T>> entries) {
  const int me = communicator.rank();
  if (communicator.size() > 1) {
    std::vector<offset> counts;
    entries = group_by_owner(rows, std::move(entries), counts);
    entries = communicator.exchange(entries, counts).data;
  }
  return to_rows(rows.first(me), rows.count(me), entries);
}

template RowBlock<float> assemble(const Communicator&, const RowPartition&, std::vector<Entry<float>>);
template RowBlock<double> assemble(const Communicator&, const RowPartition&, std::vector<Entry<double>>);
template RowBlock<std::complex<float>> assemble(const Communicator&, const RowPartition&,
                                                std::vector<Entry<std::complex<float>>>);
template RowBlock<std::complex<double>> assemble(const Communicator&, const RowPartition&,
                                                 std::vector<Entry<std::complex<double>>>);

}  // namespace spmv
