// Which order a rank's rows get, and why.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/order.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// In place of an order's name: another order if it saves more than it costs.
inline constexpr const char* auto_order = "auto";

struct OrderRequest {
  std::string name = "none";  // of the table, or auto_order
  int seed = 1;
  double products = 1000;  // that the order is for
  double bandwidth = 0;    // of this rank's memory, bytes per second; for auto_order
};

/// The same on every rank. Lines are cache lines of x that a product loads, see loaded_lines(), of all ranks together.
struct OrderDecision {
  std::string name = "none";
  std::string reason;    // a sentence; empty where nothing was asked for
  bool ordered = false;  // whether any rank's rows get another order
  double lines_before = 0;
  double lines_after = 0;
  double seconds = 0;  // the slowest rank's
};

struct ChosenOrder {
  OrderDecision decision;
  std::vector<lidx> order;  // of this rank, see Order::find
};

/// Collective; throws AgreedError where the order that is named is not in this build, or cannot be found.
template <class T>
ChosenOrder choose_order(const Communicator& communicator, const DistributedRows<T>& rows,
                         const OrderRequest& request);

}  // namespace spmv
