#include <algorithm>

#include "comm/halo_exchange.hpp"
#include "comm/transports/make.hpp"

namespace spmv {
namespace {

/// Transports that move the whole halo in one way.
std::vector<Transport> plain_transports() {
  return {
      {.name = "staged",
       .summary = "through pinned host memory and MPI; works with any MPI",
       .why_unusable = always_usable,
       .make = make_staged_exchange,
       .within_node = 1,
       .between_nodes = 1},
      {.name = "shm",
       .summary = "kernels store into pinned shared memory of the node; the host waits for nothing",
       .why_unusable = why_no_shm,
       .make = make_shm_exchange,
       .within_node = 2},
      {.name = "shm_copy",
       .summary = "copies into pinned shared memory of the node, by the host; for ranks that share a GPU",
       .why_unusable = why_no_shm_copy,
       .make = make_shm_copy_exchange},
      {.name = "p2p",
       .summary = "kernels store into the neighbour GPU's memory; the host waits for nothing",
       .why_unusable = why_no_p2p,
       .make = make_p2p_exchange,
       .within_node = 3},
      {.name = "mpi",
       .summary = "MPI straight from the vectors, which are in host memory: with backend host",
       .why_unusable = why_no_mpi,
       .make = make_mpi_exchange,
       .between_nodes = 2},
      {.name = "gpu_aware",
       .summary = "the same from device memory, where MPI takes that",
       .why_unusable = why_no_gpu_aware,
       .make = make_mpi_exchange,
       .on_host = "mpi",
       .may_fault = "gpu_aware",
       .between_nodes = 2},
      {.name = "nccl",
       .summary = "NCCL's sends and receives on a queue; the host waits for nothing",
       .why_unusable = why_no_nccl,
       .make = make_nccl_exchange,
       .start_s = nccl_start_s,
       .usual_start_s = nccl_usual_start_s},
  };
}

/// Uses `parts` by their within_node and between_nodes, so it may fault where one of these may.
Transport node_aware(const std::vector<Transport>& parts) {
  Transport row{.name = "node_aware",
                .summary = "the best transport within a node and the best between nodes, at the same time",
                .why_unusable = always_usable,
                .make = make_node_aware_exchange};
  for (const Transport& part : parts)
    if (part.may_fault != nullptr && std::max(part.within_node, part.between_nodes) > 0)
      row.may_fault = part.may_fault;
  return row;
}

}  // namespace

const std::vector<Transport>& transports() {
  static const std::vector<Transport> table = [] {
    std::vector<Transport> all = plain_transports();
    all.push_back(node_aware(all));
    return all;
  }();
  return table;
}

std::string transport_on(const Backend& backend, const std::string& name) {
  if (std::string(backend.name()) == "host")
    for (const Transport& row : transports())
      if (row.on_host != nullptr && name == row.name) return row.on_host;
  return name;
}

std::unique_ptr<HaloExchange> make_preferred(int Transport::*preference, const ExchangeSetup& setup,
                                             bool may_fault) {
  std::vector<const Transport*> rows;
  for (const Transport& row : transports())
    if (row.*preference > 0 && (may_fault || row.may_fault == nullptr)) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [=](const Transport* a, const Transport* b) { return a->*preference > b->*preference; });
  std::string reasons;
  for (const Transport* row : rows) {
    std::string reason = row->why_unusable(setup);
    try {
      if (reason.empty()) return row->make(setup);
    } catch (const AgreedError& error) {
      reason = error.what();
    }
    reasons += "; " + reason;
  }
  throw AgreedError(ExitCode::environment, "no transport can be set up here" + reasons);
}

void HaloExchange::start_gathering(const std::byte*, const lidx*, const Event&, PhaseLog*) {
  throw Error(ExitCode::internal, "this transport takes gathered elements only");
}

std::string always_usable(const ExchangeSetup&) {
  return {};
}

}  // namespace spmv
