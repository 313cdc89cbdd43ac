#include "dist/prepare/reorder.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/region_failure.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/fetch_elements.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// The new ids of other ranks' columns `ids`, ascending; `position`: the new place of each own column, empty where they stay.
/// Collective.
std::vector<gidx> new_ids(const Communicator& communicator, const RowPartition& cols,
                          const std::vector<gidx>& ids, const std::vector<lidx>& position) {
  std::vector<gidx> own = cols.ids(communicator.rank());
  for (std::size_t i = 0; i < position.size(); ++i) own[i] = cols.first(communicator.rank()) + position[i];
  return FetchedElements<gidx>(communicator, cols, own, ids).all();
}

/// Sorts the elements of every row by column. Then elements at the same distance from the diagonal are at the same place in
/// neighbouring rows, where packed formats look for them.
template <class T>
void sort_elements(Csr<T>& block) {
  RegionFailure failure;
#pragma omp parallel
  {
    std::vector<std::pair<lidx, T>> elements;
#pragma omp for schedule(static)
    for (lidx row = 0; row < block.rows; ++row)
      failure.guard([&] {
        const auto first = static_cast<std::size_t>(block.row_ptr[row]);
        const auto last = static_cast<std::size_t>(block.row_ptr[row + 1]);
        elements.clear();
        for (std::size_t k = first; k < last; ++k) elements.emplace_back(block.col[k], block.value[k]);
        std::sort(elements.begin(), elements.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t k = first; k < last; ++k)
          std::tie(block.col[k], block.value[k]) = elements[k - first];
      });
  }
  failure.rethrow();
}

}  // namespace

template <class T>
void reorder_rows(const Communicator& communicator, DistributedRows<T>& rows,
                  const std::vector<lidx>& order) {
  std::vector<lidx> position = inverse(order);
  const std::vector<gidx> ghosts = new_ids(communicator, rows.cols, rows.ghosts, position);

  // Sorts the ghosts again; those of one owner stay together.
  std::vector<lidx> ghost_order(ghosts.size());
  std::iota(ghost_order.begin(), ghost_order.end(), 0);
  std::sort(ghost_order.begin(), ghost_order.end(), [&](lidx a, lidx b) {
    return ghosts[static_cast<std::size_t>(a)] < ghosts[static_cast<std::size_t>(b)];
  });
  rows.ghosts = reorder(ghosts, ghost_order);

  // Every column's new place: own elements, then ghosts.
  const lidx owned = rows.block.cols - static_cast<lidx>(ghosts.size());
  if (position.empty()) {
    position.resize(static_cast<std::size_t>(owned));
    std::iota(position.begin(), position.end(), 0);
  }
  for (const lidx place : inverse(ghost_order)) position.push_back(owned + place);
  if (order.empty()) {
    rename_columns(rows.block, position);
  } else {
    rows.block = permute_rows(rows.block, order, position);
    sort_elements(rows.block);
  }
  rows.original_row = reorder(std::move(rows.original_row), order);
  rows.original_col = reorder(std::move(rows.original_col), order);
}

SPMV_INSTANTIATE(reorder_rows);

}  // namespace spmv
