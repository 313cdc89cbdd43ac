// Packing a block, step by step, on the device.
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/device_arrays.hpp"

namespace spmv {

/// The slices of a source, packed: owns the arrays, which the view refers to.
template <class T>
struct Packed {
  DeviceArrays arrays;
  PackedView<T> view;
  std::vector<Slice> slices;
  double unread_bytes = 0;
  offset stored = 0;
};

/// Packs blocks of b x b.
template <class T>
Packed<T> pack_elements(const Elements<T>& elements, const std::shared_ptr<Backend>& backend);

/// Packs single elements, b = 1, without a copy of them on the host.
template <class T>
Packed<T> pack_single_elements(const Csr<T>& block, const std::shared_ptr<Backend>& backend);

}  // namespace spmv
