// The gather kernel on one backend.
#pragma once

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/gather.hpp"

namespace spmv::test {

template <class T>
void check_gather(const std::vector<lidx>& index, const std::shared_ptr<Backend>& backend) {
  std::vector<T> x(2000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x_value<T>(static_cast<gidx>(i), 1);
  const Buffer<T> device_x = upload(backend, x.data(), x.size());
  std::vector<T> send_buffer(index.size() + 1, T(77));
  Buffer<T> device_send_buffer = upload(backend, send_buffer.data(), send_buffer.size());
  const Gather<T> gather(index, backend);
  EXPECT_EQ(gather.size(), static_cast<lidx>(index.size()));
  const auto queue = backend->make_queue(Priority::urgent);
  gather.apply(*queue, device_x.data(), device_send_buffer.data());
  queue->synchronize();
  download(*backend, send_buffer.data(), device_send_buffer.data(), send_buffer.size());
  for (std::size_t k = 0; k < index.size(); ++k) ASSERT_EQ(send_buffer[k], x[index[k]]) << "element " << k;
  EXPECT_EQ(send_buffer.back(), T(77)) << "the element after the last one changed";
}

template <class T>
void check_gathers(const std::shared_ptr<Backend>& backend) {
  check_gather<T>({}, backend);               // no elements: a CUDA launch without thread blocks is an error
  check_gather<T>({1999}, backend);           // the last element
  check_gather<T>({5, 5, 0, 7, 5}, backend);  // several neighbours need the same element
  std::vector<lidx> backwards;                // several thread blocks, the last one partly filled
  for (lidx i = 1999; i >= 3; i -= 3) backwards.push_back(i);
  check_gather<T>(backwards, backend);
}

}  // namespace spmv::test
