#include "kernels/combine/kernel_text.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "kernels/combine/kernel_pieces.hpp"

namespace spmv {
namespace {

using namespace kernel_pieces;

/// A number that the formula makes and the kernel uses: an expression of its steps.
class KeptNumbers {
 public:
  /// Its name in the text.
  std::string name(const std::string& expression) {
    const auto at = std::find(expressions_.begin(), expressions_.end(), expression);
    const auto number = at - expressions_.begin();
    if (at == expressions_.end()) expressions_.push_back(expression);
    return fmt::format("n{}", number);
  }
  const std::vector<std::string>& expressions() const { return expressions_; }

 private:
  std::vector<std::string> expressions_;
};

/// Vector `vector` in a change, all its terms together.
struct Multiple {
  int vector = 0;
  std::string coefficient;  // name of a number; empty: 1
  bool negative = false;
};

template <class T>
class Text {
 public:
  explicit Text(const Structure& structure) : s_(structure) {
    for (int c = 0; c < s_.changes; ++c) multiples_.push_back(multiples_of(change(c)));
    coefficients_ = kept_.expressions().size();
    for (int i = 0; i < s_.steps; ++i)
      if (is(i, Formula::Operation::store) || is(i, Formula::Operation::record))
        kept_.name(step_name(step(i).a));
  }
  std::string all() {
    add("// Written for one combination of vectors.\n");
    numbers();
    formula();
    packs();
    coefficients();
    changes();
    sums();
    results();
    if (s_.columns == 1) return out_ + beginning;
    for_columns();
    std::string kernel = beginning_of_columns;
    const std::string of_pack = "coefficients_of_pack";
    return out_ + kernel.replace(kernel.find(of_pack), of_pack.size(),
                                 pack_ == 1
                                     ? "Coefficients(numbers[column])"
                                     : "Coefficients(numbers[column]), Coefficients(numbers[column + 1])");
  }

 private:
  using Operation = Formula::Operation;
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }
  const Structure::Change& change(int c) const { return s_.change[static_cast<std::size_t>(c)]; }
  const Structure::Sum& sum(int i) const { return s_.sum[static_cast<std::size_t>(i)]; }
  const Structure::Step& step(int i) const { return s_.step[static_cast<std::size_t>(i)]; }
  bool is(int i, Operation operation) const { return step(i).operation == operation; }
  static std::string step_name(int step) { return fmt::format("step{}", step); }

  std::vector<Multiple> multiples_of(const Structure::Change& change);
  std::string made_by(int i) const;
  void numbers();
  void formula();
  void packs();
  void coefficients();
  void changes();
  void sums();
  void results();
  void for_columns();

