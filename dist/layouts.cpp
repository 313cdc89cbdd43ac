#include "dist/layouts.hpp"

#include "core/value_types.hpp"
#include "dist/layouts/merged.hpp"
#include "dist/layouts/parted.hpp"
#include "dist/layouts/split.hpp"

namespace spmv {

template <class T>
const std::vector<Layout<T>>& layouts() {
  static const std::vector<Layout<T>> table = {
      {.name = "merged",
       .summary = "whole rows in one product, which waits for the halo",
       .note = "interior is the one product of all rows",
       .has_interior = false,
       .build = build_merged<T>},
      {.name = "split",
       .summary = "every row cut: its local part first, its nonlocal part is added when the halo is there",
       .note = "interior is the local part of every row, boundary the nonlocal one, added to it",
       .has_interior = true,
       .chooses_boundary = true,
       .build = build_split<T>},
      {.name = "parted",
       .summary = "whole rows: those that need no halo first, the others when it is there",
       .note = "interior are the rows that need no halo, boundary all others",
       .has_interior = true,
       .build = build_parted<T>},
  };
  return table;
}

SPMV_INSTANTIATE(layouts);

}  // namespace spmv
