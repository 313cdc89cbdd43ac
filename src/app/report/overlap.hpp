// How much of the halo's way ran during the interior product, and what limited it, from a measured timeline.
#pragma once

#include <string>
#include <vector>

#include "core/phase_log.hpp"

namespace spmv {

/// Of the rank that waited longest for its halo after the interior product; of none if there is no interior product.
struct Overlap {
  double hidden_s = 0;   // of the phases of the halo's way, gather to H2D: beside the interior product
  double exposed_s = 0;  // before and after it, with the waits between them
  int rank = -1;
  std::string limit;  // what stuck out most and where, in words

  /// The hidden part of the halo's way, from 0 to 1.
  double share() const { return hidden_s + exposed_s > 0 ? hidden_s / (hidden_s + exposed_s) : 0; }
};

/// Who moves MPI's messages while the interior product runs.
enum class MpiDriver { nobody, communication_thread, device };

/// `timeline`: every rank's phases of one product. `mpi_alone_s`: how long the messages take with a thread
/// inside MPI and nothing beside them, 0 if unknown; where nobody drives MPI, the part of its interval beyond
/// that was idle. Pure.
Overlap find_overlap(const std::vector<std::vector<Interval>>& timeline, MpiDriver driver,
                     double mpi_alone_s);

}  // namespace spmv