  const Structure& s_;
  const int pack_ = column_packs<T>(s_.columns).pack;
  std::string out_;
  KeptNumbers kept_;
  std::size_t coefficients_ = 0;  // the first of the numbers
  std::vector<std::vector<Multiple>> multiples_;
};

template <class T>
std::vector<Multiple> Text<T>::multiples_of(const Structure::Change& change) {
  std::vector<Multiple> result;
  if (change.multiplies) return result;
  for (int v = 0; v < s_.vectors; ++v) {
    std::string sum;
    std::vector<CombinationTerm> terms;
    for (int t = 0; t < change.terms; ++t) {
      const CombinationTerm term = change.term[static_cast<std::size_t>(t)];
      if (term.vector != v) continue;
      terms.push_back(term);
      const std::string size = term.coefficient < 0 ? "scalar(1)" : step_name(term.coefficient);
      sum += (term.negative ? " - " : sum.empty() ? "" : " + ") + size;
    }
    if (terms.size() == 1 && terms[0].coefficient < 0)
      result.push_back({v, "", terms[0].negative});
    else if (terms.size() == 1)
      result.push_back({v, kept_.name(step_name(terms[0].coefficient)), terms[0].negative});
    else if (!terms.empty())
      result.push_back({v, kept_.name(sum), false});
  }
  return result;
}

template <class T>
void Text<T>::numbers() {
  constexpr const char* real = sizeof(RealOf<T>) == sizeof(float) ? "float" : "double";
  add("{}", is_complex<T> ? complex_numbers : real_numbers);
  out_ += fmt::format(fmt::runtime(is_complex<T> ? complex_element : real_element), real);
  add(declarations, fmt::arg("pack", pack_), fmt::arg("columns", int{s_.columns}),
      fmt::arg("threads", kernel_threads), fmt::arg("parts", most_parts), fmt::arg("width", record_width),
      fmt::arg("vectors", most_vectors), fmt::arg("steps", Formula::most_steps), fmt::arg("sums", most_sums),
      fmt::arg("slots_apart", slots_apart), fmt::arg("parts_apart", parts_apart),
      fmt::arg("lines_apart", record_lines));
}

template <class T>
std::string Text<T>::made_by(int i) const {
  const std::string a = step_name(step(i).a), b = step_name(step(i).b);
  switch (step(i).operation) {
    case Operation::constant:
      return fmt::format("scalar(a.constant[{}])", i);
    case Operation::imaginary:
      return fmt::format("imaginary(a.constant[{}])", i);
    case Operation::slot:
      return fmt::format("slot[{}]", step(i).a);
    case Operation::plus:
      return a + " + " + b;
    case Operation::minus:
      return a + " - " + b;
    case Operation::times:
      return a + " * " + b;
    case Operation::over:
      return a + " / " + b;
    case Operation::root:
      return "scalar(sqrt(real(" + a + ")))";
    case Operation::conjugate:
      return "conjugate(" + a + ")";
    case Operation::less:
      return "scalar(real(" + a + ") < real(" + b + "))";
    case Operation::where:
      return "is_zero(" + a + ") ? scalar(0) : " + b;
    case Operation::store:
    case Operation::record:
    case Operation::require:
      break;
  }
  return {};
}

template <class T>
void Text<T>::formula() {
  add("\n// Of the formula, what is used after it.\nstruct Numbers {{\n");
  for (std::size_t i = 0; i < kept_.expressions().size(); ++i) add("  S n{};\n", i);
  add("}};\n// Whether all that is required holds.\nbool evaluate(const Arguments& a, const S* slot, Numbers& numbers) {{\n");
  for (int i = 0; i < s_.steps; ++i)
    if (const std::string made = made_by(i); !made.empty()) add("  const S {} = {};\n", step_name(i), made);
  for (std::size_t i = 0; i < kept_.expressions().size(); ++i)
    add("  numbers.n{} = {};\n", i, kept_.expressions()[i]);
  add("  return true");
  for (int i = 0; i < s_.steps; ++i)
    if (is(i, Operation::require)) add(" && !is_zero({0}) && !is_nan({0})", step_name(step(i).a));
  add(";\n}}\n");
}

template <class T>
void Text<T>::packs() {
  add("\n// Elements of the vectors.\nstruct Packs {{\n");
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.loads(v) || s_.stores(v)) add("  Pack v{};\n", v);
  add("}};\nPacks load(const Arguments& a, long long at) {{\n  Packs packs;\n");
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.loads(v)) add("  packs.v{0} = ((const Pack*)a.vector[{0}])[at];\n", v);
  add("  return packs;\n}}\nvoid store(const Arguments& a, long long at, const Packs& packs) {{\n");
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.stores(v)) add("  ((Pack*)a.vector[{0}])[at] = packs.v{0};\n", v);
  add("}}\n");
}

template <class T>
void Text<T>::coefficients() {
  add("\nstruct Coefficients {{\n  Coefficients(const Numbers& numbers)");
  for (std::size_t i = 0; i < coefficients_; ++i)
    add("{0}n{1}(numbers.n{1}), uses{1}(!is_zero(numbers.n{1}))", i == 0 ? " : " : ", ", i);
  add(" {{}}\n");
  for (std::size_t i = 0; i < coefficients_; ++i) add("  S n{0};\n  bool uses{0};\n", i);
  add("}};\nstruct Sums {{\n");
  for (int i = 0; i < s_.sums; ++i) add("  S s{} = scalar(0);\n", i);
  add("}};\n");
}

