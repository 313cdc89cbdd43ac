#include "kernels/parts/format_checks.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/machine_memory.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

void require(const std::string& format, const char* where, double need, std::size_t have,
             const std::string& instead) {
  if (need <= static_cast<double>(have)) return;
  throw Error(ExitCode::memory,
              fmt::format("format {} needs {:.4g} GiB of {} memory for this block, {:.4g} GiB are free: {}",
                          format, need / gib, where, static_cast<double>(have) / gib, instead));
}

/// Of rows that begin and end there.
lidx longest_row(const std::vector<offset>& row_ptr) {
  const offset longest = most_in_a_row(row_ptr);
  if (longest > std::numeric_limits<lidx>::max())
    throw Error(ExitCode::input,
                fmt::format("a row has {} nonzeros, more than the format counts: use format csr", longest));
  return static_cast<lidx>(longest);
}

}  // namespace

offset most_in_a_row(const std::vector<offset>& row_ptr) {
  offset most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (std::size_t row = 1; row < row_ptr.size(); ++row)
    most = std::max(most, row_ptr[row] - row_ptr[row - 1]);
  return most;
}

void require_memory(Backend& backend, const std::string& format, const MemoryNeed& need,
                    const std::string& instead) {
  if (backend.runs_host_code()) {
    require(format, backend.name(), need.on_device + need.on_host, backend.memory().free_bytes, instead);
  } else {
    require(format, backend.name(), need.on_device, backend.memory().free_bytes, instead);
    require(format, "host", need.on_host, process_memory().free_bytes, instead);
  }
}

void require_row_list(lidx rows, const std::vector<lidx>& row_list) {
  if (row_list.empty() || row_list.size() == static_cast<std::size_t>(rows)) return;
  throw Error(ExitCode::internal,
              fmt::format("a row list of {} elements for a block of {} rows", row_list.size(), rows));
}

template <class T>
lidx longest_row(const Csr<T>& block) {
  return longest_row(block.row_ptr);
}

std::vector<lidx> row_lengths(const std::vector<offset>& row_ptr, const std::vector<lidx>& order) {
  longest_row(row_ptr);
  std::vector<lidx> lengths(row_ptr.size() - 1);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t row = order.empty() ? i : static_cast<std::size_t>(order[i]);
    lengths[i] = static_cast<lidx>(row_ptr[row + 1] - row_ptr[row]);
  }
  return lengths;
}

SPMV_INSTANTIATE(longest_row);

}  // namespace spmv
