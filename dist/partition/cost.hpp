// What a partition makes of the ranks' products, before any row has moved.
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
  // Of some of its rows, the same ones whoever counts, and all of them in a small matrix:
  gidx sampled_rows = 0;
  gidx sampled_nonzeros = 0;
  gidx boundary_rows = 0;      // that refer to the halo
  gidx boundary_nonzeros = 0;  // of these rows
  gidx nonlocal_nonzeros = 0;  // that refer to the halo
};

/// What of a part waits for the halo, in rows and nonzeros, as far as the sample tells.
struct BoundaryShare {
  double rows = 0;
  double nonzeros = 0;  // of these rows
  double nonlocal = 0;  // of these, those that refer to the halo
};

/// Where no row was sampled the halo's share of the columns is taken for that of the nonzeros that refer to it. Pure.
BoundaryShare boundary_of(const PartShare& share);

/// The shares of all parts under `assignment`, counted exactly but for what is sampled. `parts` ranks, of which each node has `per_node` in
/// their order. Takes a bit of memory for each column of the matrix, and a look at each nonzero. Collective; the same
/// on every rank.
std::vector<PartShare> examine(const Communicator& communicator, const Pattern& pattern,
                               const Assignment& assignment, int parts, int per_node);

/// Different groups of so many neighbouring elements of x, sectors of memory, that the rows of a slice refer to, for each
/// nonzero, as far as some slices of every rank's rows, as read, tell. Collective.
double sectors_per_nonzero(const Communicator& communicator, const Pattern& pattern, gidx sector_elements);

/// Seconds that a product takes on the slowest rank in the best of the layouts: split, where the exchange runs beside the
/// nonzeros that refer to no halo, and those that do come behind it and write their rows again; parted, where it runs beside
/// the rows that need none; merged, where all rows come behind it. What runs beside the exchange shares the memory with
/// it, in which the halo is moved several times. Pure.
double predicted_product(const std::vector<PartShare>& shares, const ProductRates& rates);

/// What a product of this part alone takes at most: as in layout merged. Its halo and neighbours may be the most that it
/// can have. Pure.
double most_of_a_product(const PartShare& part, const ProductRates& rates);

/// The same as predicted_product() for rows and nonzeros that are spread evenly and need no halo: no partition can do
/// better. Pure.
double least_product(const std::vector<PartShare>& shares, const ProductRates& rates);

}  // namespace spmv
