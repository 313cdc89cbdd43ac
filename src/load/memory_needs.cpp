#include "load/memory_needs.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/types.hpp"
#include "dist/product.hpp"

namespace spmv {
namespace {

constexpr double id_bytes = sizeof(gidx), local_bytes = sizeof(lidx), offset_bytes = sizeof(offset);

}  // namespace

double csr_bytes(double rows, double nonzeros, std::size_t value_bytes) {
  return nonzeros * (local_bytes + static_cast<double>(value_bytes)) + rows * offset_bytes;
}

MemoryNeeds memory_needs(const RankShare& s) {
  constexpr double program_bytes = 48e6;  // measured on a matrix of nine rows
  const auto value = static_cast<double>(s.value_bytes);
  MemoryNeeds needs;
  needs.program = program_bytes;
  // An entry has two ids and a value. An entry that travels exists three times: as read, as sent, and as received.
  // Sorting entries into rows takes two counters per row.
  if (s.from_file)
    needs.entries = s.nonzeros * (2 * id_bytes + value) * (1 + 2 * s.travelling) + s.rows * 2 * offset_bytes;
  needs.rows = s.nonzeros * (id_bytes + value) + s.rows * offset_bytes;
  if (s.verified) needs.reference = distinct_x * 2 * value * s.rows;  // y and its bound for every x
  if (s.partitioned) {
    // Every edge is stored at both ends, as two ids: sent and received, or received and in lists.
    needs.graph = s.nonzeros * 4 * id_bytes + s.rows * 2 * offset_bytes;
    // The rank's own lists, those of all ranks for METIS, and METIS's edge weights and coarser graphs, which take 3.2 times
    // as much.
    constexpr double metis_id_bytes = 4, with_metis = 4.2;
    if (s.first_rank)
      needs.first_rank_graph = s.nonzeros * (id_bytes + metis_id_bytes) +
                               s.all_nonzeros * metis_id_bytes * with_metis + s.all_rows * 64;
    needs.moved = 2 * s.nonzeros * std::max(id_bytes, value);
  }
  needs.block = csr_bytes(s.rows, s.nonzeros, s.value_bytes) + s.rows * id_bytes;
  needs.layout = csr_bytes(s.rows, s.nonzeros, s.value_bytes);
  needs.formats = s.format_bytes > 0 ? s.format_bytes : csr_bytes(s.rows, s.nonzeros, s.value_bytes);
  needs.vectors = (distinct_x * (s.cols + s.ghosts) + s.rows) * value;
  needs.halo = s.ghosts * (id_bytes + 2 * local_bytes);
  needs.staging = 3 * s.ghosts * value;  // send buffer, and staging of either direction
  return needs;
}

double MemoryNeeds::host_peak(bool on_host) const {
  return std::max({loading(), partitioning(), moving(), multiplying(on_host)});
}

gidx least_ranks(const Shape& shape) {
  constexpr gidx most = std::numeric_limits<lidx>::max();
  const gidx longer = std::max(shape.rows, shape.cols);
  return std::max<gidx>(1, longer / most + (longer % most > 0 ? 1 : 0));
}

void require_enough_ranks(const Shape& shape, int ranks) {
  const gidx least = least_ranks(shape);
  if (ranks >= least) return;
  throw Error(
      ExitCode::memory,
      fmt::format("{} rows and {} columns on {} rank{}: a rank numbers at most 2^31 - 1 of each; use at "
                  "least {} ranks",
                  shape.rows, shape.cols, ranks, ranks == 1 ? "" : "s", least));
}

}  // namespace spmv
