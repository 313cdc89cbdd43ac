#include "load/host_memory.hpp"

#include <fmt/format.h>

#include "core/machine_memory.hpp"
#include "core/value_types.hpp"
#include "load/memory_needs.hpp"

namespace spmv {

template <class T>
void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros,
                       bool from_file) {
  const double ranks = communicator.size();
  RankShare share;
  share.rows = static_cast<double>(shape.rows) / ranks;
  share.cols = static_cast<double>(shape.cols) / ranks;
  share.nonzeros = nonzeros / ranks;
  share.value_bytes = sizeof(T);
  share.from_file = from_file;
  const double of_rank = memory_needs(share).host_peak(true);
  const double needed = communicator.node().size() * of_rank;
  const auto free = static_cast<double>(machine_memory().free_bytes);
  const auto limit = address_space_left();
  communicator.together([&] {
    require_enough_ranks(shape, communicator.size());
    if (limit && of_rank > static_cast<double>(*limit))
      throw Error(
          ExitCode::memory,
          fmt::format("the matrix needs about {:.1f} GiB of host memory on every rank and the limit of "
                      "a process (ulimit -v) leaves {:.1f} GiB: raise the limit, or use more ranks",
                      of_rank / (1 << 30), static_cast<double>(*limit) / (1 << 30)));
    if (needed > free)
      throw Error(
          ExitCode::memory,
          fmt::format(
              "the matrix needs about {:.1f} GiB of host memory on this node and {:.1f} GiB are free: use "
              "more nodes",
              needed / (1 << 30), free / (1 << 30)));
  });
}

SPMV_INSTANTIATE(check_host_memory);

}  // namespace spmv
