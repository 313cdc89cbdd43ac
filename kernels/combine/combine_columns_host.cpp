// Combinations of several columns on the host, each with coefficients of its own: changes are passes over strips that stay in the
// first cache, and coefficients are repeated over as many elements as a loop needs to be worth its start.
#include <algorithm>
#include <array>
#include <type_traits>

#include "core/value_types.hpp"
#include "kernels/combine/combine_host.hpp"

namespace spmv {
namespace {

/// Elements of a strip, and about as many after which coefficients repeat.
constexpr lidx strip = 512, about_a_period = 64;
static_assert(about_a_period >= most_columns);

template <class T>
T element_of(ScalarOf<T> value) {
  if constexpr (is_complex<T>)
    return T(static_cast<RealOf<T>>(value.re), static_cast<RealOf<T>>(value.im));
  else
    return static_cast<T>(value);
}
double scalar_of_element(double value) {
  return value;
}
template <class R>
ComplexScalar scalar_of_element(std::complex<R> value) {
  return {value.real(), value.imag()};
}

/// What a combination does to each of its columns.
template <class T>
class Columns {
 public:
  using S = ScalarOf<T>;
  Columns(const CombinationData<T>& data, const ScalarsView<S>& scalars)
      : data_(data), columns_(data.columns), period_(about_a_period / columns_ * columns_) {
    for (int j = 0; j < columns_; ++j) {
      const ScalarsView<S> view = scalars.of_column(j);
      holds_[at(j)] = evaluate(data.formula, view.slot, registers_[j]);
      changes_[at(j)] = holds_[at(j)] && (view.stopped == nullptr || *view.stopped == 0);
    }
    for (int c = 0; c < data.changes; ++c)
      if (!data.change[c].multiplies) add_factors(c);
  }
  bool changes(int column) const { return changes_[at(column)]; }
  bool holds(int column) const { return holds_[at(column)]; }
  const S* registers(int column) const { return registers_[column]; }
  int columns() const { return columns_; }
  lidx period() const { return period_; }
  const CombinationData<T>& data() const { return data_; }

  /// Of a vector in a change, for each element of a period; nullptr: in no column.
  const S* factors(int change, int vector) const {
    return used_[at(change)][at(vector)] ? factor_[change][vector] : nullptr;
  }
  /// Whether some columns drop the vector there.
  bool drops(int change, int vector) const { return drops_[at(change)][at(vector)]; }

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

  void add_factors(int number) {
    const auto& change = data_.change[number];
    for (int v = 0; v < data_.vectors; ++v) {
      std::array<S, most_columns> of_column{};
      bool used = false, drops = false;
      for (int j = 0; j < columns_; ++j) {
        for (int t = 0; t < change.terms; ++t) {
          const CombinationTerm term = change.term[t];
          if (term.vector != v) continue;
          const S size = term.coefficient < 0 ? scalar_of<S>(1) : registers(j)[term.coefficient];
          of_column[at(j)] = of_column[at(j)] + (term.negative ? -size : size);
        }
        (is_zero(of_column[at(j)]) ? drops : used) = true;
      }
      used_[at(number)][at(v)] = used;
      drops_[at(number)][at(v)] = drops;
      for (lidx e = 0; used && e < period_; ++e)
        factor_[number][v][e] = of_column[at(static_cast<int>(e % columns_))];
    }
  }

  const CombinationData<T>& data_;
  int columns_;
  lidx period_;
  S registers_[most_columns][Formula::most_steps];
  std::array<bool, most_columns> holds_{}, changes_{};
  S factor_[most_changes][most_vectors][about_a_period];
  std::array<std::array<bool, most_vectors>, most_changes> used_{}, drops_{};
};

/// Goes through a share of the elements.
template <class T>
class ColumnStrips {
 public:
  using S = ScalarOf<T>;
  explicit ColumnStrips(const Columns<T>& columns) : c_(columns), data_(columns.data()) {
    for (int j = 0; j < c_.columns(); ++j) all_change_ = all_change_ && c_.changes(j);
  }
  /// The elements first to last - 1, of whole rows.
  void run(offset first, offset last) {
    const lidx elements = strip / c_.period() * c_.period();
    for (offset at = first; at < last; at += elements)
      run_strip(at, static_cast<lidx>(std::min<offset>(elements, last - at)));
  }
  /// Of a column, once all is done.
  S sum(int number, int column) const {
    S total = scalar_of<S>(0);
    for (lidx e = column; e < c_.period(); e += c_.columns()) total = total + sum_[number][e];
    return total;
  }

