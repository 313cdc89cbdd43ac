#include "kernels/combine/strip_plan.hpp"

#include <algorithm>

#include "core/value_types.hpp"

namespace spmv {
namespace {

constexpr int most_terms_of_two = 3;  // of each of two forms in one pass

ComplexScalar complex_number(double a) {
  return {a, 0};
}
ComplexScalar complex_number(ComplexScalar a) {
  return a;
}

template <class Change, class S>
StripForm form_of(const Change& change, const S* registers) {
  ComplexScalar factor[most_vectors];
  bool used[most_vectors] = {};
  for (int t = 0; t < change.terms; ++t) {
    const CombinationTerm term = change.term[t];
    const ComplexScalar size =
        term.coefficient < 0 ? ComplexScalar{1, 0} : complex_number(registers[term.coefficient]);
    factor[term.vector] = factor[term.vector] + (term.negative ? -size : size);
    used[term.vector] = used[term.vector] || !is_zero(size);
  }
  StripForm form;
  form.target = change.target;
  for (int v = 0; v < most_vectors; ++v)
    if (used[v] && !is_zero(factor[v])) {
      form.factor[form.terms] = factor[v];
      form.from[form.terms++] = v;
    }
  return form;
}

/// Takes vector `v` out of the terms; its factor, 0 if it is not there.
double take_out(StripForm& form, int v) {
  for (int t = 0; t < form.terms; ++t) {
    if (form.from[t] != v) continue;
    const double factor = form.factor[t].re;
    --form.terms;
    std::copy(form.from + t + 1, form.from + form.terms + 1, form.from + t);
    std::copy(form.factor + t + 1, form.factor + form.terms + 1, form.factor + t);
    return factor;
  }
  return 0;
}

}  // namespace

template <class T>
StripPlan::StripPlan(const CombinationData<T>& data, const ScalarOf<T>* registers)
    : single(sizeof(RealOf<T>) == sizeof(float)),
      pairs(is_complex<T>),
      vectors(data.vectors),
      loaded(data.loaded),
      stored(data.stored),
      sums(data.sums) {
  std::copy_n(data.at, vectors, at);
  for (int i = 0; i < sums; ++i) sum[i] = {data.sum[i].a, data.sum[i].b, false};
  for (int c = 0; c < data.changes; ++c) {
    const auto& change = data.change[c];
    if (!change.multiplies) {
      add(form_of(change, registers));
      continue;
    }
    StripPass& multiply = pass[passes++];
    multiply.kind = StripPass::Kind::multiply;
    multiply.form[0].target = change.target;
    multiply.form[0].from[0] = change.term[0].vector;
    multiply.form[0].from[1] = change.term[1].vector;
  }
  add_squares();
  reads_memory_alone = true;
  for (int p = 0; p < passes; ++p) {
    const bool two = pass[p].kind == StripPass::Kind::two_forms;
    if (reads(pass[p].form[0].target, p + 1) || (two && reads(pass[p].form[1].target, p + 1)))
      reads_memory_alone = false;
  }
}

/// Whether a pass from `first_pass` on, or a sum after all of them, reads a vector.
bool StripPlan::reads(int vector, int first_pass) const {
  for (int i = 0; i < sums; ++i)
    if (!sum[i].in_pass && (sum[i].a == vector || sum[i].b == vector)) return true;
  for (int p = first_pass; p < passes; ++p)
    for (const StripForm& form : pass[p].form) {
      const int terms = pass[p].kind == StripPass::Kind::multiply ? 2 : form.terms;
      if (std::count(form.from, form.from + terms, vector) > 0) return true;
    }
  return false;
}

/// Into the pass before, if that makes its target: what it has in registers is not read again.
void StripPlan::add(const StripForm& form) {
  if (passes > 0 && pass[passes - 1].kind == StripPass::Kind::real && form.real()) {
    StripPass& last = pass[passes - 1];
    StripForm others = form;
    const double link = take_out(others, last.form[0].target);
    const int terms = last.form[0].terms;
    if (link != 0 && form.target != last.form[0].target && terms > 0 && terms <= most_terms_of_two &&
        others.terms <= most_terms_of_two) {
      last.kind = StripPass::Kind::two_forms;
      last.form[1] = others;
      last.link = link;
      return;
    }
  }
  StripPass& added = pass[passes++];
  added.kind = form.real() ? StripPass::Kind::real : StripPass::Kind::terms;
  added.form[0] = form;
}

/// Sums (v, v) are added up by the pass that changes v last.
void StripPlan::add_squares() {
  for (int i = 0; i < sums; ++i) {
    if (sum[i].a != sum[i].b) continue;
    StripForm* last = nullptr;
    for (int p = 0; p < passes; ++p)
      for (int f = 0; f < (pass[p].kind == StripPass::Kind::two_forms ? 2 : 1); ++f)
        if (pass[p].form[f].target == sum[i].a) {
          const bool adds =
              pass[p].kind == StripPass::Kind::real || pass[p].kind == StripPass::Kind::two_forms;
          last = adds && pass[p].form[f].square < 0 ? &pass[p].form[f] : nullptr;
        }
    if (last == nullptr) continue;
    last->square = i;
    sum[i].in_pass = true;
  }
}

template StripPlan::StripPlan(const CombinationData<float>&, const double*);
template StripPlan::StripPlan(const CombinationData<double>&, const double*);
template StripPlan::StripPlan(const CombinationData<std::complex<float>>&, const ComplexScalar*);
template StripPlan::StripPlan(const CombinationData<std::complex<double>>&, const ComplexScalar*);

}  // namespace spmv
