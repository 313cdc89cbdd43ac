#include "kernels/combine/combine_host.hpp"

#include <algorithm>
#include <atomic>

#include <omp.h>

#include "core/value_types.hpp"

namespace spmv {
namespace {

template <class T>
ScalarOf<T> as_scalar(const T& value) {
  if constexpr (is_complex<T>)
    return {value.real(), value.imag()};
  else
    return value;
}
template <class T>
T as_value(const ScalarOf<T>& scalar) {
  if constexpr (is_complex<T>)
    return {static_cast<RealOf<T>>(scalar.re), static_cast<RealOf<T>>(scalar.im)};
  else
    return static_cast<T>(scalar);
}

/// Elements that go through all changes together: they stay in the first cache, and loops over them vectorise.
constexpr lidx batch = 128;

/// (a, b), by several lanes that do not wait for each other.
template <class S>
S inner_product(const S* a, const S* b, lidx n) {
  constexpr lidx lanes = 16;
  S lane[lanes] = {};
  lidx k = 0;
  for (; k + lanes <= n; k += lanes)
    for (lidx l = 0; l < lanes; ++l) lane[l] = lane[l] + conjugate(a[k + l]) * b[k + l];
  for (lidx l = 0; k + l < n; ++l) lane[l] = lane[l] + conjugate(a[k + l]) * b[k + l];
  S sum = lane[0];
  for (lidx l = 1; l < lanes; ++l) sum = sum + lane[l];
  return sum;
}

/// The changes with the coefficients of this kernel; a coefficient of 0 drops its term.
template <class T>
class Changes {
 public:
  using S = ScalarOf<T>;
  Changes(const CombinationData<T>& data, const S* registers) : data_(data) {
    for (int c = 0; c < data.changes; ++c)
      for (int t = 0; t < data.change[c].terms; ++t) {
        const Term term = data.change[c].term[t];
        const S size = term.coefficient < 0 ? scalar_of<S>(1) : registers[term.coefficient];
        coefficient_[c][t] = term.negative ? -size : size;
      }
  }
  /// Elements first to last - 1; adds to `sum`.
  void apply(lidx first, lidx last, S* sum) const {
    S v[most_vectors][batch];
    const lidx n = last - first;
    for (int i = 0; i < data_.vectors; ++i)
      if (bit(data_.loaded, i))
        for (lidx k = 0; k < n; ++k) v[i][k] = as_scalar<T>(data_.at[i][first + k]);
    for (int c = 0; c < data_.changes; ++c) change(c, n, v);
    for (int i = 0; i < data_.vectors; ++i)
      if (bit(data_.stored, i))
        for (lidx k = 0; k < n; ++k) data_.at[i][first + k] = as_value<T>(v[i][k]);
    for (int i = 0; i < data_.sums; ++i) {
      const S* a = v[data_.sum[i].a];
      const S* b = v[data_.sum[i].b];
      sum[i] = sum[i] + inner_product(a, b, n);
    }
  }

 private:
  static bool bit(unsigned bits, int i) { return ((bits >> static_cast<unsigned>(i)) & 1U) != 0; }
  void change(int c, lidx n, S (*v)[batch]) const {
    const auto& change = data_.change[c];
    S result[batch];
    if (change.multiplies) {
      for (lidx k = 0; k < n; ++k) result[k] = v[change.term[0].vector][k] * v[change.term[1].vector][k];
    } else {
      for (lidx k = 0; k < n; ++k) result[k] = scalar_of<S>(0);
      for (int t = 0; t < change.terms; ++t) {
        const S factor = coefficient_[c][t];
        const S* from = v[change.term[t].vector];
        if (is_zero(factor)) continue;
        for (lidx k = 0; k < n; ++k) result[k] = result[k] + factor * from[k];
      }
    }
    for (lidx k = 0; k < n; ++k) v[change.target][k] = result[k];
  }
  const CombinationData<T>& data_;
  S coefficient_[most_changes][most_vectors];
};

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
void combine_host(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, std::uint64_t line,
                  int parts) {
  using S = ScalarOf<T>;
  S registers[Formula::most_steps] = {};
  evaluate(data.formula, scalars.slot, registers);
  const Changes<T> changes(data, registers);
#pragma omp parallel for schedule(static) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    const auto bound = [&](int p) { return static_cast<lidx>(static_cast<offset>(data.count) * p / parts); };
    S sum[most_sums] = {};
    for (lidx first = bound(part); first < bound(part + 1); first += batch)
      changes.apply(first, std::min(first + batch, bound(part + 1)), sum);
    for (int i = 0; i < data.sums; ++i)
      scalars.partial[static_cast<std::ptrdiff_t>(data.sum[i].slot) * most_parts + part] = sum[i];
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
