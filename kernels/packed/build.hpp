// Packing a block, step by step, on the device.
//
//   block ─► copy on the device ─► b = 1 ───────────────────────────────► slices ─► heads and streams
//                               └► b > 1: block columns ─► b x b values ─┘
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/device_arrays.hpp"

namespace spmv {

/// A packed block. Its row list and threads are still to be set in the view.
template <class T>
struct Packed {
  DeviceArrays arrays;  // what the view points to
  PackedView<T> view;
  std::vector<Slice> slices;  // on the host
  double unread_bytes = 0;    // of `arrays`, that no product reads: padding, and lengths of even slices
  offset stored = 0;          // values, with padding
};

struct PackRequest {
  std::string format = {};  // for messages
  int b = 1;                // in blocks of b x b
  /// On CUDA slices of few patterns are grouped (patterns.hpp) where b is 1 and there are at least so many of them.
  lidx least_grouped = std::numeric_limits<lidx>::max();
  double more_bytes = 0;  // of device memory that the caller is going to take
  /// On CUDA so many elements are looked at together where block columns are found, which takes 12 bytes for each; more only
  /// where one block row has more.
  offset most_keys = offset{1} << 26;
};

/// Packs `block`, its rows in this order. Throws Error(memory), before it takes what there is not enough of, or if the
/// packed block is larger than 128 GiB, Error(input) if a row is longer than Slice::most_width or as
/// cover_with_blocks(). Local; blocks.
template <class T>
Packed<T> pack_block(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                     const std::shared_ptr<Backend>& backend);

/// Packs and unpacks again, both on the backend's device: the elements come back in the order of the rows. For tests.
template <class T>
Elements<T> pack_and_unpack(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                            const std::shared_ptr<Backend>& backend, std::vector<Slice>* slices = nullptr);

/// Elements on the device, to be packed there.
template <class T>
struct DeviceElements {
  DeviceArrays arrays;          // what `from` points to
  BlockSource<T> from;          // of b x b values each
  std::vector<offset> row_ptr;  // on the host
  bool holes = false;
};

/// cover_with_blocks() on a GPU. `check` gets the elements before every block row, before memory is taken for their
/// values. Throws as cover_with_blocks(), and what `check` throws. Local; blocks.
template <class T>
DeviceElements<T> cover_on_device(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                                  const std::function<void(const std::vector<offset>& row_ptr)>& check,
                                  const std::shared_ptr<Backend>& backend);
/// Bytes of device memory that cover_on_device() takes before it asks `check`.
template <class T>
double cover_bytes(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                   const Backend& backend);

}  // namespace spmv
