#include "dist/order/choose_order.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/order/units.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

/// An order must load fewer lines than this share of what is loaded without it: less is not worth a changed basis.
constexpr double worthwhile = 0.8;

/// One rank's rows, and what is known of their order.
template <class T>
class Rows {
 public:
  Rows(const Communicator& communicator, const DistributedRows<T>& rows)
      : communicator_(communicator), rows_(rows) {}

  /// This rank's, where its rows have this order. Local.
  offset lines(const std::vector<lidx>& order) const {
    return loaded_lines(rows_.block.row_ptr, rows_.block.col, order, sizeof(T));
  }
  /// Collective; throws AgreedError.
  std::vector<lidx> find(const Order& order, int seed) {
    return communicator_.together([&] {
      if (order.missing != nullptr)
        throw Error(ExitCode::environment, fmt::format("--order {}: {}", order.name, order.missing));
      if (!units_) units_ = merge_units(own_graph(rows_.block.row_ptr, rows_.block.col, rows_.owned()));
      return find_order(order, *units_, seed);
    });
  }
  /// The lines that a product must load, whatever the order. Local.
  double least_lines() const { return static_cast<double>(rows_.block.cols) * sizeof(T) / cache_line_bytes; }
  double nonzeros() const { return static_cast<double>(rows_.block.nonzeros()); }

 private:
  const Communicator& communicator_;
  const DistributedRows<T>& rows_;
  std::optional<Units> units_;  // of these rows, for every order that is looked for
};

template <class T>
ChosenOrder ordered(const Communicator& communicator, Rows<T>& rows, const Order& order, int seed) {
  ChosenOrder chosen;
  chosen.order = rows.find(order, seed);
  OrderDecision& decision = chosen.decision;
  decision.name = order.name;
  decision.lines_before = communicator.sum(static_cast<double>(rows.lines({})));
  decision.lines_after = communicator.sum(static_cast<double>(rows.lines(chosen.order)));
  decision.ordered = communicator.any_of(!chosen.order.empty());
  decision.reason = decision.ordered
                        ? fmt::format("{:.0f} cache lines of x loaded in a product, {:.0f} without it",
                                      decision.lines_after, decision.lines_before)
                        : "it changes the order of no rank's rows";
  return chosen;
}

/// The rows as they are. `lines`: that they load.
ChosenOrder stay(double lines, const std::string& reason) {
  ChosenOrder chosen;
  chosen.decision.reason = reason;
  chosen.decision.lines_before = chosen.decision.lines_after = lines;
  return chosen;
}

/// Every order loads each line at least once, which bounds what an order can save. Takes the first order of the table that may
/// save more than finding it costs, and that then loads clearly fewer lines.
template <class T>
ChosenOrder choose(const Communicator& communicator, Rows<T>& rows, const OrderRequest& request) {
  const auto mine = static_cast<double>(rows.lines({}));
  const double lines = communicator.sum(mine);
  const double saved_s =
      request.products * communicator.max((mine - rows.least_lines()) * cache_line_bytes / request.bandwidth);
  const double nonzeros = communicator.max(rows.nonzeros());
  std::string tried;
  for (const Order& order : orders()) {
    const double cost_s = order.seconds_per_nonzero * nonzeros;
    if (order.seconds_per_nonzero == 0) continue;
    if (saved_s <= cost_s)
      return stay(
          lines,
          fmt::format("order {} would take about {:.2g} s, and save {:.2g} s at most in {:.0f} products{}",
                      order.name, cost_s, std::max(saved_s, 0.0), request.products, tried));
    ChosenOrder chosen = ordered(communicator, rows, order, request.seed);
    if (chosen.decision.lines_after < worthwhile * lines) {
      chosen.decision.reason += fmt::format("; may save {:.2g} s in {:.0f} products, for about {:.2g} s",
                                            saved_s, request.products, cost_s);
      return chosen;
    }
    tried += fmt::format("{}{:.0f} lines with order {}", tried.empty() ? "; " : ", ",
                         chosen.decision.lines_after, order.name);
  }
  return stay(lines,
              fmt::format("the rows are in a good order: {:.0f} cache lines of x are loaded in a product{}",
                          lines, tried));
}

}  // namespace

template <class T>
ChosenOrder choose_order(const Communicator& communicator, const DistributedRows<T>& rows,
                         const OrderRequest& request) {
  const bool automatic = request.name == auto_order;
  if (!automatic && std::string(orders().front().name) == request.name) return {};
  if (!rows.square()) return stay(0, "a matrix that is not square keeps the order of its rows");
  Rows<T> all(communicator, rows);
  if (automatic) return choose(communicator, all, request);
  return ordered(communicator, all, pick(orders(), request.name, "order"), request.seed);
}

SPMV_INSTANTIATE(choose_order);

}  // namespace spmv
