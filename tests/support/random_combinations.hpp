// Combinations that nobody wrote by hand, on one backend, against the same in long double.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/device_vectors.hpp"

namespace spmv::test {

/// A combination as a plain description, drawn from `seed`.
class RandomCombination {
 public:
  struct Term {
    int vector;
    int coefficient;  // number of a slot, 0 to 3; -1: none
    bool negative;
  };
  struct Change {
    int target;
    bool multiplies;
    std::vector<Term> terms;
  };
  struct Sum {
    int slot, a, b;
  };
  explicit RandomCombination(unsigned seed) : random_(seed) {
    vectors = 1 + below(most_vectors);
    scratch = vectors > 1 && below(3) == 0 ? 1 : 0;
    const int changes = below(most_changes + 1);
    // A scratch vector, the last one, is set before anything reads it.
    for (int c = 0; c < changes; ++c) {
      const bool sets_scratch = c == 0 && scratch > 0;
      this->changes.push_back(change(sets_scratch ? vectors - scratch : vectors));
      if (sets_scratch) this->changes.back().target = vectors - 1;
    }
    const int known = changes > 0 ? vectors : vectors - scratch;
    for (int i = below(most_sums + 1); i > 0; --i) sums.push_back({2 * i - 1, below(known), below(known)});
  }
  int vectors, scratch;
  std::vector<Change> changes;
  std::vector<Sum> sums;

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  Change change(int vectors) {
    Change c{below(vectors), below(5) == 0, {}};
    const int terms = c.multiplies ? 2 : 1 + below(most_vectors);
    for (int t = 0; t < terms; ++t)
      c.terms.push_back({below(vectors), c.multiplies ? -1 : below(5) - 1, !c.multiplies && below(2) == 0});
    return c;
  }
  std::minstd_rand random_;
};

/// Coefficients in the slots 8 to 11; that in slot 11 is 0.
inline constexpr std::array coefficients{0.75, -0.5, 0.3125, 0.0};
inline constexpr int first_coefficient = 8;

template <class T>
void build(Combination<T>& c, const RandomCombination& from, DeviceVectors<T>& memory) {
  std::vector<VectorRef<T>> v;
  for (int i = 0; i < from.vectors; ++i)
    v.push_back(i < from.vectors - from.scratch ? memory[i] : c.scratch());
  const auto at = [&](int i) { return v[static_cast<std::size_t>(i)]; };
  for (const auto& change : from.changes) {
    if (change.multiplies) {
      c.multiply(at(change.target), at(change.terms[0].vector), at(change.terms[1].vector));
      continue;
    }
    const auto form = [&](const RandomCombination::Term& term) {
      const Number coefficient = term.coefficient < 0 ? 1 : slot(first_coefficient + term.coefficient);
      return LinearForm<T>({at(term.vector), coefficient, term.negative});
    };
    LinearForm<T> sum = form(change.terms[0]);
    for (std::size_t t = 1; t < change.terms.size(); ++t) sum = sum + form(change.terms[t]);
    c.set(at(change.target), sum);
  }
  for (const auto& sum : from.sums) c.sum(sum.slot, at(sum.a), at(sum.b));
}

/// What becomes of one element of all vectors; `size`: of what has been added up on the way, for bounds of rounding.
template <class T>
void change_one(const RandomCombination& from, std::array<Wide<T>, most_vectors>& v,
                std::array<long double, most_vectors>& size) {
  for (const auto& change : from.changes) {
    const auto i = [](int number) { return static_cast<std::size_t>(number); };
    Wide<T> result = 0;
    long double sizes = 0;
    if (change.multiplies) {
      const auto a = i(change.terms[0].vector), b = i(change.terms[1].vector);
      result = v[a] * v[b];
      sizes = 2 * size[a] * size[b];
    } else {
      for (const auto& term : change.terms) {
        const long double c = (term.negative ? -1.0L : 1.0L) *
                              (term.coefficient < 0 ? 1.0L : coefficients[i(term.coefficient)]);
        result += Wide<T>(c) * v[i(term.vector)];
        sizes += std::abs(c) * size[i(term.vector)];
      }
    }
    v[i(change.target)] = result;
    size[i(change.target)] = sizes;
  }
}

template <class T>
void check_random(const std::shared_ptr<Backend>& backend, unsigned seed, lidx count) {
  const RandomCombination from(seed);
  DeviceVectors<T> memory(backend, count, from.vectors);
  Scalars<T> scalars(backend);
  const auto queue = backend->make_queue(Priority::normal);
  std::vector<double> slots(first_coefficient, 99);
  slots.insert(slots.end(), coefficients.begin(), coefficients.end());
  put_in_slots(backend, scalars, slots);
  Combination<T> c;
  build(c, from, memory);
  queue_combination(*queue, c, scalars, 1);
  for (const auto& sum : from.sums) queue_own_sums(*queue, scalars, {sum.slot, 1});
  queue->synchronize();

  std::vector<std::vector<T>> now;
  for (int i = 0; i < from.vectors; ++i) now.push_back(memory.now(i));
  std::vector<Wide<T>> sums(from.sums.size());
  std::vector<long double> sizes(from.sums.size());
  const auto number = [](int i) { return static_cast<std::size_t>(i); };
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    std::array<Wide<T>, most_vectors> v{};
    std::array<long double, most_vectors> size{};
    for (std::size_t i = 0; i < now.size(); ++i) {
      v[i] = wide(memory.host[i][k]);
      size[i] = std::abs(v[i]);
    }
    change_one<T>(from, v, size);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const bool in_memory = i < number(from.vectors - from.scratch);
      const Wide<T> want = in_memory ? v[i] : wide(memory.host[i][k]);
      ASSERT_LE(std::abs(wide(now[i][k]) - want), 40 * std::numeric_limits<RealOf<T>>::epsilon() * size[i])
          << "vector " << i << ", element " << k;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto a = number(from.sums[i].a), b = number(from.sums[i].b);
      sums[i] += wide_conjugate<T>(v[a]) * v[b];
      sizes[i] += size[a] * size[b];
    }
  }
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_EQ(now[i].back(), memory.host[i].back()) << "beyond the end of vector " << i;
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_LE(std::abs(Wide<T>(to_standard(slot_now(backend, scalars, from.sums[i].slot))) - sums[i]),
              120 * std::numeric_limits<RealOf<T>>::epsilon() * sizes[i])
        << "sum " << i;
}

/// Two lengths each: several packs, lanes, strips and thread blocks with a rest, and what is shorter than one.
template <class T>
void check_random_combinations(const std::shared_ptr<Backend>& backend) {
  constexpr unsigned seeds = 60;
  constexpr std::array<lidx, 3> few{0, 1, 17};
  for (unsigned seed = 1; seed <= seeds; ++seed)
    for (const lidx count : {lidx{1031}, few[seed % few.size()]}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(count) + " elements");
      check_random<T>(backend, seed, count);
    }
}

}  // namespace spmv::test
