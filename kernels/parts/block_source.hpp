// A block as a format reads it while it is built: where the device reads it, its rows in the order that the format wants.
//
//   row i of the format  ─►  row order[i] of the block  ─►  its elements, columns renamed by `position`
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/parts/device_arrays.hpp"

namespace spmv {

/// All pointers are memory that whoever builds reads: the device's, or the host's where host code builds.
template <class T>
struct BlockSource {
  lidx rows = 0;
  const offset* row_ptr = nullptr;  // of the rows as they are in the block, like col and value
  const lidx* col = nullptr;
  const T* value = nullptr;
  const lidx* order = nullptr;     // row i is row order[i] of the block; nullptr: they are as they are
  const lidx* position = nullptr;  // column c becomes position[c] where c < renamed
  lidx renamed = 0;

  /// Elements begin(row) to end(row) - 1 of col and value are those of the row that comes at this place.
  constexpr offset begin(offset row) const { return row_ptr[from_row(row)]; }
  constexpr offset end(offset row) const { return row_ptr[from_row(row) + 1]; }
  constexpr lidx length(offset row) const { return static_cast<lidx>(end(row) - begin(row)); }
  /// The column, as the format names it, of the block's element k.
  constexpr lidx column(offset k) const { return col[k] < renamed ? position[col[k]] : col[k]; }
  constexpr offset from_row(offset row) const { return order == nullptr ? row : order[row]; }
};

/// A block where host code reads it. Block and order must live as long.
template <class T>
BlockSource<T> block_on_host(const Csr<T>& block, const RowOrder& order) {
  BlockSource<T> source;
  source.rows = block.rows;
  source.row_ptr = block.row_ptr.data();
  source.col = block.col.data();
  source.value = block.value.data();
  if (!order.rows.empty()) source.order = order.rows.data();
  source.position = order.position.data();
  source.renamed = static_cast<lidx>(order.position.size());
  return source;
}

/// Owns the device copies that a source points to, except those that the backend keeps. A device that runs host code reads
/// the block and the order themselves, which must live as long. Local; blocks until everything is copied.
template <class T>
class BlockOnDevice {
 public:
  BlockOnDevice(const Csr<T>& block, const RowOrder& order, const std::shared_ptr<Backend>& backend)
      : arrays_(backend) {
    source_ = block_on_host(block, order);
    if (backend->runs_host_code()) return;
    source_.row_ptr = on_device(block.row_ptr, *backend);
    source_.col = on_device(block.col, *backend);
    source_.value = on_device(block.value, *backend);
    if (!order.rows.empty()) source_.order = arrays_.add(order.rows);
    if (!order.position.empty()) source_.position = arrays_.add(order.position);
  }

  const BlockSource<T>& source() const { return source_; }

  /// Bytes of the copies.
  static double bytes(const Csr<T>& block, const RowOrder& order, const Backend& backend) {
    if (backend.runs_host_code()) return 0;
    return bytes(block.row_ptr, backend) + bytes(block.col, backend) + bytes(block.value, backend) +
           static_cast<double>(order.rows.size() + order.position.size()) * sizeof(lidx);
  }

 private:
  template <class Element>
  static const void* kept(const std::vector<Element>& array, const Backend& backend) {
    return backend.kept_copy(array.data(), array.size() * sizeof(Element));
  }
  template <class Element>
  static double bytes(const std::vector<Element>& array, const Backend& backend) {
    return kept(array, backend) != nullptr ? 0 : static_cast<double>(array.size() * sizeof(Element));
  }
  template <class Element>
  const Element* on_device(const std::vector<Element>& array, const Backend& backend) {
    const void* const copy = kept(array, backend);
    return copy != nullptr ? static_cast<const Element*>(copy) : arrays_.add(array);
  }

  DeviceArrays arrays_;
  BlockSource<T> source_;
};

}  // namespace spmv
