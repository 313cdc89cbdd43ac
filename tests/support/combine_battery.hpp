// Combinations of vectors on one backend, against the same in long double.
#pragma once

#include <algorithm>
#include <array>
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
#include "kernels/combine/common_recipes.hpp"

namespace spmv::test {

template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

template <class T>
Wide<T> wide(const T& value) {
  return Wide<T>(value);
}
template <class T>
Wide<T> wide_conjugate(const Wide<T>& value) {
  if constexpr (is_complex<T>)
    return std::conj(value);
  else
    return value;
}

/// Vectors of `count` elements on a device, and one element behind each that nothing may change.
template <class T>
class DeviceVectors {
 public:
  DeviceVectors(const std::shared_ptr<Backend>& backend, lidx count, int vectors) : backend_(backend) {
    for (int v = 0; v < vectors; ++v) {
      host.emplace_back(static_cast<std::size_t>(count) + 1);
      for (std::size_t i = 0; i < host.back().size(); ++i)
        host.back()[i] = x_value<T>(static_cast<gidx>(i), static_cast<unsigned>(v + 1));
      device_.push_back(upload(backend, host.back().data(), host.back().size()));
    }
  }
  T* at(int v) { return device_[static_cast<std::size_t>(v)].data(); }
  std::vector<T> now(int v) const {
    std::vector<T> values(host[0].size());
    download(*backend_, values.data(), device_[static_cast<std::size_t>(v)].data(), values.size());
    return values;
  }
  std::vector<std::vector<T>> host;

 private:
  std::shared_ptr<Backend> backend_;
  std::vector<Buffer<T>> device_;
};

template <class T>
void put_in_slots(const std::shared_ptr<Backend>& backend, Scalars<T>& scalars,
                  const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = scalar_of<ScalarOf<T>>(numbers[i]);
    backend->upload(scalars.slot(static_cast<int>(i)), &number, sizeof(number));
  }
}

template <class T>
ScalarOf<T> slot_now(const std::shared_ptr<Backend>& backend, Scalars<T>& scalars, int slot) {
  ScalarOf<T> number{};
  download(*backend, &number, scalars.slot(slot), 1);
  return number;
}

