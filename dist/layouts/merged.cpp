#include "dist/layouts/merged.hpp"

#include <utility>

#include "core/value_types.hpp"
#include "dist/layouts/build_block.hpp"

namespace spmv {

template <class T>
Operators<T> build_merged(const DistributedRows<T>& rows, const DistOptions& options,
                          const std::shared_ptr<Backend>& backend) {
  Operators<T> built;
  built.rows = rows.block.rows;
  const BlockRequest request{options.format, options.tune, options.remembered, backend};
  Choice<T> all = build_block<T>(rows.block, rows.square(), {}, request);
  built.merged = {std::move(all.op), std::move(all.decision)};
  built.row_order = std::move(all.row_order);
  if (rows.square()) built.x_order = built.row_order;
  return built;
}

SPMV_INSTANTIATE(build_merged);

}  // namespace spmv
