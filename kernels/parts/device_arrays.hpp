#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/types.hpp"

namespace spmv {

/// Owns device copies of host arrays; a format's view points into them.
class DeviceArrays {
 public:
  explicit DeviceArrays(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  /// Device address of a copy of `array`. Blocks until it is copied.
  template <class Element>
  const Element* add(const std::vector<Element>& array) {
    buffers_.push_back(
        upload(backend_, reinterpret_cast<const std::byte*>(array.data()), array.size() * sizeof(Element)));
    bytes_ += buffers_.back().bytes();
    return reinterpret_cast<const Element*>(buffers_.back().data());
  }
  /// The same, after which zeros fill a whole number of units of 16 bytes: so kernels may copy it unit by unit.
  template <class Element>
  const Element* add_whole_units(const std::vector<Element>& array) {
    constexpr std::size_t unit = 16;
    const std::size_t bytes = array.size() * sizeof(Element);
    auto* const at = reinterpret_cast<std::byte*>(allocate<unsigned char>((bytes + unit - 1) / unit * unit));
    if (bytes == 0) return reinterpret_cast<const Element*>(at);
    const auto queue = backend_->make_queue(Priority::normal);
    queue->fill(at + bytes / unit * unit, 0, buffers_.back().bytes() - bytes / unit * unit);
    queue->synchronize();
    backend_->upload(at, array.data(), bytes);
    return reinterpret_cast<const Element*>(at);
  }
  /// Device memory for `count` elements, not initialised.
  template <class Element>
  Element* allocate(std::size_t count) {
    buffers_.emplace_back(backend_, count * sizeof(Element), Memory::device);
    bytes_ += buffers_.back().bytes();
    return reinterpret_cast<Element*>(buffers_.back().data());
  }
  /// nullptr for an empty list, which means the identity.
  const lidx* add_row_list(const std::vector<lidx>& list) { return list.empty() ? nullptr : add(list); }
  std::size_t bytes() const { return bytes_; }
  /// See Backend::cache_bytes().
  std::size_t cache_bytes() const { return backend_->cache_bytes(); }

 private:
  std::shared_ptr<Backend> backend_;
  std::vector<Buffer<std::byte>> buffers_;
  std::size_t bytes_ = 0;
};

}  // namespace spmv
