#include "dist/prepare/number_columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/column_set.hpp"

namespace spmv {
namespace {

lidx narrow(gidx value, const char* what) {
  constexpr gidx most = std::numeric_limits<lidx>::max();
  if (value > most)
    throw Error(ExitCode::memory,
                fmt::format("{} {} on one rank are more than 2^31 - 1: use {} times as many ranks", value,
                            what, value / most + 1));
  return static_cast<lidx>(value);
}

}  // namespace

template <class T>
NumberedRows<T> number_columns(RowBlock<T> rows, gidx first_owned, gidx owned) {
  NumberedRows<T> numbered;
  numbered.block.rows = narrow(rows.rows(), "rows");
  narrow(owned, "columns");
  numbered.ghosts = columns_outside(rows.col, first_owned, owned);
  const std::vector<gidx>& ghosts = numbered.ghosts;
  numbered.block.cols = narrow(owned + static_cast<gidx>(ghosts.size()), "columns");
  std::vector<lidx>& col = numbered.block.col;
  col.resize(rows.col.size());
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < rows.nonzeros(); ++k) {
    const gidx id = rows.col[k];
    const bool is_owned = id >= first_owned && id < first_owned + owned;
    const auto ghost = [&] { return std::lower_bound(ghosts.begin(), ghosts.end(), id) - ghosts.begin(); };
    col[k] = static_cast<lidx>(is_owned ? id - first_owned : owned + ghost());
  }
  numbered.block.row_ptr = std::move(rows.row_ptr);
  numbered.block.value = std::move(rows.value);
  return numbered;
}

SPMV_INSTANTIATE(number_columns);

}  // namespace spmv
