// What each rank would own and exchange under a partition, before any row has moved.
#pragma once

#include <vector>

#include "dist/partitioner.hpp"

namespace spmv {

/// What one rank has and needs under a partition.
struct PartShare {
  gidx rows = 0;
  gidx nonzeros = 0;
  gidx columns = 0;     // different ones that its nonzeros refer to
  gidx halo = 0;        // of these, owned by other ranks
  gidx neighbours = 0;  // ranks that own them
  gidx near_halo = 0;   // of the halo, what ranks of the same node own
  gidx near_neighbours = 0;
  gidx sent = 0;  // elements of x that other ranks need of this one, each rank's counted
  // In a sample of its rows, which are all rows of a small matrix:
  gidx sampled_rows = 0;
  gidx sampled_nonzeros = 0;
  gidx boundary_rows = 0;      // that refer to the halo
  gidx boundary_nonzeros = 0;  // of these rows
  gidx nonlocal_nonzeros = 0;  // that refer to the halo
};

/// The members of every part, added up over the ranks. Collective.
std::vector<PartShare> sum_of_shares(const Communicator& communicator, const std::vector<PartShare>& mine);

/// The shares of all parts under `assignment`. Counts are exact, except in the sample. `per_node` ranks in a row share a node.
/// Needs one bit for each column of the matrix. Collective; the same on every rank.
std::vector<PartShare> examine(const Communicator& communicator, const Pattern& pattern,
                               const Assignment& assignment, int parts, int per_node);

/// How many sectors of x (groups of `sector_elements` neighbours) the rows of a slice refer to, per nonzero, estimated from
/// some slices of every rank's rows as read. Collective.
double sectors_per_nonzero(const Communicator& communicator, const Pattern& pattern, gidx sector_elements);

}  // namespace spmv
