#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "core/backend.hpp"

namespace spmv {

/// Owns `size()` elements of a backend's memory. Move-only. Elements are not initialised.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<Backend> backend, std::size_t size, Memory memory)
      : backend_(std::move(backend)), size_(size), memory_(memory) {
    data_ = static_cast<T*>(backend_->allocate(size * sizeof(T), memory));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) backend_->release(data_, memory_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(memory_, other.memory_);
  }

  std::shared_ptr<Backend> backend_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Memory memory_ = Memory::device;
};

/// Device memory with a copy of `count` elements from host memory at `from`. Blocks until the copy is done.
template <class T>
Buffer<T> upload(const std::shared_ptr<Backend>& backend, const T* from, std::size_t count) {
  Buffer<T> buffer(backend, count, Memory::device);
  if (count > 0) backend->upload(buffer.data(), from, buffer.bytes());
  return buffer;
}

/// Copies `count` elements of device memory to host memory at `to`. Blocks until the copy is done.
template <class T>
void download(Backend& backend, T* to, const T* from, std::size_t count) {
  if (count == 0) return;
  auto queue = backend.make_queue(Priority::normal);
  queue->copy(to, from, count * sizeof(T), Copy::to_host);
  queue->synchronize();
}

}  // namespace spmv
