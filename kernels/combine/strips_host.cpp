// The passes over strips that stay in the first cache.
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "kernels/combine/strip_plan.hpp"
#include "kernels/parts/sizes.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// Real numbers of a strip of one vector.
constexpr lidx strip = 512;
/// Elements are summed in so many lanes that do not wait for each other. The number is the same for every processor, so that a
/// sum has the same bits in whichever instructions it is computed.
constexpr lidx lanes = 16;
static_assert(strip % (2 * lanes) == 0);

/// A sum in lanes.
struct LaneSum {
  alignas(cache_line_bytes) double lane[lanes] = {};
  double total() const {
    double total = lane[0];
    for (lidx l = 1; l < lanes; ++l) total += lane[l];
    return total;
  }
};
struct Sum {
  LaneSum re, im;
};

/// Calls each(number) for the numbers 0 to count - 1, as constants.
template <int count, class Each>
void for_each_number(const Each& each) {
  [&]<int... number>(std::integer_sequence<int, number...>) {
    (each(std::integral_constant<int, number>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// Calls element(k, lane) for k < n, in groups of all lanes.
template <class Element>
void for_lanes(lidx n, const Element& element) {
  lidx k = 0;
  for (; k + lanes <= n; k += lanes)
#pragma omp simd
    for (lidx lane = 0; lane < lanes; ++lane) element(k + lane, lane);
  for (lidx lane = 0; k + lane < n; ++lane) element(k + lane, lane);
}

/// Real terms with everything at hand.
template <class R, int terms>
struct Terms {
  std::array<double, terms> factor;
  std::array<const R*, terms> from;
  Terms(const StripForm& form, R* const* v) {
    for_each_number<terms>([&](auto t) {
      factor[t] = form.factor[t].re;
      from[t] = v[form.from[t]];
    });
  }
  double add_to(double sum, lidx k) const {
    for_each_number<terms>([&](auto t) { sum = sum + factor[t] * from[t][k]; });
    return sum;
  }
  double of(lidx k) const {
    double sum = factor[0] * from[0][k];
    for_each_number<terms - 1>([&](auto t) { sum = sum + factor[t + 1] * from[t + 1][k]; });
    return sum;
  }
};

/// R: what the vectors that passes read and write consist of. Numbers in between are double.
template <class R>
class Strips {
 public:
  explicit Strips(const StripPlan& plan) : plan_(plan), copies_(std::is_same_v<R, double> && plan.single) {}
  void run(lidx first, lidx last, ComplexScalar* sum) {
    const lidx reals = copies_ ? strip / 2 : strip, elements = plan_.pairs ? reals / 2 : reals;
    for (lidx k = first; k < last; k += elements) run_strip(k, std::min(elements, last - k));
    for (int i = 0; i < plan_.sums; ++i) sum[i] = {sum_[i].re.total(), sum_[i].im.total()};
  }

 private:
  bool bit(unsigned bits, int i) const { return (bits >> static_cast<unsigned>(i) & 1U) != 0; }

  void run_strip(lidx first, lidx elements) {
    const std::ptrdiff_t at = plan_.pairs ? 2 * std::ptrdiff_t{first} : first;
    const lidx n = plan_.pairs ? 2 * elements : elements;
    for (int i = 0; i < plan_.vectors; ++i) {
      v_[i] = !copies_ && plan_.at[i] != nullptr ? static_cast<R*>(plan_.at[i]) + at : buffer_[i];
      if (copies_ && bit(plan_.loaded, i)) convert(static_cast<const float*>(plan_.at[i]) + at, v_[i], n);
    }
    for (int p = 0; p < plan_.passes; ++p) run_pass(plan_.pass[p], n);
    for (int i = 0; i < plan_.sums; i += 2) add_products(i, n);
    for (int i = 0; i < plan_.vectors; ++i)
      if (copies_ && bit(plan_.stored, i)) convert(v_[i], static_cast<float*>(plan_.at[i]) + at, n);
  }
  /// Vectors one after the other are too many streams for a processor that looks ahead: it is told what comes.
  template <class From, class To>
  static void convert(const From* from, To* to, lidx n) {
    lidx k = 0;
    for (; k + lanes <= n; k += lanes) {
      __builtin_prefetch(from + k + strip);
#pragma omp simd
      for (lidx lane = 0; lane < lanes; ++lane) to[k + lane] = static_cast<To>(from[k + lane]);
    }
    for (; k < n; ++k) to[k] = static_cast<To>(from[k]);
  }

  void run_pass(const StripPass& pass, lidx n) {
    const StripForm& form = pass.form[0];
    switch (pass.kind) {
      case StripPass::Kind::multiply:
        return multiply(v_[form.target], v_[form.from[0]], v_[form.from[1]], n);
      case StripPass::Kind::terms:
        return for_each_number<most_vectors + 1>([&](auto terms) {
          if (form.terms == terms) complex_terms<terms>(form, n);
        });
      case StripPass::Kind::real:
        if (form.terms == 0) std::fill_n(v_[form.target], n, 0.0);
        return for_each_number<most_vectors>([&](auto less) {
          if (form.terms == less + 1)
            form.square < 0 ? one_form<less + 1, false>(form, n) : one_form<less + 1, true>(form, n);
        });
      case StripPass::Kind::two_forms:
        return for_each_number<12>([&](auto both) {
          if (form.terms == both / 4 + 1 && pass.form[1].terms == both % 4)
            for_each_number<4>([&](auto squares) {
              if ((form.square >= 0) == (squares % 2 != 0) &&
                  (pass.form[1].square >= 0) == (squares / 2 != 0))
                two_forms<both / 4 + 1, both % 4, squares % 2 != 0, squares / 2 != 0>(pass, n);
            });
        });
    }
  }

  template <int terms, bool squares>
  void one_form(const StripForm& form, lidx n) {
    const Terms<R, terms> sum(form, v_);
    R* const target = v_[form.target];
    LaneSum square;
    if constexpr (squares) square = sum_[form.square].re;
    for_lanes(n, [&](lidx k, lidx lane) {
      const double value = sum.of(k);
      if constexpr (squares) square.lane[lane] += value * value;
      target[k] = static_cast<R>(value);
    });
    if constexpr (squares) sum_[form.square].re = square;
  }
  template <int terms, int others, bool first_squares, bool second_squares>
  void two_forms(const StripPass& pass, lidx n) {
    const StripForm &one = pass.form[0], &other = pass.form[1];
    const Terms<R, terms> first(one, v_);
    const Terms<R, others> second(other, v_);
    R *const target = v_[one.target], *const next = v_[other.target];
    const double link = pass.link;
    LaneSum first_square, second_square;
    if constexpr (first_squares) first_square = sum_[one.square].re;
    if constexpr (second_squares) second_square = sum_[other.square].re;
    for_lanes(n, [&](lidx k, lidx lane) {
      const double value = first.of(k);
      const double follows = second.add_to(link * value, k);
      if constexpr (first_squares) first_square.lane[lane] += value * value;
      if constexpr (second_squares) second_square.lane[lane] += follows * follows;
      target[k] = static_cast<R>(value);
      next[k] = static_cast<R>(follows);
    });
    if constexpr (first_squares) sum_[one.square].re = first_square;
    if constexpr (second_squares) sum_[other.square].re = second_square;
  }
  template <int terms>
  void complex_terms(const StripForm& form, lidx n) {
    std::array<ComplexScalar, terms> factor;
    std::array<const R*, terms> from;
    for_each_number<terms>([&](auto t) {
      factor[t] = form.factor[t];
      from[t] = v_[form.from[t]];
    });
    R* const target = v_[form.target];
#pragma omp simd
    for (lidx k = 0; k < n / 2; ++k) {
      ComplexScalar sum{0, 0};
      const lidx re = 2 * k, im = re + 1;
      for_each_number<terms>([&](auto t) {
        sum = sum + factor[t] * ComplexScalar{from[t][re], from[t][im]};
      });
      target[re] = static_cast<R>(sum.re);
      target[im] = static_cast<R>(sum.im);
    }
  }
  void multiply(R* target, const R* a, const R* b, lidx n) const {
    if (!plan_.pairs)
      return for_lanes(n, [&](lidx k, lidx) { target[k] = static_cast<R>(double{a[k]} * double{b[k]}); });
#pragma omp simd
    for (lidx k = 0; k < n / 2; ++k) {
      const lidx re = 2 * k, im = re + 1;
      const ComplexScalar product = ComplexScalar{a[re], a[im]} * ComplexScalar{b[re], b[im]};
      target[re] = static_cast<R>(product.re);
      target[im] = static_cast<R>(product.im);
    }
  }
  /// Sums i and i + 1 of vectors as they are after all passes, unless a pass has them. (v, v) is added up as a pass does it,
  /// real number by real number: it has the same bits in either way.
  void add_products(int i, lidx n) {
    const auto open = [&](int number) { return number < plan_.sums && !plan_.sum[number].in_pass; };
    const auto real = [&](int number) { return !plan_.pairs || plan_.sum[number].a == plan_.sum[number].b; };
    if (open(i) && open(i + 1) && real(i) == real(i + 1))
      return real(i) ? add_real<2>({i, i + 1}, n) : add_complex<2>({i, i + 1}, n);
    for (const int number : {i, i + 1})
      if (open(number)) real(number) ? add_real<1>({number}, n) : add_complex<1>({number}, n);
  }
  template <int count>
  void add_real(const std::array<int, count>& number, lidx n) {
    std::array<LaneSum, count> sum;
    std::array<const R*, count> a, b;
    for_each_number<count>([&](auto i) {
      sum[i] = sum_[number[i]].re;
      a[i] = v_[plan_.sum[number[i]].a];
      b[i] = v_[plan_.sum[number[i]].b];
    });
    for_lanes(n, [&](lidx k, lidx lane) {
      for_each_number<count>([&](auto i) { sum[i].lane[lane] += double{a[i][k]} * double{b[i][k]}; });
    });
    for_each_number<count>([&](auto i) { sum_[number[i]].re = sum[i]; });
  }
  /// conj(a) b
  template <int count>
  void add_complex(const std::array<int, count>& number, lidx n) {
    std::array<Sum, count> sum;
    std::array<const R*, count> a, b;
    for_each_number<count>([&](auto i) {
      sum[i] = sum_[number[i]];
      a[i] = v_[plan_.sum[number[i]].a];
      b[i] = v_[plan_.sum[number[i]].b];
    });
    for_lanes(n / 2, [&](lidx k, lidx lane) {
      for_each_number<count>([&](auto i) {
        const double xr = a[i][2 * k], xi = a[i][2 * k + 1], yr = b[i][2 * k], yi = b[i][2 * k + 1];
        sum[i].re.lane[lane] += xr * yr + xi * yi;
        sum[i].im.lane[lane] += xr * yi - xi * yr;
      });
    });
    for_each_number<count>([&](auto i) { sum_[number[i]] = sum[i]; });
  }

  Sum sum_[most_sums];
  alignas(cache_line_bytes) R buffer_[most_vectors][strip];
  R* v_[most_vectors] = {};
  const StripPlan& plan_;
  bool copies_;  // whether a strip is copied into double precision and back
};

}  // namespace

void run_strips(const StripPlan& plan, lidx first, lidx last, ComplexScalar* sum) {
  if (plan.single && plan.reads_memory_alone)
    run_best([&] { Strips<float>(plan).run(first, last, sum); });
  else
    run_best([&] { Strips<double>(plan).run(first, last, sum); });
}

}  // namespace spmv
