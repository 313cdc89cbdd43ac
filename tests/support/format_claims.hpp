// What a format's row says of its kernels, compared with what its operators answer.
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "core/error.hpp"
#include "kernels/format.hpp"
#include "support/block_battery.hpp"

namespace spmv::test {

/// Calls check(format, make) for every format that is there, where make() makes its operator of one block.
template <class T, class Check>
void for_every_format(const std::shared_ptr<Backend>& backend, const Check& check) {
  const Pattern pattern = random_pattern("", 70, 90, [](lidx i) { return i % 9; });
  for (const Format<T>& format : formats<T>()) {
    if (!why_unusable(format, *backend).empty()) continue;
    SCOPED_TRACE(format.name);
    const Csr<T> block = make_block<T>(pattern, format.row_order(make_block<T>(pattern), {}));
    check(format, [&] { return format.make({block, {}, {}, backend}); });
  }
}

/// Fails unless formats fuse local and nonlocal block into one kernel with the exchange exactly where the
/// format's row says so.
template <class T>
void check_which_formats_fuse(const std::shared_ptr<Backend>& backend) {
  for_every_format<T>(backend, [](const Format<T>& format, const auto& make) {
    const auto interior = make(), boundary = make();
    EXPECT_EQ(interior->fuses(*boundary), format.fuses);
  });
}

/// Fails unless products of a format sum their rows exactly where the format's row says so: on a GPU alone.
template <class T>
void check_which_formats_sum(const std::shared_ptr<Backend>& backend) {
  const auto queue = backend->make_queue(Priority::normal);
  for_every_format<T>(backend, [&](const Format<T>& format, const auto& make) {
    const auto op = make();
    EXPECT_EQ(op->sums(*queue, 1), format.sums && queue->takes_cuda_kernels());
    EXPECT_EQ(op->sums(*queue, 2), format.sums_columns && queue->takes_cuda_kernels());
  });
}

/// Fails unless formats have kernels for several columns exactly where their rows say so, for 1 to most_columns of them, and
/// others refuse.
template <class T>
void check_which_formats_take_columns(const std::shared_ptr<Backend>& backend) {
  const auto queue = backend->make_queue(Priority::normal);
  for_every_format<T>(backend, [&](const Format<T>& format, const auto& make) {
    const auto op = make();
    EXPECT_EQ(op->takes_columns(), format.columns);
    for (const int k : {0, most_columns + 1, format.columns ? -1 : 1})
      EXPECT_THROW(op->apply_columns(*queue, nullptr, nullptr, k, Update::assign), Error) << k;
  });
}

}  // namespace spmv::test
