// How much memory a rank needs, from sizes alone. Pure.
#pragma once

#include <cstddef>

#include "core/csr.hpp"

namespace spmv {

/// One rank's share of a matrix, and how it is used.
struct RankShare {
  double rows = 0;                        // of the rank; as many elements of y
  double cols = 0;                        // elements of x that it owns
  double nonzeros = 0;                    // of its rows
  double ghosts = 0;                      // elements of x that it receives, and as many that it sends
  double all_rows = 0, all_nonzeros = 0;  // of the whole matrix
  std::size_t value_bytes = 8;
  double format_bytes = 0;  // of all its arrays; 0: those of plain CSR

  bool from_file = false;
  double travelling = 0;     // share of the entries that another rank reads: 0 to 1
  bool verified = false;     // products are compared with a reference
  bool partitioned = false;  // METIS partitions the matrix: rank 0 gathers its graph
  bool first_rank = false;   // is rank 0
};

/// Bytes of one rank, by part. A part that is not needed is 0.
struct MemoryNeeds {
  double program = 0;           // the program itself, MPI and its buffers
  double entries = 0;           // as read from a file, and what is sent and received of them
  double rows = 0;              // with global columns, as loaded
  double reference = 0;         // what products must give
  double graph = 0;             // of the rank for METIS
  double first_rank_graph = 0;  // later, on rank 0: the graph of all ranks and METIS's own memory
  double moved = 0;             // rows on their way to their owners
  double block = 0;             // the rows with local columns, and the rows' ids as read
  double layout = 0;            // the block cut into interior and boundary rows
  double formats = 0;           // device
  double vectors = 0;           // device: x, y, and halos
  double halo = 0;              // ids of ghosts, and what is to be sent
  double staging = 0;           // of what is sent and received

  // What lives at the same time, on the host. `on_host`: the device is the host.
  double loading() const { return program + entries + rows; }
  double partitioning() const {
    return program + rows + reference + (graph > first_rank_graph ? graph : first_rank_graph);
  }
  double moving() const { return program + rows + reference + moved + block; }
  double multiplying(bool on_host) const {
    return program + reference + block + layout + halo + staging + formats + (on_host ? vectors : 0);
  }
  double host_peak(bool on_host) const;
  double device() const { return formats + vectors; }
};

MemoryNeeds memory_needs(const RankShare& share);

/// Bytes of plain CSR.
double csr_bytes(double rows, double nonzeros, std::size_t value_bytes);

/// The least number of ranks for a matrix of this shape: a rank numbers its rows and columns with 32 bits.
gidx least_ranks(const Shape& shape);

/// Throws Error(memory) that names least_ranks() if `ranks` is less.
void require_enough_ranks(const Shape& shape, int ranks);

}  // namespace spmv
