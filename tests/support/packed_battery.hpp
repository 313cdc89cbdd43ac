// Packing on one backend: it must keep every bit, and must pack whatever it can.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "kernels/packed/build.hpp"
#include "kernels/row_order.hpp"
#include "support/block_battery.hpp"

namespace spmv::test {

/// Numbers whose bits are easily lost: both zeros, denormals, infinities, NaNs with signs and payloads, the
/// largest and smallest values that the half-size type holds exactly, and their neighbours, which it does
/// not.
template <class R>
std::vector<R> awkward_numbers() {
  using Limits = std::numeric_limits<R>;
  std::vector<R> numbers = {R(0),
                            -R(0),
                            R(1),
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            Limits::min(),
                            Limits::max(),
                            Limits::lowest(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            std::nextafter(R(1), R(2)),
                            R(1) / 3};
  if constexpr (sizeof(R) == 8) {
    using Half = std::numeric_limits<float>;
    for (const double exact : {double{Half::denorm_min()}, double{Half::max()}, double{Half::min()}})
      for (const double near : {exact, std::nextafter(exact, 0.0), std::nextafter(exact, 1e300)})
        numbers.push_back(near);
    for (const std::uint64_t bits : {0x7ff8000000000000u, 0xfff8000000000001u, 0x7ff0000000000001u,
                                     0x7ff8dead00000000u, 0xfff7ffffffffffffu}) {
      double nan;
      std::memcpy(&nan, &bits, sizeof(nan));
      numbers.push_back(nan);
    }
  } else {
    for (const std::uint32_t bits : {0x7fc00000u, 0xffc00001u, 0x7f800001u, 0x7fdead00u}) {
      float nan;
      std::memcpy(&nan, &bits, sizeof(nan));
      numbers.push_back(nan);
    }
  }
  return numbers;
}

/// `kinds` different values: the awkward ones first, then numbers that the half-size type holds (`exact`) or
/// does not.
template <class T>
std::vector<T> value_pool(std::size_t kinds, bool exact) {
  using R = RealOf<T>;
  std::vector<R> numbers = awkward_numbers<R>();
  if (exact) {
    std::vector<R> kept;
    for (const R number : numbers)
      if (static_cast<R>(static_cast<float>(number)) == number) kept.push_back(number);
    numbers = kept;
  }
  for (int i = 0; numbers.size() < kinds; ++i) numbers.push_back(exact ? R(i) + R(0.5) : R(1) / R(i + 3));
  numbers.resize(kinds);
  std::vector<T> pool(kinds);
  for (std::size_t i = 0; i < kinds; ++i) {
    if constexpr (is_complex<T>) {
      R parts[2] = {numbers[i], numbers[(i * 7 + 1) % kinds]};
      std::memcpy(&pool[i], parts, sizeof(T));
    } else {
      pool[i] = numbers[i];
    }
  }
  return pool;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Every pattern of the battery with values from `pool`, in b x b blocks.
template <class T>
void check_packing(const std::vector<T>& pool, int b, const std::shared_ptr<Backend>& backend) {
  for (const Pattern& pattern : block_patterns()) {
    SCOPED_TRACE("'" + pattern.name + "', blocks of " + std::to_string(b) + ", " +
                 std::to_string(pool.size()) + " values, " + value_name<T>());
    Csr<T> block = make_block<T>(pattern);
    for (std::size_t k = 0; k < block.value.size(); ++k)
      std::memcpy(&block.value[k], &pool[(k * 31 + k / 97) % pool.size()], sizeof(T));
    // In the given order, and with rows and columns reversed.
    std::vector<lidx> last_first(static_cast<std::size_t>(block.rows));
    std::iota(last_first.rbegin(), last_first.rend(), 0);
    std::vector<lidx> position(static_cast<std::size_t>(block.cols));
    std::iota(position.rbegin(), position.rend(), 0);
    for (const RowOrder& order : {RowOrder{}, RowOrder{last_first, {}}, RowOrder{last_first, position}}) {
      const Csr<T> moved = permute_rows(block, order.rows, order.position);
      Elements<T> before{moved.rows, moved.cols, 1, false, moved.row_ptr, moved.col, moved.value};
      if (b > 1) before = cover_with_blocks(moved, b);
      // All block rows together, or a few.
      const offset most_keys = order.position.empty() ? block.nonzeros() + 1 : block.nonzeros() / 3;
      const Elements<T> after = pack_and_unpack(block, order, {.b = b, .most_keys = most_keys}, backend);
      EXPECT_EQ(after.col, before.col);
      EXPECT_TRUE(same_bits(after.value, before.value));
    }
  }
}

template <class T>
void check_all_packing(const std::shared_ptr<Backend>& backend) {
  for (const int b : {1, 2, 3, 6}) {
    check_packing(value_pool<T>(1, false), b, backend);
    check_packing(value_pool<T>(30, false), b, backend);
    check_packing(value_pool<T>(256, false), b, backend);
    check_packing(value_pool<T>(257, false), b, backend);
    check_packing(value_pool<T>(300, true), b, backend);
    check_packing(value_pool<T>(1000, false), b, backend);
  }
}

}  // namespace spmv::test