template <class T>
void Text<T>::changes() {
  add("\n// Changes element u of the packs, and adds to the sums. A coefficient of 0 drops its term.\n");
  add("void change(const Coefficients& c, Packs& packs, int u, Sums& sum) {{\n");
  for (int v = 0; v < s_.vectors; ++v)
    add("  S v{} = {};\n", v, s_.loads(v) ? fmt::format("scalar_of(packs.v{}.element[u])", v) : "scalar(0)");
  for (int i = 0; i < s_.changes; ++i) {
    const int target = change(i).target;
    if (change(i).multiplies) {
      add("  v{} = v{} * v{};\n", target, change(i).term[0].vector, change(i).term[1].vector);
      continue;
    }
    bool first = true;
    add("  {{\n");
    for (const Multiple& m : multiples_[static_cast<std::size_t>(i)]) {
      const char* sign = m.negative ? "-" : "+";
      if (first)
        m.coefficient.empty() ? add("    S t = {}v{};\n", m.negative ? "-" : "", m.vector)
                              : add("    S t = scalar(0);\n");
      else if (m.coefficient.empty())
        add("    t = t {} v{};\n", sign, m.vector);
      if (!m.coefficient.empty())
        add("    if (c.uses{1}) t = t {0} c.{2} * v{3};\n", sign, m.coefficient.substr(1), m.coefficient,
            m.vector);
      first = false;
    }
    add("    v{} = t;\n  }}\n", target);
  }
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.stores(v)) add("  packs.v{0}.element[u] = element_of(v{0});\n", v);
  for (int i = 0; i < s_.sums; ++i)
    add("  sum.s{0} = sum.s{0} + conjugate(v{1}) * v{2};\n", i, sum(i).a, sum(i).b);
  add("}}\n// The elements after the last whole pack, by one thread.\n");
  add("void change_rest(const Arguments& a, int at, const Coefficients& c, Sums& sum) {{\n");
  add("  for (; at < a.count; ++at) {{\n    Packs packs;\n");
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.loads(v)) add("    packs.v{0}.element[0] = ((const Element*)a.vector[{0}])[at];\n", v);
  add("    change(c, packs, 0, sum);\n");
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.stores(v)) add("    ((Element*)a.vector[{0}])[at] = packs.v{0}.element[0];\n", v);
  add("  }}\n}}\n");
}

template <class T>
void Text<T>::sums() {
  add("\nvoid clear_all_parts(const Arguments& a, S* partial, bool changes) {{\n");
  for (int i = 0; i < s_.sums; ++i)
    add("  clear_parts(partial + {} * most_parts, a.parts_before[{}], changes);\n", sum(i).slot, i);
  add("}}\n// The sums of this thread block, always added in the same order.\nvoid leave_parts(const Arguments& a, const Sums& sum) {{\n");
  if (s_.sums > 0) {
    add("  __shared__ S of_warp[{}][threads / 32];\n", s_.sums);
    for (int i = 0; i < s_.sums; ++i) add("  const S w{0} = warp_sum(sum.s{0});\n", i);
    add("  if (threadIdx.x % 32 == 0) {{\n");
    for (int i = 0; i < s_.sums; ++i) add("    of_warp[{0}][threadIdx.x / 32] = w{0};\n", i);
    add("  }}\n  __syncthreads();\n");
    for (int i = 0; i < s_.sums; ++i) {
      add("  if (threadIdx.x == {}) {{\n    S total = scalar(0);\n", i);
      add("    for (int w = 0; w < threads / 32; ++w) total = total + of_warp[{}][w];\n", i);
      add("    a.partial[{} * most_parts + blockIdx.x] = total;\n  }}\n", sum(i).slot);
    }
  }
  add("}}\n");
}

template <class T>
void Text<T>::results() {
  bool records = false;
  add("\nvoid keep_results(const Arguments& a, S* slot, Line* record, const Numbers& numbers, bool changes) {{\n");
  add("  Line& line = record[a.line % {}];\n", record_lines);
  for (int i = 0; i < s_.steps; ++i) {
    const auto kept = [&] { return kept_.name(step_name(step(i).a)); };
    if (is(i, Operation::store)) add("  if (changes) slot[{}] = numbers.{};\n", step(i).b, kept());
    if (!is(i, Operation::record)) continue;
    add("  line.number[{}] = real(numbers.{});\n", step(i).b, kept());
    records = true;
  }
  if (records)
    add("  asm volatile(\"st.release.sys.global.u64 [%0], %1;\" ::\"l\"(&line.line), \"l\"(a.line) : \"memory\");\n");
  add("}}\n");
}

/// What the kernel for several columns needs beside the rest.
template <class T>
void Text<T>::for_columns() {
  add("\nconstexpr int sums = {};\n", int{s_.sums});
  add("S sum_number(const Sums& sum, int i) {{\n");
  for (int i = 0; i < s_.sums; ++i) add("  if (i == {0}) return sum.s{0};\n", i);
  add("  return scalar(0);\n}}\nint slot_of_sum(int i) {{\n");
  for (int i = 0; i < s_.sums; ++i) add("  if (i == {}) return {};\n", i, int{sum(i).slot});
  add("  return 0;\n}}\n// One element alone.\n");
  add("void store_one(const Arguments& a, long long at, const Packs& packs, int u) {{\n");
  for (int v = 0; v < s_.vectors; ++v)
    if (s_.stores(v)) add("  ((Element*)a.vector[{0}])[at] = packs.v{0}.element[u];\n", v);
  add("}}\n");
}

}  // namespace

template <class T>
std::string kernel_text(const Structure& structure) {
  return Text<T>(structure).all();
}

SPMV_INSTANTIATE(kernel_text);

}  // namespace spmv
