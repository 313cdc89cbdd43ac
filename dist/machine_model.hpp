// What products would take on a machine that is described by its bandwidths.
#pragma once

#include <string>
#include <vector>

#include "dist/partition/cost.hpp"

namespace spmv {

/// A machine as a product sees it. Bandwidths are those of one rank while all ranks work, in bytes per second.
struct Machine {
  std::string name;
  std::string description;
  int ranks_per_node = 1;
  double memory = 0;         // read and written, as a copy does
  double near_exchange = 0;  // halo from ranks of the same node
  double near_message_s = 0;
  double far_exchange = 0;  // halo from other nodes
  double far_message_s = 0;
  double product_s = 0;  // before and behind the work of any product: launches
  double thread_s = 0;   // to hand an exchange over to the communication thread and back
};

/// Machines that are described here, with rates of one GPU each; a description of one's own is a file.
const std::vector<Machine>& machines();

/// Bytes of a product of one value type.
struct ElementBytes {
  double nonzero = 12;  // value and column
  double row = 16;      // x and y
  double element = 8;   // of x
};

/// Seconds of a product in each mode on the slowest rank.
struct ModeTimes {
  double vector = 0;
  double naive = 0;
  double task = 0;
  double device = 0;
};

/// Code balance and overlap as the modes have them [Kreutzer 2012, sect. 3.1]: vector multiplies behind the exchange;
/// naive does so as well, since MPI moves nothing by itself, and writes boundary rows of y twice; task and device are in the best
/// layout that they have (dist/README.md), and device needs no thread. Halo from the node and from outside travel
/// at the same time. Pure.
ModeTimes predict_modes(const std::vector<PartShare>& shares, const ElementBytes& bytes,
                        const Machine& machine);

}  // namespace spmv
