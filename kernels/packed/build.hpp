// Packing a block, step by step, on the device.
#pragma once

#include <memory>
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

/// Packs blocks of b x b. Throws Error(memory) if the packed block is larger than 128 GiB. Local; blocks.
template <class T>
Packed<T> pack_elements(const Elements<T>& elements, const std::shared_ptr<Backend>& backend);

/// Packs single elements, b = 1, without a copy of them on the host. On CUDA slices of few patterns are grouped
/// (patterns.hpp) where there are at least `least_grouped` of them.
template <class T>
Packed<T> pack_single_elements(const Csr<T>& block, lidx least_grouped,
                               const std::shared_ptr<Backend>& backend);

}  // namespace spmv
