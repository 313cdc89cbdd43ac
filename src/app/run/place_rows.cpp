#include "app/run/place_rows.hpp"

#include <utility>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
Problem<T> place_rows(const Run& run, const Ownership& read, RowBlock<T> block,
                      std::array<Reference<T>, distinct_x> reference, const Moves& moves,
                      const std::vector<T>& x) {
  run.watchdog.stage("moving rows to their owners");
  const Shape shape = read.shape();
  const gidx nonzeros = run.communicator.sum(block.nonzeros());
  for (Reference<T>& r : reference) {
    if (!run.options.verify) continue;
    r.y = moves.rows.carry(r.y);
    r.bound = moves.rows.carry(r.bound);
  }
  return {redistribute(run.communicator, read, std::move(block), moves),
          std::move(reference),
          shape,
          nonzeros,
          !run.options.read_x.empty(),
          run.options.read_x.empty() ? x : moves.cols.carry(x),
          moves.rows};
}

SPMV_INSTANTIATE(place_rows);

}  // namespace spmv
