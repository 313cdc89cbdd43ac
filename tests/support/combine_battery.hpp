// Combinations of vectors on one backend, against the same in long double.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/combine/combine.hpp"
#include "support/device_vectors.hpp"
#include "support/random_combinations.hpp"

namespace spmv::test {

/// x += alpha p; r -= alpha s; p = r + beta p; (r, r), (p, r): what an iteration of conjugate gradients does.
template <class T>
void check_update(const std::shared_ptr<Backend>& backend, lidx count) {
  DeviceVectors<T> v(backend, count, 4);
  Scalars<T> scalars(backend);
  put_in_slots(backend, scalars, {0.75, -0.5, 3});
  const auto queue = backend->make_queue(Priority::normal);
  Combination<T> c;
  const Number alpha = slot(0), beta = where(slot(1) < slot(2), slot(1));
  c.record(1, beta);
  c.store(9, alpha * beta);
  const auto x = v[0], r = v[1], p = v[2], s = v[3];
  c.set(x, x + alpha * p);
  c.set(r, r - alpha * s);
  c.set(p, r + beta * p);
  c.sum(4, r, r);
  c.sum(5, p, r);
  queue_combination(*queue, c, scalars, 7);
  queue_own_sums(*queue, scalars, {4, 2});
  queue->synchronize();

  const double tolerance = 4 * std::numeric_limits<RealOf<T>>::epsilon();
  Wide<T> rr = 0, pr = 0;
  const auto new_x = v.now(0), new_r = v.now(1), new_p = v.now(2), new_s = v.now(3);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Wide<T> want_x = wide(v.host[0][i]) + Wide<T>(0.75) * wide(v.host[2][i]);
    const Wide<T> want_r = wide(v.host[1][i]) - Wide<T>(0.75) * wide(v.host[3][i]);
    const Wide<T> want_p = want_r - Wide<T>(0.5) * wide(v.host[2][i]);
    ASSERT_NEAR(0, std::abs(wide(new_x[i]) - want_x), tolerance) << i;
    ASSERT_NEAR(0, std::abs(wide(new_r[i]) - want_r), tolerance) << i;
    ASSERT_NEAR(0, std::abs(wide(new_p[i]) - want_p), tolerance) << i;
    rr += wide_conjugate<T>(want_r) * want_r;
    pr += wide_conjugate<T>(want_p) * want_r;
  }
  EXPECT_EQ(new_s, v.host[3]) << "a vector that is only read changed";
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(v.now(i).back(), v.host[static_cast<std::size_t>(i)].back()) << "beyond the end";
  const auto close = [&](ScalarOf<T> got, Wide<T> want) {
    EXPECT_NEAR(0, std::abs(Wide<T>(to_standard(got)) - want), 1e-13 * (count + 1)) << count;
  };
  close(slot_now(backend, scalars, 4), rr);
  close(slot_now(backend, scalars, 5), pr);
  EXPECT_EQ(real_part(slot_now(backend, scalars, 9)), -0.375);
  ASSERT_TRUE(scalars.has_line(7));
  EXPECT_EQ(scalars.line(7)[1], -0.5);
}

/// A coefficient of 0 drops its term even if the vector is no number; so does a condition that is no number.
template <class T>
void check_dropped_terms(const std::shared_ptr<Backend>& backend) {
  constexpr lidx count = 300;
  DeviceVectors<T> v(backend, count, 2);
  Scalars<T> scalars(backend);
  put_in_slots(backend, scalars, {std::numeric_limits<double>::quiet_NaN(), 1});
  const auto queue = backend->make_queue(Priority::normal);
  queue->fill(v.at(1), 0xff, count * sizeof(T));  // NaN
  Combination<T> c;
  c.set(v[0], v[0] + where(slot(0) < slot(1), slot(0)) * v[1]);
  queue_combination(*queue, c, scalars, 1);
  queue->synchronize();
  EXPECT_EQ(v.now(0), v.host[0]);
}

/// A target that is written before it is read is not loaded; a product element by element goes through a scratch vector.
template <class T>
void check_scratch(const std::shared_ptr<Backend>& backend) {
  constexpr lidx count = 1000;
  DeviceVectors<T> v(backend, count, 3);
  Scalars<T> scalars(backend);
  const auto queue = backend->make_queue(Priority::normal);
  queue->fill(v.at(2), 0xff, count * sizeof(T));
  Combination<T> c;
  const auto d = v[0], r = v[1], p = v[2], z = c.scratch();
  c.multiply(z, d, r);
  c.set(p, z);
  c.sum(0, r, z);
  queue_combination(*queue, c, scalars, 1);
  queue_own_sums(*queue, scalars, {0, 1});
  queue->synchronize();
  const auto p_now = v.now(2);
  Wide<T> rz = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Wide<T> want = wide(v.host[0][i]) * wide(v.host[1][i]);
    ASSERT_NEAR(0, std::abs(wide(p_now[i]) - want), 2 * std::numeric_limits<RealOf<T>>::epsilon());
    rz += wide_conjugate<T>(wide(v.host[1][i])) * want;
  }
  EXPECT_NEAR(0, std::abs(Wide<T>(to_standard(slot_now(backend, scalars, 0))) - rz), 1e-10);
}

