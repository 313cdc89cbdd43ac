// Combinations on the host. Those of the solvers have loops of their own, with every vector read and written once; any other one
// goes through its steps batch by batch.
#include "kernels/combine/combine_host.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/combine/common_recipes.hpp"
#include "kernels/combine/host_share.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// Calls each(number) for the numbers 0 to count - 1, as constants.
template <int count, class Each>
void for_each_number(const Each& each) {
  [&]<int... number>(std::integer_sequence<int, number...>) {
    (each(std::integral_constant<int, number>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// The loop of one recipe.
template <Recipe recipe, class T>
class OwnLoop {
 public:
  using S = ScalarOf<T>;
  explicit OwnLoop(const Share<T>& share) : coefficients_(share.coefficients) {
    std::copy_n(share.data.at, most_vectors, at_);
  }
  /// Leaves the sums of the elements first to last - 1 in `sum`.
  void run(lidx first, lidx last, S* sum) {
    lidx k = first;
    for (; k + lanes <= last; k += lanes)
#pragma omp simd
      for (lidx lane = 0; lane < lanes; ++lane) element(k + lane, lane);
    for (lidx lane = 0; k + lane < last; ++lane) element(k + lane, lane);
    for (int i = 0; i < recipe.sums(); ++i) sum[i] = sums_[i].total();
  }

 private:
  void element(lidx k, lidx lane) {
    S v[most_vectors];
    for_each_number<most_vectors>([&](auto i) {
      if constexpr (recipe.loads(i)) v[i] = as_scalar<T>(at_[i][k]);
    });
    for_each_number<recipe.changes()>([&](auto c) { change<c>(v); });
    for_each_number<most_vectors>([&](auto i) {
      if constexpr (recipe.stores(i)) at_[i][k] = as_value<T>(v[i]);
    });
    for_each_number<recipe.sums()>(
        [&](auto i) { sums_[i].add(lane, v[recipe.sum_a(i)], v[recipe.sum_b(i)]); });
  }
  template <int c>
  void change(S (&v)[most_vectors]) const {
    if constexpr (recipe.multiplies(c)) {
      v[recipe.target(c)] = v[recipe.factor(c, 0)] * v[recipe.factor(c, 1)];
    } else {
      S result = scalar_of<S>(0);
      for_each_number<most_vectors>([&](auto i) {
        if constexpr (recipe.has_term(c, i)) result = result + coefficients_.of[c][i] * v[i];
      });
      v[recipe.target(c)] = result;
    }
  }

  T* at_[most_vectors];
  Coefficients<S> coefficients_;
  LaneSums<S> sums_[std::max(recipe.sums(), 1)];
};

template <std::size_t index, class T>
void run_own(Share<T>& share) {
  run_best([&] {
    OwnLoop<common_recipes[index], T> loop(share);
    loop.run(share.first, share.last, share.sum);
  });
}

/// The loop of a recipe that is known only when the program runs. Elements go through all changes in batches, which stay in the
/// first cache. A coefficient of 0 drops its term.
template <class T>
class AnyLoop {
 public:
  using S = ScalarOf<T>;
  explicit AnyLoop(const Share<T>& share) : data_(share.data), coefficients_(share.coefficients) {}
  void run(lidx first, lidx last, S* sum) {
    for (lidx k = first; k < last; k += batch) add_batch(k, std::min(batch, last - k));
    for (int i = 0; i < data_.sums; ++i) sum[i] = sums_[i].total();
  }

 private:
  static constexpr lidx batch = 128;
  static_assert(batch % lanes == 0);
  static bool bit(unsigned bits, int i) { return ((bits >> static_cast<unsigned>(i)) & 1U) != 0; }

  void add_batch(lidx first, lidx n) {
    for (int i = 0; i < data_.vectors; ++i)
      if (bit(data_.loaded, i))
        for (lidx k = 0; k < n; ++k) v_[i][k] = as_scalar<T>(data_.at[i][first + k]);
    for (int c = 0; c < data_.changes; ++c) change(c, n);
    for (int i = 0; i < data_.vectors; ++i)
      if (bit(data_.stored, i))
        for (lidx k = 0; k < n; ++k) data_.at[i][first + k] = as_value<T>(v_[i][k]);
    for (int i = 0; i < data_.sums; ++i) add_products(sums_[i], v_[data_.sum[i].a], v_[data_.sum[i].b], n);
  }
  void change(int c, lidx n) {
    const auto& change = data_.change[c];
    S* const target = v_[change.target];
    if (change.multiplies) {
      const S *a = v_[change.term[0].vector], *b = v_[change.term[1].vector];
#pragma omp simd
      for (lidx k = 0; k < n; ++k) target[k] = a[k] * b[k];
      return;
    }
    S factor[most_vectors];
    const S* from[most_vectors];
    int terms = 0;
    for (int i = 0; i < data_.vectors; ++i)
      if (!is_zero(coefficients_.of[c][i])) {
        factor[terms] = coefficients_.of[c][i];
        from[terms++] = v_[i];
      }
    for_each_number<most_vectors + 1>([&](auto number) {
      if (terms == number) add_terms<number>(target, factor, from, n);
    });
  }
  /// The target may be one of the vectors that it is made of.
  template <int terms>
  static void add_terms(S* target, const S* factor, const S* const* from, lidx n) {
#pragma omp simd
    for (lidx k = 0; k < n; ++k) {
      S sum = scalar_of<S>(0);
      for_each_number<terms>([&](auto t) { sum = sum + factor[t] * from[t][k]; });
      target[k] = sum;
    }
  }
  static void add_products(LaneSums<S>& sums, const S* a, const S* b, lidx n) {
    lidx k = 0;
    for (; k + lanes <= n; k += lanes)
#pragma omp simd
      for (lidx lane = 0; lane < lanes; ++lane) sums.add(lane, a[k + lane], b[k + lane]);
    for (lidx lane = 0; k + lane < n; ++lane) sums.add(lane, a[k + lane], b[k + lane]);
  }

  const CombinationData<T>& data_;
  const Coefficients<S>& coefficients_;
  LaneSums<S> sums_[most_sums];
  S v_[most_vectors][batch];
};

template <class T>
void run_any(Share<T>& share) {
  run_best([&] {
    AnyLoop<T> loop(share);
    loop.run(share.first, share.last, share.sum);
  });
}

/// The loop of common recipe number `index` or a later one, or the one for all recipes.
template <class T, std::size_t index = 0>
auto loop_of(const Recipe& recipe) -> void (*)(Share<T>&) {
  if constexpr (index == common_recipes.size())
    return run_any<T>;
  else
    return common_recipes[index] == recipe ? run_own<index, T> : loop_of<T, index + 1>(recipe);
}

template <class S>
void store_results(const Formula& formula, const S* registers, const ScalarsView<S>& scalars,
                   std::uint64_t number) {
  RecordLine& line = scalars.record[number % record_lines];
  for (int i = 0; i < formula.steps(); ++i) {
    const Formula::Step& step = formula.step(i);
    if (step.operation == Formula::Operation::store) scalars.slot[step.b] = registers[i];
    if (step.operation == Formula::Operation::record) line.number[step.b] = real_part(registers[i]);
  }
  if (formula.records()) std::atomic_ref<std::uint64_t>(line.line).store(number, std::memory_order_release);
}

}  // namespace

int host_parts() {
  return std::min(omp_get_max_threads(), most_parts);
}

template <class T>
void combine_host(const CombinationData<T>& combination, const ScalarsView<ScalarOf<T>>& scalars,
                  std::uint64_t line, int parts) {
  using S = ScalarOf<T>;
  const CombinationData<T> data = renumbered(combination);
  S registers[Formula::most_steps] = {};
  evaluate(data.formula, scalars.slot, registers);
  const Coefficients<S> coefficients(data, registers);
  const auto loop = coefficients.drops_terms ? run_any<T> : loop_of<T>(recipe_of(data));
#pragma omp parallel for schedule(static) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    const auto bound = [&](int p) { return static_cast<lidx>(static_cast<offset>(data.count) * p / parts); };
    Share<T> share{data, coefficients, bound(part), bound(part + 1)};
    loop(share);
    for (int i = 0; i < data.sums; ++i)
      scalars.partial[static_cast<std::ptrdiff_t>(data.sum[i].slot) * most_parts + part] = share.sum[i];
  }
  store_results(data.formula, registers, scalars, line);
}

template <class S>
void add_parts_host(const PartialSums<S>& sums) {
  for (int i = 0; i < sums.count; ++i) {
    S total = scalar_of<S>(0);
    for (int part = 0; part < sums.parts[i]; ++part) total = total + sums.part[i][part];
    sums.slot[i] = total;
  }
}

template <class S>
void add_ranks_host(S* slot, int count, const S* others, int rank, int ranks) {
  for (int i = 0; i < count; ++i) {
    S total = scalar_of<S>(0);
    for (int r = 0; r < ranks; ++r)
      total = total + (r == rank ? slot[i] : others[(r < rank ? r : r - 1) * count + i]);
    slot[i] = total;
  }
}

SPMV_INSTANTIATE(combine_host);
template void add_parts_host(const PartialSums<double>&);
template void add_parts_host(const PartialSums<ComplexScalar>&);
template void add_ranks_host(double*, int, const double*, int, int);
template void add_ranks_host(ComplexScalar*, int, const ComplexScalar*, int, int);

}  // namespace spmv
