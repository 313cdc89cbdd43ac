// From the caller's arrays to the rows that the library works on.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"
#include "spmv_dist/spmv_dist.hpp"

namespace spmv::lib {

/// One rank's rows, in ids of which every rank owns a contiguous range.
template <class T>
struct CallerRows {
  Ownership owners;
  RowBlock<T> block;          // columns ascending, none repeated
  std::vector<gidx> row_ids;  // the caller's id of each of this rank's rows
  std::vector<gidx> col_ids;  // likewise of its columns
  offset elements = 0;        // that the caller passed
  std::vector<offset> place;  // where in `block` each of them is; empty: in the caller's order
};

/// Checks and copies the caller's arrays. Collective; throws AgreedError: input for arrays that are not the rows of a
/// matrix, usage for wrong calls.
template <class T>
CallerRows<T> take_rows(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                        const spmv_dist::Rows<T>& rows);

/// The values of CallerRows::block for new values in the caller's order, rows.elements of them. Pure.
template <class T>
std::vector<T> place_values(const std::vector<offset>& place, offset stored, std::vector<T> values);

/// A host copy of `count` elements in host or device memory. `name`: for messages. Throws Error(usage) if the memory is not
/// where `where` says. Local.
template <class V>
std::vector<V> to_host(const std::shared_ptr<Backend>& backend, const V* at, offset count,
                       spmv_dist::Where where, const char* name);

/// Whether `at` is device memory. Throws as to_host(). Local.
bool on_device(const Backend& backend, const void* at, spmv_dist::Where where, const char* name);

}  // namespace spmv::lib
