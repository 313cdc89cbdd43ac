#include "dist/prepare/assemble.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

/// Entries that are contiguous in memory.
template <class T>
struct Run {
  const Entry<T>* begin;
  const Entry<T>* end;
};

/// Removes the entries of other ranks' rows from `entries` and returns them, grouped by owner in the given order; counts
/// gets the groups' sizes.
template <class T>
std::vector<Entry<T>> take_away(const RowPartition& rows, int me, std::vector<Entry<T>>& entries,
                                std::vector<offset>& counts) {
  // Successive entries mostly have the same owner: remember its range.
  int owner = me;
  gidx first = rows.first(me), end = rows.first(me + 1);
  const auto owner_of = [&](gidx row) {
    if (row < first || row >= end) {
      if (row < 0 || row >= rows.total())
        throw Error(ExitCode::internal, "an entry's row is outside the matrix: a reader did not check it");
      owner = rows.owner(row);
      first = rows.first(owner);
      end = rows.first(owner + 1);
    }
    return static_cast<std::size_t>(owner);
  };
  counts.assign(static_cast<std::size_t>(rows.ranks()), 0);
  for (const Entry<T>& e : entries) ++counts[owner_of(e.row)];
  counts[static_cast<std::size_t>(me)] = 0;
  std::vector<offset> next(counts.size(), 0);
  for (std::size_t r = 1; r < next.size(); ++r) next[r] = next[r - 1] + counts[r - 1];
  std::vector<Entry<T>> away(static_cast<std::size_t>(next.back() + counts.back()));
  if (away.empty()) return away;
  std::size_t kept = 0;
  for (const Entry<T>& e : entries) {
    const std::size_t to = owner_of(e.row);
    if (to == static_cast<std::size_t>(me))
      entries[kept++] = e;
    else
      away[static_cast<std::size_t>(next[to]++)] = e;
  }
  entries.resize(kept);
  return away;
}

/// Sorts the entries of a row by column, unless they are sorted, and keeps the order of duplicates.
template <class T>
void sort_row(gidx* col, T* value, offset length, std::vector<std::pair<gidx, T>>& scratch) {
  if (std::is_sorted(col, col + length)) return;
  constexpr offset short_row = 48;
  if (length <= short_row) {  // insertion sort: needs no memory, and rows are often nearly sorted
    for (offset i = 1; i < length; ++i) {
      const gidx c = col[i];
      const T v = value[i];
      offset k = i;
      for (; k > 0 && col[k - 1] > c; --k) {
        col[k] = col[k - 1];
        value[k] = value[k - 1];
      }
      col[k] = c;
      value[k] = v;
    }
    return;
  }
  scratch.clear();
  for (offset k = 0; k < length; ++k) scratch.emplace_back(col[k], value[k]);
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (offset k = 0; k < length; ++k) {
    col[k] = scratch[static_cast<std::size_t>(k)].first;
    value[k] = scratch[static_cast<std::size_t>(k)].second;
  }
}

template <class T>
RowBlock<T> to_rows(gidx first_row, gidx rows, const std::vector<Run<T>>& runs) {
  RowBlock<T> block;
  block.first_row = first_row;
  std::vector<offset> begin(static_cast<std::size_t>(rows) + 1, 0);
  for (const Run<T>& run : runs)
    for (const Entry<T>* e = run.begin; e != run.end; ++e)
      ++begin[static_cast<std::size_t>(e->row - first_row) + 1];
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) begin[i + 1] += begin[i];
  block.col.resize(static_cast<std::size_t>(begin.back()));
  block.value.resize(static_cast<std::size_t>(begin.back()));
  std::vector<offset> next(begin.begin(), begin.end() - 1);
  for (const Run<T>& run : runs)
    for (const Entry<T>* e = run.begin; e != run.end; ++e) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(e->row - first_row)]++);
      block.col[at] = e->col;
      block.value[at] = e->value;
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
RowBlock<T> assemble(const Communicator& communicator, const RowPartition& rows,
                     std::vector<Entry<T>> entries) {
  const int me = communicator.rank();
  std::vector<offset> counts;
  const auto away = take_away(rows, me, entries, counts);
  const auto received = communicator.all_to_all(away, counts);
  // In the order of the ranks that read them, so that duplicates are summed in the file's order on any rank
  // count.
  const auto below = std::accumulate(received.counts.begin(), received.counts.begin() + me, offset{0});
  const Entry<T>* from = received.data.data();
  return to_rows<T>(rows.first(me), rows.count(me),
                    {{from, from + below},
                     {entries.data(), entries.data() + entries.size()},
                     {from + below, from + received.data.size()}});
}

SPMV_INSTANTIATE(assemble);

}  // namespace spmv