 private:
  void run_strip(offset first, lidx n) {
    for (int i = 0; i < data_.vectors; ++i) {
      v_[i] = in_place(i, first);
      if (v_[i] != nullptr) continue;
      v_[i] = buffer_[i];
      if (data_.loads(i)) std::transform(data_.at[i] + first, data_.at[i] + first + n, v_[i], as_scalar);
    }
    for (int c = 0; c < data_.changes; ++c)
      data_.change[c].multiplies ? multiply(data_.change[c], n) : set(c, n);
    for (int i = 0; i < data_.vectors; ++i)
      if (data_.stores(i) && v_[i] == buffer_[i]) store(v_[i], data_.at[i] + first, n);
    for (int i = 0; i < data_.sums; ++i) add(sum_[i], v_[data_.sum[i].a], v_[data_.sum[i].b], n);
  }
  static S as_scalar(const T& element) { return scalar_of_element(element); }
  /// Where the strip of a vector in memory can be computed with as it is; nullptr: nowhere.
  S* in_place(int vector, offset first) const {
    if constexpr (std::is_same_v<T, S>)
      if (all_change_ && data_.at[vector] != nullptr) return data_.at[vector] + first;
    return nullptr;
  }

  void multiply(const CombinationSteps::Change& change, lidx n) {
    const S *const a = v_[change.term[0].vector], *const b = v_[change.term[1].vector];
    S* const target = v_[change.target];
    for (lidx e = 0; e < n; ++e) target[e] = a[e] * b[e];
  }
  void set(int number, lidx n) {
    Terms terms;
    for (int v = 0; v < data_.vectors; ++v)
      if (const S* const factor = c_.factors(number, v); factor != nullptr) {
        terms.factor[static_cast<std::size_t>(terms.count)] = factor;
        terms.from[static_cast<std::size_t>(terms.count++)] = v_[v];
        terms.drops = terms.drops || c_.drops(number, v);
      }
    S* const target = v_[data_.change[number].target];
    if (terms.drops || terms.count > most_at_once) return add_all(terms, target, n);
    switch (terms.count) {
      case 0:
        return static_cast<void>(std::fill_n(target, n, scalar_of<S>(0)));
      case 1:
        return add<1>(terms, target, n);
      case 2:
        return add<2>(terms, target, n);
      default:
        return add<most_at_once>(terms, target, n);
    }
  }
  static constexpr int most_at_once = 3;
  struct Terms {
    int count = 0;
    bool drops = false;  // some columns drop some terms
    std::array<const S*, most_vectors> factor{}, from{};
  };
  template <int count>
  void add(const Terms& terms, S* target, lidx n) const {
    for (lidx first = 0; first < n; first += c_.period()) {
      const lidx m = std::min(c_.period(), n - first);
#pragma omp simd
      for (lidx e = 0; e < m; ++e) {
        S sum = terms.factor[0][e] * terms.from[0][first + e];
        if constexpr (count > 1) sum = sum + terms.factor[1][e] * terms.from[1][first + e];
        if constexpr (count > 2) sum = sum + terms.factor[2][e] * terms.from[2][first + e];
        target[first + e] = sum;
      }
    }
  }
  void add_all(const Terms& terms, S* target, lidx n) const {
    for (lidx e = 0; e < n; ++e) {
      S sum = scalar_of<S>(0);
      for (std::size_t t = 0; t < static_cast<std::size_t>(terms.count); ++t) {
        const S factor = terms.factor[t][e % c_.period()];
        if (!is_zero(factor)) sum = sum + factor * terms.from[t][e];
      }
      target[e] = sum;
    }
  }
  /// Elements of columns that change nothing stay.
  void store(const S* from, T* to, lidx n) const {
    if (all_change_) {
      std::transform(from, from + n, to, element_of<T>);
      return;
    }
    for (lidx e = 0; e < n; ++e)
      if (c_.changes(static_cast<int>(e % c_.columns()))) to[e] = element_of<T>(from[e]);
  }
  void add(S* sum, const S* a, const S* b, lidx n) const {
    for (lidx first = 0; first < n; first += c_.period()) {
      const lidx m = std::min(c_.period(), n - first);
#pragma omp simd
      for (lidx e = 0; e < m; ++e) sum[e] = sum[e] + conjugate(a[first + e]) * b[first + e];
    }
  }

  const Columns<T>& c_;
  const CombinationData<T>& data_;
  bool all_change_ = true;
  S sum_[most_sums][about_a_period] = {};
  S* v_[most_vectors] = {};
  S buffer_[most_vectors][strip];
};

}  // namespace

template <class T>
void combine_columns_host(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                          std::uint64_t line, int parts) {
  const Columns<T> columns(data, scalars);
  const offset rows = data.count / columns.columns();
#pragma omp parallel for schedule(static) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    const auto bound = [&](int p) { return rows * p / parts * columns.columns(); };
    ColumnStrips<T> strips(columns);
    strips.run(bound(part), bound(part + 1));
    for (int j = 0; j < columns.columns(); ++j)
      for (int i = 0; columns.changes(j) && i < data.sums; ++i)
        scalars.of_column(j).partial[static_cast<std::ptrdiff_t>(data.sum[i].slot) * most_parts + part] =
            strips.sum(i, j);
  }
  for (int j = 0; j < columns.columns(); ++j) {
    const auto view = scalars.of_column(j);
    clear_parts(data, view, parts, columns.changes(j));
    if (view.stopped != nullptr && !columns.holds(j)) *view.stopped = 1;
    keep_results(data.formula, columns.registers(j), view, line, columns.changes(j));
  }
}

SPMV_INSTANTIATE(combine_columns_host);

}  // namespace spmv
