// What a format asks of its block and of the memory before it allocates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "core/types.hpp"

namespace spmv {

/// Memory that making a format takes. In double, because a format that does not fit may not fit 64 bits
/// either.
struct MemoryNeed {
  double on_device = 0;
  double on_host = 0;  // arrays that are built on the host first
};

/// Throws Error(memory) unless both parts fit into what is free now; where the device is the host they share
/// it. `instead` is the remedy, such as "use format csr". Local.
void require_memory(Backend& backend, const std::string& format, const MemoryNeed& need,
                    const std::string& instead);

/// Bytes of CSR's three arrays. Pure.
inline double csr_bytes(lidx rows, offset nonzeros, std::size_t value_bytes) {
  return static_cast<double>(nonzeros) * static_cast<double>(value_bytes + sizeof(lidx)) +
         (rows + 1.0) * sizeof(offset);
}

/// Throws Error(internal) unless the list is empty or has one element per row.
void require_row_list(lidx rows, const std::vector<lidx>& row_list);

/// Elements of the longest of the rows that begin and end there, 0 without rows. OpenMP. Pure.
offset most_in_a_row(const std::vector<offset>& row_ptr);

/// Length of the longest row, 0 without rows. Throws Error(input) if a lidx cannot count it. OpenMP.
template <class T>
lidx longest_row(const Csr<T>& block);

/// Elements of every row, in this order of the rows (empty: as they are). Throws as longest_row(). OpenMP.
std::vector<lidx> row_lengths(const std::vector<offset>& row_ptr, const std::vector<lidx>& order = {});

}  // namespace spmv
