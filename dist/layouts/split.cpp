#include "dist/layouts/split.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/value_types.hpp"
#include "dist/layouts/build_block.hpp"
#include "kernels/row_order.hpp"

namespace spmv {

template <class T>
Split<T> split(const Csr<T>& block, lidx owned) {
  Split<T> parts;
  parts.local.rows = block.rows;
  parts.local.cols = owned;
  parts.nonlocal.cols = block.cols - owned;

  std::vector<offset>& local_ptr = parts.local.row_ptr;
  local_ptr.assign(static_cast<std::size_t>(block.rows) + 1, 0);
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < block.rows; ++i) {
    const auto from = block.col.begin() + block.row_ptr[i];
    const auto until = block.col.begin() + block.row_ptr[i + 1];
    local_ptr[i + 1] = std::count_if(from, until, [=](lidx col) { return col < owned; });
  }
  std::partial_sum(local_ptr.begin(), local_ptr.end(), local_ptr.begin());
  for (lidx i = 0; i < block.rows; ++i) {
    const offset nonlocal_end = block.row_ptr[i + 1] - local_ptr[i + 1];  // nonlocal nonzeros up to here
    if (nonlocal_end == parts.nonlocal.row_ptr.back()) continue;
    parts.nonlocal.row_ptr.push_back(nonlocal_end);
    parts.nonlocal_row.push_back(i);
  }
  parts.nonlocal.rows = static_cast<lidx>(parts.nonlocal_row.size());

  parts.local.col.resize(local_ptr.back());
  parts.local.value.resize(local_ptr.back());
  parts.nonlocal.col.resize(parts.nonlocal.nonzeros());
  parts.nonlocal.value.resize(parts.nonlocal.nonzeros());
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < block.rows; ++i) {
    offset local = local_ptr[i];
    offset nonlocal = block.row_ptr[i] - local;
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k) {
      const lidx col = block.col[k];
      const bool is_local = col < owned;
      Csr<T>& part = is_local ? parts.local : parts.nonlocal;
      const offset at = is_local ? local++ : nonlocal++;
      part.col[at] = is_local ? col : col - owned;
      part.value[at] = block.value[k];
    }
  }
  return parts;
}

template <class T>
Operators<T> build_split(const DistributedRows<T>& rows, const DistOptions& options,
                         const std::shared_ptr<Backend>& backend) {
  Split<T> parts = split(rows.block, rows.owned());
  Operators<T> built;
  built.rows = rows.block.rows;
  TuneRequest tune = options.tune;
  tune.sums = false;  // rows are complete only after both products
  Choice<T> local = build_block<T>(std::move(parts.local), rows.square(), {},
                                   {options.format, tune, options.remembered, backend});
  built.interior = {std::move(local.op), std::move(local.decision)};
  built.row_order = std::move(local.row_order);
  if (rows.square()) built.x_order = built.row_order;

  const std::vector<lidx> position = inverse(built.row_order);
  for (lidx& row : parts.nonlocal_row)
    if (!position.empty()) row = position[static_cast<std::size_t>(row)];
  tune.trials = false;
  if (options.nonlocal_options) tune.options = *options.nonlocal_options;
  Choice<T> nonlocal = build_block<T>(std::move(parts.nonlocal), false, parts.nonlocal_row,
                                      {options.nonlocal_format, tune, {}, backend});
  built.boundary = {std::move(nonlocal.op), std::move(nonlocal.decision)};
  built.boundary_x = rows.owned();
  built.boundary_update = Update::add;
  return built;
}

SPMV_INSTANTIATE(split);
SPMV_INSTANTIATE(build_split);

}  // namespace spmv
