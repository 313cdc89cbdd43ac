// The kernel of random vectors on one backend.
#pragma once

#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/random_phases.hpp"

namespace spmv::test {

/// Element `id` of vector `number`, by the numbers that products are tested with.
template <class T>
T expected_phase(gidx id, unsigned number) {
  const double uniform = x_value<double>(id, number);
  if constexpr (is_complex<T>) {
    const std::vector<T> roots = {T(1, 0), T(0, 1), T(-1, 0), T(0, -1)};
    return roots[static_cast<std::size_t>(std::floor(2 * (uniform + 1)))];
  } else {
    return uniform < 0 ? T(-1) : T(1);
  }
}

/// Start vector `number` of `seed`.
template <class T>
std::vector<T> expected_phases(const std::vector<gidx>& ids, unsigned seed, unsigned number) {
  constexpr unsigned numbers = 1U << 16U;
  std::vector<T> v;
  for (const gidx id : ids) v.push_back(expected_phase<T>(id, seed * numbers + number));
  return v;
}

/// Bit by bit, with ids beyond 2^32; and the mean of many elements and of their squares.
template <class T>
void check_random_phases(const std::shared_ptr<Backend>& backend) {
  const auto queue = backend->make_queue(Priority::normal);
  for (const std::size_t count : {0U, 1U, 700U, 100000U})
    for (const unsigned number : {0U, 5U, 65536U * 65535U + 9999U}) {
      std::vector<gidx> ids;
      for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<gidx>(i * i + (i % 3 << 40U)));
      const Buffer<gidx> device_ids = upload(backend, ids.data(), ids.size());
      std::vector<T> v(count + 1, T(77));
      Buffer<T> device_v = upload(backend, v.data(), v.size());
      queue_random_phases(*queue, static_cast<lidx>(count), device_ids.data(), number, device_v.data());
      queue->synchronize();
      download(*backend, v.data(), device_v.data(), v.size());
      T sum = 0, squares = 0;
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(v[i], expected_phase<T>(ids[i], number)) << "element " << i << " of vector " << number;
        sum += v[i];
        squares += v[i] * v[i];
      }
      EXPECT_EQ(v.back(), T(77)) << "the element after the last one changed";
      const double spread = 5 * std::sqrt(static_cast<double>(count));
      EXPECT_LE(std::abs(sum), spread);
      if (is_complex<T>) {
        EXPECT_LE(std::abs(squares), spread);
      }
    }
}

}  // namespace spmv::test