/// What a combination may change: x and y, the sum in slot 0 and the number in slot 9.
template <class T>
struct Changed {
  std::vector<T> x, y;
  double total;
  double stored;
  bool operator==(const Changed&) const = default;
};

/// Combinations that have requirements, in a loop or not, on the same vectors and slots. Slot 1 has `condition`.
template <class T>
class Requiring {
 public:
  Requiring(const std::shared_ptr<Backend>& backend, lidx count, double condition)
      : backend_(backend),
        queue_(backend->make_queue(Priority::normal)),
        v_(backend, count, 2),
        scalars_(backend),
        count_(count) {
    put_in_slots(backend, scalars_, {0, condition, 1});
  }
  /// x += y; y = x; (x, y); each checks a line. `elements`: a sum of few has fewer parts than one of many.
  void run(const std::vector<int>& required_slots, bool in_loop, lidx elements) {
    Combination<T> c;
    const VectorRef<T> x{v_.at(0), elements}, y{v_.at(1), elements};
    for (const int required : required_slots) c.require(slot(required));
    c.record(0, slot(1) + static_cast<double>(++line_));
    c.store(9, static_cast<double>(line_));
    c.set(x, x + y);
    c.set(y, x);
    c.sum(0, x, y);
    queue_combination(*queue_, c, scalars_, line_, in_loop);
    queue_own_sums(*queue_, scalars_, {0, 1});
    queue_->synchronize();
    ASSERT_TRUE(scalars_.has_line(line_));
    const double want = real_part(slot_now(backend_, scalars_, 1)) + static_cast<double>(line_);
    const double got = scalars_.line(line_)[0];
    EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want))) << got << " for " << want;
  }
  void run(const std::vector<int>& required_slots, bool in_loop) { run(required_slots, in_loop, count_); }
  void forget_stop() { scalars_.forget_stop(*queue_); }
  Changed<T> now() {
    return {v_.now(0), v_.now(1), real_part(slot_now(backend_, scalars_, 0)),
            real_part(slot_now(backend_, scalars_, 9))};
  }

 private:
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  DeviceVectors<T> v_;
  Scalars<T> scalars_;
  lidx count_;
  std::uint64_t line_ = 0;
};

/// What is required and does not hold stops a combination, and in a loop all that follow; it still records.
template <class T>
void check_requirements(const std::shared_ptr<Backend>& backend, lidx count, double condition) {
  const bool holds = condition != 0 && !std::isnan(condition);
  Requiring<T> r(backend, count, condition);
  r.run({2}, true);
  auto before = r.now();
  const auto check = [&](const char* what, bool changes) {
    const auto now = r.now();
    EXPECT_EQ(now != before, changes) << what;
    EXPECT_EQ(now.stored != before.stored, changes) << what;
    before = now;
  };
  r.run({1}, false);
  check("outside of a loop", holds);
  r.run({}, true);
  check("in a loop after it: the flag is none of its business", true);
  r.run({2, 1}, true);
  check("the second requirement, in a loop", holds);
  r.run({1, 2}, true, count / 300);
  check("the first requirement, with fewer parts", holds);
  r.run({}, true);
  check("without a requirement, in the loop", holds);
  r.run({2}, true);
  check("with another requirement, in the loop", holds);
  r.run({}, false);
  check("outside of the loop", true);
  r.run({2}, true, count / 300);
  check("the loop again, with fewer parts", holds);
  r.run({}, true);
  check("the loop again", holds);
  r.forget_stop();
  r.run({2}, true);
  check("a new loop", true);
}

