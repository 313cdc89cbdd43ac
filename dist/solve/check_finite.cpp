#include "dist/solve/check_finite.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/finite.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/fetch_elements.hpp"

namespace spmv {

template <class T>
std::size_t first_not_finite(const std::vector<T>& values) {
  return static_cast<std::size_t>(std::find_if_not(values.begin(), values.end(), is_finite<T>) -
                                  values.begin());
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (is_complex<T>)
    return fmt::format("{} + {} i", std::real(value), std::imag(value));
  else
    return fmt::format("{}", value);
}

template <class T>
std::string element_not_finite(const Communicator& communicator, const DistributedRows<T>& rows,
                               const std::vector<gidx>& row_ids, const std::vector<gidx>& column_ids) {
  const Csr<T>& block = rows.block;
  const std::size_t at = first_not_finite(block.value);
  const bool found = at < block.value.size();
  if (!communicator.any_of(found)) return {};
  const lidx column = found ? block.col[at] : 0;
  std::vector<gidx> ghost;
  if (found && column >= rows.owned())
    ghost.push_back(rows.ghosts[static_cast<std::size_t>(column - rows.owned())]);
  const FetchedElements<gidx> elsewhere(communicator, rows.cols, column_ids, ghost);
  if (!found) return {};
  const auto next_row = std::upper_bound(block.row_ptr.begin(), block.row_ptr.end(), static_cast<offset>(at));
  const auto row = static_cast<std::size_t>(next_row - block.row_ptr.begin()) - 1;
  const gidx column_id = ghost.empty() ? column_ids[static_cast<std::size_t>(column)] : elsewhere(ghost[0]);
  return fmt::format("row {}, column {} is {}", row_ids[row] + 1, column_id + 1, value_text(block.value[at]));
}

SPMV_INSTANTIATE(element_not_finite);
SPMV_INSTANTIATE(first_not_finite);
SPMV_INSTANTIATE(value_text);

}  // namespace spmv
