// How long a product takes, predicted from what it moves and from rates: the one formula behind partition auto and the
// described machines of `plan`.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dist/partition/part_shares.hpp"

namespace spmv {

/// Code balance [Kreutzer 2012, Eq. 1]: a nonzero costs its value, a column index and `alpha` loads of x, a row two more
/// elements. Pure.
ProductBytes balance_bytes(double value_bytes, double alpha);

/// Bytes that the rows and nonzeros of a product move through memory. Pure.
double memory_bytes(double rows, double nonzeros, const ProductBytes& bytes);

/// What of a part waits for the halo, as far as the sample tells.
struct BoundaryShare {
  double rows = 0;
  double nonzeros = 0;  // of these rows
  double nonlocal = 0;  // of these, those that refer to the halo
};

/// Where no row was sampled, the halo's share of the columns is taken for that of the nonzeros that refer to it. Pure.
BoundaryShare boundary_of(const PartShare& share);

/// Seconds of a product on one rank in each layout (dist/README.md).
struct LayoutTimes {
  double split = 0;   // the exchange runs beside local nonzeros; boundary rows of y are written twice
  double parted = 0;  // the exchange runs beside the interior rows
  double merged = 0;  // all rows come after the exchange
};

/// An exchange of `exchange_s` seconds keeps the memory, which moves `memory` bytes per second, busy for `memory_s` seconds
/// beside a product. Pure.
LayoutTimes predict_layouts(const PartShare& share, const ProductBytes& bytes, double memory,
                            double exchange_s, double memory_s = 0);

/// Seconds of a product on the slowest rank in its best layout. The halo is moved through the memory several times. Pure.
double predicted_product(const std::vector<PartShare>& shares, const ProductRates& rates);

/// Seconds of a product of one part in layout merged: an upper bound. Halo and neighbours may be the most that the part
/// can have. Pure.
double most_of_a_product(const PartShare& part, const ProductRates& rates);

/// predicted_product() for the same rows and nonzeros, spread evenly and without a halo: a lower bound for every
/// partition. Pure.
double least_product(const std::vector<PartShare>& shares, const ProductRates& rates);

/// A described machine. Bandwidths are those of one rank while all ranks work, in bytes per second.
struct Machine {
  std::string name;
  std::string description;
  int ranks_per_node = 1;
  double memory = 0;         // read and written, as a copy does
  double near_exchange = 0;  // halo from ranks of the same node
  double near_message_s = 0;
  double far_exchange = 0;  // halo from other nodes
  double far_message_s = 0;
  double product_s = 0;  // launches before and after the work of any product
  double thread_s = 0;   // to hand an exchange over to the communication thread and back
};

/// The built-in descriptions, with rates of one GPU each; a file may describe another machine.
const std::vector<Machine>& machines();

/// Seconds of a product in each mode on the slowest rank.
struct ModeTimes {
  double vector = 0;
  double naive = 0;
  double task = 0;
  double device = 0;
  double best() const { return std::min({vector, naive, task, device}); }
};

/// Overlap as the modes have it [Kreutzer 2012, sect. 3.1]: vector multiplies after the exchange; so does naive, since
/// MPI moves nothing by itself, and it writes boundary rows of y twice; task and device have their best layout, and device
/// needs no thread. Halos from this node and from others travel at the same time. Pure.
ModeTimes predict_modes(const std::vector<PartShare>& shares, const ProductBytes& bytes,
                        const Machine& machine);

}  // namespace spmv
