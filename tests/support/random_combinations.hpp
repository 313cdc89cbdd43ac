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

/// Coefficients in the slots 8 to 11; that in slot 11 is 0. Other columns have them in another order.
inline constexpr std::array coefficients{0.75, -0.5, 0.3125, 0.0};
inline constexpr int first_coefficient = 8;
inline double coefficient_of(int number, int column) {
  return coefficients[static_cast<std::size_t>(number + column) % coefficients.size()];
}
/// Where slot 7 has 0, nothing may change; the other columns have 1 there.
inline constexpr int required = 7;
inline bool changes_column(int column) {
  return column % 4 != 2;
}

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

/// What becomes of one element of all vectors in a column; `size`: of what has been added up on the way, for bounds of rounding.
template <class T>
void change_one(const RandomCombination& from, int column, std::array<Wide<T>, most_vectors>& v,
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
                              (term.coefficient < 0 ? 1.0L : coefficient_of(term.coefficient, column));
        result += Wide<T>(c) * v[i(term.vector)];
        sizes += std::abs(c) * size[i(term.vector)];
      }
    }
    v[i(change.target)] = result;
    size[i(change.target)] = sizes;
  }
}

/// `rows` elements in each of `columns` columns.
template <class T>
void check_random(const std::shared_ptr<Backend>& backend, unsigned seed, lidx rows, int columns = 1) {
  const RandomCombination from(seed);
  const lidx count = rows * columns;
  DeviceVectors<T> memory(backend, count, from.vectors);
  Scalars<T> scalars(backend, columns);
  const auto queue = backend->make_queue(Priority::normal);
  const auto changes = [&](int column) { return columns == 1 || changes_column(column); };
  for (int column = 0; column < columns; ++column) {
    std::vector<double> slots(first_coefficient, 99);
    slots[required] = changes(column) ? 1 : 0;
    for (int i = 0; i < static_cast<int>(coefficients.size()); ++i)
      slots.push_back(coefficient_of(i, column));
    put_in_slots(backend, scalars, slots, column);
  }
  Combination<T> c;
  if (columns > 1) c.require(slot(required));
  c.record(1, slot(first_coefficient)).store(20, slot(first_coefficient) - 1);
  build(c, from, memory);
  queue_combination(*queue, c, scalars, 1);
  for (const auto& sum : from.sums) queue_own_sums(*queue, scalars, {sum.slot, 1});
  queue->synchronize();
  for (int column = 0; column < columns; ++column) {
    ASSERT_TRUE(scalars.has_line(1, column));
    EXPECT_EQ(scalars.line(1, column)[1], coefficient_of(0, column));
    EXPECT_EQ(real_part(slot_now(backend, scalars, 20, column)),
              changes(column) ? coefficient_of(0, column) - 1 : 0);
  }

  std::vector<std::vector<T>> now;
  for (int i = 0; i < from.vectors; ++i) now.push_back(memory.now(i));
  const auto number = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<std::vector<Wide<T>>> sums(number(columns), std::vector<Wide<T>>(from.sums.size()));
  std::vector<std::vector<long double>> sizes(number(columns), std::vector<long double>(from.sums.size()));
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const int column = static_cast<int>(k % number(columns));
    if (!changes(column)) {
      for (std::size_t i = 0; i < now.size(); ++i) ASSERT_EQ(now[i][k], memory.host[i][k]) << "vector " << i;
      continue;
    }
    std::array<Wide<T>, most_vectors> v{};
    std::array<long double, most_vectors> size{};
    for (std::size_t i = 0; i < now.size(); ++i) {
      v[i] = wide(memory.host[i][k]);
      size[i] = std::abs(v[i]);
    }
    change_one<T>(from, column, v, size);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const bool in_memory = i < number(from.vectors - from.scratch);
      const Wide<T> want = in_memory ? v[i] : wide(memory.host[i][k]);
      ASSERT_LE(std::abs(wide(now[i][k]) - want), 40 * std::numeric_limits<RealOf<T>>::epsilon() * size[i])
          << "vector " << i << ", element " << k;
    }
    for (std::size_t i = 0; i < from.sums.size(); ++i) {
      const auto a = number(from.sums[i].a), b = number(from.sums[i].b);
      sums[number(column)][i] += wide_conjugate<T>(v[a]) * v[b];
      sizes[number(column)][i] += size[a] * size[b];
    }
  }
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_EQ(now[i].back(), memory.host[i].back()) << "beyond the end of vector " << i;
  for (int column = 0; column < columns; ++column)
    for (std::size_t i = 0; i < from.sums.size(); ++i) {
      const auto got = to_standard(slot_now(backend, scalars, from.sums[i].slot, column));
      EXPECT_LE(std::abs(Wide<T>(got) - sums[number(column)][i]),
                120 * std::numeric_limits<RealOf<T>>::epsilon() * sizes[number(column)][i])
          << "sum " << i << " of column " << column;
    }
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

/// Columns that packs and thread blocks are divided by with and without a rest.
template <class T>
void check_random_columns(const std::shared_ptr<Backend>& backend) {
  constexpr std::array columns{2, 3, 4, 5, 8, 17, 32};
  constexpr std::array<lidx, 4> rows{0, 1, 70, 6007};
  for (unsigned seed = 1; seed <= 28; ++seed) {
    const int k = columns[seed % columns.size()];
    const lidx n = rows[(seed / columns.size()) % rows.size()];
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(n) + " rows, " + std::to_string(k) +
                 " columns");
    check_random<T>(backend, seed, n, k);
  }
}

}  // namespace spmv::test
