#include "app/run/problem.hpp"

#include <utility>

#include "core/value_types.hpp"
#include "kernels/row_order.hpp"

namespace spmv {

template <class T>
std::vector<T> Problem<T>::x_of(unsigned number) const {
  std::vector<T> elements;
  elements.reserve(rows.original_col.size());
  for (std::size_t i = 0; i < rows.original_col.size(); ++i)
    elements.push_back(x_is_read ? given_x(x[i], number) : x_value<T>(rows.original_col[i], number));
  return elements;
}

template <class T>
Problem<T> make_problem(const Run& run, LoadedMatrix<T> loaded, RowsRequest request) {
  request.announce = [&](const std::string& step) { run.watchdog.stage(step); };
  const gidx nonzeros = run.communicator.sum(loaded.block.nonzeros());
  PreparedRows<T> prepared =
      prepare_rows(run.communicator, loaded.owners, std::move(loaded.block), std::move(request));
  const Moves& moves = prepared.moves.value();
  const auto carry = [&](const Move& move, const auto& values) {
    return reorder(move.carry(values), prepared.order.order);
  };
  for (Reference<T>& r : loaded.reference) {
    if (!run.options.verify) continue;
    r.y = carry(moves.rows, r.y);
    r.bound = carry(moves.rows, r.bound);
  }
  const bool x_is_read = !run.options.read_x.empty();
  if (x_is_read) loaded.x = carry(moves.cols, loaded.x);
  return {
      std::move(prepared.rows),        std::move(loaded.reference), nonzeros, x_is_read, std::move(loaded.x),
      std::move(prepared.moves->rows), std::move(prepared.order)};
}

SPMV_INSTANTIATE_CLASS(Problem);
SPMV_INSTANTIATE(make_problem);

}  // namespace spmv