/// x += alpha p; r -= alpha s; p = r + beta p; (r, r), (p, r): what an iteration of conjugate gradients does.
template <class T>
void check_update(const std::shared_ptr<Backend>& backend, lidx count) {
  DeviceVectors<T> v(backend, count, 4);
  Scalars<T> scalars(backend);
  put_in_slots(backend, scalars, {0.75, -0.5, 3});
  const auto queue = backend->make_queue(Priority::normal);
  Combination<T> c(count);
  Formula& f = c.formula;
  const auto alpha = f.slot(0), beta = f.where(f.slot(1) < f.slot(2), f.slot(1));
  f.record(1, beta);
  f.store(9, alpha * beta);
  const auto x = c.vector(v.at(0)), r = c.vector(v.at(1)), p = c.vector(v.at(2)), s = c.vector(v.at(3));
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
  Combination<T> c(count);
  const auto x = c.vector(v.at(0)), p = c.vector(v.at(1));
  const auto alpha = c.formula.where(c.formula.slot(0) < c.formula.slot(1), c.formula.slot(0));
  c.set(x, x + alpha * p);
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
  Combination<T> c(count);
  const auto d = c.vector(v.at(0)), r = c.vector(v.at(1)), p = c.vector(v.at(2)), z = c.scratch();
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

/// Vectors of a recipe: one more than the highest number that it uses.
inline int vectors_of(const Recipe& recipe) {
  int last = -1;
  const auto uses = [&](int v) { last = std::max(last, v); };
  for (int v = 0; v < most_vectors; ++v)
    if (recipe.loads(v) || recipe.stores(v)) uses(v);
  for (int c = 0; c < recipe.changes(); ++c) uses(recipe.target(c));
  return last + 1;
}

/// The coefficient of vector v in change c; `drops`: 0 for the target itself.
inline double coefficient(const Recipe& recipe, int c, int v, bool drops) {
  return drops && v == recipe.target(c) ? 0 : (c % 2 == 0 ? 0.75 : -0.5) + 0.125 * v;
}

template <class T>
void build(Combination<T>& c, const Recipe& recipe, DeviceVectors<T>& memory, bool drops) {
  std::vector<VectorName> v;
  for (int i = 0; i < vectors_of(recipe); ++i)
    v.push_back(recipe.loads(i) || recipe.stores(i) ? c.vector(memory.at(i)) : c.scratch());
  const auto at = [&](int i) { return v[static_cast<std::size_t>(i)]; };
  for (int change = 0; change < recipe.changes(); ++change) {
    const VectorName target = at(recipe.target(change));
    if (recipe.multiplies(change)) {
      c.multiply(target, at(recipe.factor(change, 0)), at(recipe.factor(change, 1)));
      continue;
    }
    std::optional<LinearForm> form;
    for (int i = 0; i < static_cast<int>(v.size()); ++i) {
      if (!recipe.has_term(change, i)) continue;
      const double size = coefficient(recipe, change, i, drops);
      const LinearForm term = c.formula.constant(size) * at(i);
      form = form ? *form + term : term;
    }
    c.set(target, *form);
  }
  for (int i = 0; i < recipe.sums(); ++i) c.sum(i, at(recipe.sum_a(i)), at(recipe.sum_b(i)));
}

/// What the recipe makes of one element of all vectors.
template <class T>
void change_one(const Recipe& recipe, bool drops, std::array<Wide<T>, most_vectors>& v) {
  const auto at = [&](int i) -> Wide<T>& { return v[static_cast<std::size_t>(i)]; };
  for (int c = 0; c < recipe.changes(); ++c) {
    Wide<T> result = 0;
    if (recipe.multiplies(c)) {
      result = at(recipe.factor(c, 0)) * at(recipe.factor(c, 1));
    } else {
      for (int i = 0; i < most_vectors; ++i)
        if (recipe.has_term(c, i)) result += Wide<T>(coefficient(recipe, c, i, drops)) * at(i);
    }
    at(recipe.target(c)) = result;
  }
}

/// A combination of the solvers, in the kernel that is its own.
template <class T>
void check_recipe(const std::shared_ptr<Backend>& backend, const Recipe& recipe, lidx count, bool drops) {
  const int vectors = vectors_of(recipe);
  DeviceVectors<T> memory(backend, count, vectors);
  Scalars<T> scalars(backend);
  const auto queue = backend->make_queue(Priority::normal);
  Combination<T> c(count);
  build(c, recipe, memory, drops);
  ASSERT_TRUE(is_common(c.data()));
  queue_combination(*queue, c, scalars, 1);
  queue_own_sums(*queue, scalars, {0, recipe.sums()});
  queue->synchronize();

  std::vector<std::vector<T>> now;
  for (int i = 0; i < vectors; ++i) now.push_back(memory.now(i));
  std::array<Wide<T>, most_sums> sums{};
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    std::array<Wide<T>, most_vectors> v{};
    for (std::size_t i = 0; i < now.size(); ++i) v[i] = wide(memory.host[i][k]);
    change_one<T>(recipe, drops, v);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Wide<T> want = recipe.stores(static_cast<int>(i)) ? v[i] : wide(memory.host[i][k]);
      ASSERT_NEAR(0, std::abs(wide(now[i][k]) - want), 16 * std::numeric_limits<RealOf<T>>::epsilon())
          << "vector " << i << ", element " << k;
    }
    for (int i = 0; i < recipe.sums(); ++i)
      sums[static_cast<std::size_t>(i)] += wide_conjugate<T>(v[static_cast<std::size_t>(recipe.sum_a(i))]) *
                                           v[static_cast<std::size_t>(recipe.sum_b(i))];
  }
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_EQ(now[i].back(), memory.host[i].back()) << "beyond the end";
  for (int i = 0; i < recipe.sums(); ++i)
    EXPECT_NEAR(
        0, std::abs(Wide<T>(to_standard(slot_now(backend, scalars, i))) - sums[static_cast<std::size_t>(i)]),
        1e-13 * (count + 1))
        << "sum " << i;
}

/// Every recipe of the solvers; where a coefficient is 0, a host takes the kernel for all recipes.
template <class T>
void check_recipes(const std::shared_ptr<Backend>& backend) {
  for (std::size_t number = 0; number < common_recipes.size(); ++number)
    for (const lidx count : {0, 1, 15, 16, 33, 1000})
      for (const bool drops : {false, true}) {
        SCOPED_TRACE("recipe " + std::to_string(number) + ", " + std::to_string(count) + " elements");
        check_recipe<T>(backend, common_recipes[number], count, drops);
      }
}

template <class T>
void check_combinations(const std::shared_ptr<Backend>& backend) {
  // No element; one; around the host's lanes, its batch and a thread block; more than one round of all thread blocks.
  for (const lidx count : {0, 1, 31, 127, 128, 129, 257, 5000, 400001}) check_update<T>(backend, count);
  check_recipes<T>(backend);
  check_dropped_terms<T>(backend);
  check_scratch<T>(backend);
  check_rank_sums<T>(backend);
}

}  // namespace spmv::test
