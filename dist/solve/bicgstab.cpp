// BiCGSTAB [Vorst 1992], preconditioned from the right, for matrices that need not be hermitian. (r0, r) is made of
// (r0, s) and (r0, t), so that an iteration has two reductions.
//
//   v = A M^-1 p;  alpha = (r0, r) / (r0, v);  s = r - alpha v
//   t = A M^-1 s;  omega = (t, s) / (t, t)
//   x += alpha M^-1 p + omega M^-1 s;  r = s - omega t
//   beta = (r0, r) / (r0, r) of before * alpha / omega;  p = r + beta (p - omega v)
#include <limits>

#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class BiCgStab final : public Solver<T> {
 public:
  explicit BiCgStab(const System<T>& system) : a_(system), plain_(a_.M.is_identity()) {
    for (Vector<T>* vector : {&r0_, &r_, &p_, &v_, &s_, &t_}) *vector = a_.A.make_vector();
    if (plain_) return;
    for (Vector<T>* vector : {&mp_, &ms_}) *vector = a_.A.make_vector();
  }

  void start() override {
    a_.on.multiply(a_.A, a_.x, v_);
    Combination<T> first, keep;
    a_.on.run(first.set(r_, a_.residual(v_)).set(r0_, r_).set(p_, r_).sum(rr, r_, r_));
    a_.on.add_up();
    a_.on.run(keep.store(rho, slot(rr)));
    make_steps();
  }

  std::uint64_t iterate() override {
    const VectorRef<T>& p = preconditioned(p_, mp_);
    a_.on.multiply(a_.A, p, v_);
    a_.on.run(shadow_);
    a_.on.add_up();
    const std::uint64_t line = a_.on.run(half_);
    a_.on.multiply(a_.A, preconditioned(s_, ms_), t_);
    a_.on.run(stabilizing_);
    a_.on.add_up();
    if (!plain_) a_.on.run(solution_);
    a_.on.run(direction_);
    return line;
  }

 private:
  // Slots: sums of the first and of the second reduction, then numbers of this iteration. rho is (r0, r).
  static constexpr int rv = 0, rr = 1, ts = 0, tt = 1, r0s = 2, r0t = 3;
  static constexpr int rho = 4, rho_now = 5, alpha_now = 6;

  const VectorRef<T>& preconditioned(const Vector<T>& from, const Vector<T>& to) {
    if (plain_) return from;
    a_.M.apply(from, to);
    return to;
  }
  static Number size(const Number& a) { return root(conjugate(a) * a); }

  /// Where omega is 0, rho becomes 0: if r = s is not small enough, the next line says that the method broke down.
  void make_steps() {
    for (Combination<T>* step : {&shadow_, &half_, &stabilizing_, &solution_, &direction_}) *step = {};
    shadow_.sum(rv, r0_, v_);
    begin_iteration(half_, a_.goal, slot(rr), size(slot(rho)) * size(slot(rv)));
    half_.store(alpha_now, slot(rho) / slot(rv)).store(rho_now, slot(rho));
    half_.set(s_, r_ - slot(rho) / slot(rv) * v_);
    stabilizing_.sum(ts, t_, s_).sum(tt, t_, t_).sum(r0s, r0_, s_).sum(r0t, r0_, t_);

    const Number alpha = slot(alpha_now), omega = where(0 < slot(tt), slot(ts) / slot(tt));
    const Number next = where(omega, slot(r0s) - omega * slot(r0t));
    const Number beta = where(omega, next / slot(rho_now) * (alpha / omega));
    // If (t, t) is not finite, x stays the last one that is good, and the next line begins with it.
    static_assert(rr == tt);
    for (Combination<T>* step : {&solution_, &direction_})
      step->require(slot(tt) < std::numeric_limits<double>::infinity());
    const LinearForm<T> x = a_.advanced(alpha, plain_ ? p_ : mp_) + a_.of_x * omega * (plain_ ? s_ : ms_);
    (plain_ ? direction_ : solution_).set(a_.x, x);
    direction_.set(r_, s_ - omega * t_).set(p_, r_ + beta * p_ - beta * omega * v_);
    direction_.sum(rr, r_, r_).store(rho, next);
  }

  const System<T>& a_;
  bool plain_;  // without a preconditioner
  Vector<T> r0_, r_, p_, v_, s_, t_;
  Vector<T> mp_, ms_;  // M^-1 p, M^-1 s
  Combination<T> shadow_, half_, stabilizing_, solution_, direction_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_bicgstab(const System<T>& system) {
  return std::make_unique<BiCgStab<T>>(system);
}

SPMV_INSTANTIATE(make_bicgstab);

}  // namespace spmv
