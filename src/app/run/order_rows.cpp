#include "app/run/order_rows.hpp"

#include <utility>

#include "app/run/stage_timer.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/prepare/reorder.hpp"
#include "kernels/row_order.hpp"

namespace spmv {

template <class T>
OrderDecision order_rows(const Run& run, Problem<T>& problem) {
  run.watchdog.stage("ordering rows");
  const RunOptions& options = run.options;
  OrderRequest request{.name = options.order, .seed = options.seed, .products = options.products};
  if (options.order == auto_order)
    request.bandwidth =
        measure_bandwidth(run.communicator, *run.place.backend, working_set<T>(problem.rows.block.nonzeros()))
            .copy;
  StageTimer timer(run.communicator);
  ChosenOrder chosen = choose_order(run.communicator, problem.rows, request);
  if (chosen.decision.ordered) {
    reorder_rows(run.communicator, problem.rows, chosen.order);
    for (Reference<T>& r : problem.reference) {
      r.y = reorder(std::move(r.y), chosen.order);
      r.bound = reorder(std::move(r.bound), chosen.order);
    }
    problem.x = reorder(std::move(problem.x), chosen.order);
    problem.order = chosen.order;
  }
  chosen.decision.seconds = timer.lap();
  return chosen.decision;
}

SPMV_INSTANTIATE(order_rows);

}  // namespace spmv
