// The table of formats: what the families export, one after the other.
#include <algorithm>

#include "core/value_types.hpp"
#include "kernels/bisection/bisection.hpp"
#include "kernels/block/block.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "kernels/format.hpp"
#include "kernels/hyb/hyb.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tiles/tiles.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<Format<T>> all_families() {
  std::vector<Format<T>> table;
  for (const std::vector<Format<T>>& family : {
           tiles_formats<T>(),
           rows_formats<T>(),
           block_formats<T>(),
           coo_formats<T>(),
           columns_formats<T>(),
           hyb_formats<T>(),
           bisection_formats<T>(),
           packed_formats<T>(),
           cusparse_formats<T>(),
       })
    table.insert(table.end(), family.begin(), family.end());
  std::stable_sort(table.begin(), table.end(),
                   [](const Format<T>& a, const Format<T>& b) { return a.listed_at < b.listed_at; });
  return table;
}

}  // namespace

template <class T>
const std::vector<Format<T>>& formats() {
  static const std::vector<Format<T>> table = all_families<T>();
  return table;
}

SPMV_INSTANTIATE(formats);

}  // namespace spmv
