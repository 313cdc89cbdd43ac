#include "load/host_memory.hpp"

#include <fmt/format.h>

#include "core/machine_memory.hpp"

namespace spmv {

void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros) {
  // A nonzero is stored in several forms at the same time: as an entry of 24 bytes on the rank that reads it
  // and on its owner; then in rows with global ids; then in the block and in a format made of it.
  const double bytes_per_nonzero = 64, bytes_per_row = 96, bytes_per_col = 64;
  const int on_node = communicator.node().size();
  const double share = static_cast<double>(on_node) / communicator.size();
  const double needed =
      share * (nonzeros * bytes_per_nonzero + static_cast<double>(shape.rows) * bytes_per_row +
               static_cast<double>(shape.cols) * bytes_per_col);
  const auto free = static_cast<double>(machine_memory().free_bytes);
  communicator.together([&] {
    if (needed > free)
      throw Error(
          ExitCode::memory,
          fmt::format(
              "the matrix needs about {:.1f} GiB of host memory on this node and {:.1f} GiB are free: use "
              "more nodes",
              needed / (1 << 30), free / (1 << 30)));
  });
}

}  // namespace spmv