template <class T>
void check_requirements(const std::shared_ptr<Backend>& backend) {
  for (const lidx count : {1, 300, 70000})
    for (const double condition : {1.0, -1e-300, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
      SCOPED_TRACE(std::to_string(count) + " elements, condition " + std::to_string(condition));
      check_requirements<T>(backend, count, condition);
    }
}

/// On hosts (y, y) has the same bits whether y has just been made or was there before: solvers may be written in either way.
template <class T>
void check_squares(const std::shared_ptr<Backend>& backend) {
  for (const lidx count : {1, 300, 1031}) {
    DeviceVectors<T> v(backend, count, 3);
    Scalars<T> scalars(backend);
    const auto queue = backend->make_queue(Priority::normal);
    Combination<T> makes, reads;
    const auto x = v[0], y = v[1], z = v[2];
    makes.set(y, x - 0.3125 * y).sum(0, y, y);
    reads.sum(1, y, y).sum(2, y, z);
    queue_combination(*queue, makes, scalars, 1);
    queue_combination(*queue, reads, scalars, 2);
    queue_own_sums(*queue, scalars, {0, 2});
    queue->synchronize();
    const auto made = slot_now(backend, scalars, 0), read = slot_now(backend, scalars, 1);
    if (sizeof(RealOf<T>) == sizeof(double) && !queue->takes_cuda_kernels())
      EXPECT_EQ(to_standard(made), to_standard(read)) << count;
    else
      EXPECT_NEAR(0, std::abs(to_standard(made) - to_standard(read)),
                  40 * std::numeric_limits<RealOf<T>>::epsilon() * std::abs(to_standard(read)));
  }
}

/// Sums of ranks are added in the order of the ranks, own included.
template <class T>
void check_rank_sums(const std::shared_ptr<Backend>& backend) {
  Scalars<T> scalars(backend);
  put_in_slots(backend, scalars, {1e16, 1});
  using S = ScalarOf<T>;
  // Ranks 0, 1 and 3 of 4; this is rank 2. In any other order the first sum is not 0.
  const std::vector<S> others = {scalar_of<S>(1), scalar_of<S>(2),     scalar_of<S>(1),
                                 scalar_of<S>(3), scalar_of<S>(-1e16), scalar_of<S>(4)};
  const auto device_others = upload(backend, others.data(), others.size());
  const auto queue = backend->make_queue(Priority::normal);
  queue_rank_sums(*queue, scalars, {0, 2}, device_others.data(), 2, 4);
  queue->synchronize();
  EXPECT_EQ(real_part(slot_now(backend, scalars, 0)), ((1.0 + 1.0) + 1e16) - 1e16);
  EXPECT_EQ(real_part(slot_now(backend, scalars, 1)), 10);
}

/// Sums of several columns: of a rank, those of column 0 come first.
template <class T>
void check_rank_sums_of_columns(const std::shared_ptr<Backend>& backend) {
  constexpr int columns = 3;
  Scalars<T> scalars(backend, columns);
  for (int j = 0; j < columns; ++j) put_in_slots(backend, scalars, {7, 10.0 * j, 20.0 * j}, j);
  using S = ScalarOf<T>;
  std::vector<S> others;  // of ranks 1 and 2 of 3
  for (int rank = 1; rank < 3; ++rank)
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < 2; ++i) others.push_back(scalar_of<S>(100 * rank + 10 * i + j));
  const auto device_others = upload(backend, others.data(), others.size());
  const auto queue = backend->make_queue(Priority::normal);
  queue_rank_sums(*queue, scalars, {1, 2}, device_others.data(), 0, 3);
  queue->synchronize();
  for (int j = 0; j < columns; ++j) {
    EXPECT_EQ(real_part(slot_now(backend, scalars, 0, j)), 7);
    EXPECT_EQ(real_part(slot_now(backend, scalars, 1, j)), 10 * j + 300 + 2 * j);
    EXPECT_EQ(real_part(slot_now(backend, scalars, 2, j)), 20 * j + 320 + 2 * j);
  }
}

/// A column whose requirement does not hold stops for itself, and for the rest of a loop.
template <class T>
void check_columns_stop_alone(const std::shared_ptr<Backend>& backend) {
  constexpr int columns = 3;
  constexpr lidx rows = 400;
  Scalars<T> scalars(backend, columns);
  DeviceVectors<T> v(backend, rows * columns, 2);
  for (int j = 0; j < columns; ++j) put_in_slots(backend, scalars, {0, 1, 1.0 - j % 2}, j);
  const auto queue = backend->make_queue(Priority::normal);
  const auto add = [&](int required, bool in_loop, std::uint64_t line) {
    Combination<T> c;
    c.require(slot(required)).record(0, slot(required)).set(v[0], v[0] + v[1]).sum(0, v[1], v[1]);
    queue_combination(*queue, c, scalars, line, in_loop);
  };
  add(2, true, 1);   // not column 1
  add(1, true, 2);   // not column 1: it has stopped
  add(1, false, 3);  // all
  scalars.forget_stop(*queue);
  add(1, true, 4);  // all
  queue->synchronize();
  const std::vector<T> now = v.now(0);
  for (std::size_t i = 0; i + 1 < now.size(); ++i) {
    const int additions = i % columns == 1 ? 2 : 4;
    T want = v.host[0][i];
    for (int n = 0; n < additions; ++n) want += v.host[1][i];
    ASSERT_NEAR(0, std::abs(wide(now[i]) - wide(want)), 8 * std::numeric_limits<RealOf<T>>::epsilon()) << i;
  }
}

template <class T>
void check_combinations(const std::shared_ptr<Backend>& backend) {
  // No element; one; around the host's lanes, its batch and a thread block; more than one round of all thread blocks.
  for (const lidx count : {0, 1, 31, 127, 128, 129, 257, 5000, 400001}) check_update<T>(backend, count);
  check_random_combinations<T>(backend);
  check_dropped_terms<T>(backend);
  check_scratch<T>(backend);
  check_requirements<T>(backend);
  check_squares<T>(backend);
  check_rank_sums<T>(backend);
  check_random_columns<T>(backend);
  check_rank_sums_of_columns<T>(backend);
  check_columns_stop_alone<T>(backend);
}

}  // namespace spmv::test
