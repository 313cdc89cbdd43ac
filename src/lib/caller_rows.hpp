// From the caller's arrays to the rows that everything behind the library's interface works on.
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
  Shape shape;
  RowPartition rows;
  RowPartition cols;
  RowBlock<T> block;          // columns ascending, none repeated
  std::vector<gidx> row_ids;  // the caller's id of each of this rank's rows
  std::vector<gidx> col_ids;  // likewise of its columns
  offset elements = 0;        // that the caller has given
  std::vector<offset> place;  // where in `block` each of them went; empty: where it was
};

/// Checks the arrays and copies them. Collective; throws AgreedError: input for arrays that are not rows
/// of a matrix, usage for calls that make no sense.
template <class T>
CallerRows<T> take_rows(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                        const spmv_dist::Rows<T>& rows);

/// The values of CallerRows::block for other values of the caller's, who has given `rows.elements` of
/// them. Pure.
template <class T>
std::vector<T> place_values(const std::vector<offset>& place, offset stored, std::vector<T> values);

/// `count` elements in host or device memory, as a copy in host memory. `name` them for messages. Throws
/// Error(usage) for memory that cannot be where it is said to be. Local.
template <class V>
std::vector<V> to_host(const std::shared_ptr<Backend>& backend, const V* at, offset count,
                       spmv_dist::Where where, const char* name);

/// Whether memory is to be read as device memory. Throws as to_host(). Local.
bool on_device(const Backend& backend, const void* at, spmv_dist::Where where, const char* name);

}  // namespace spmv::lib
