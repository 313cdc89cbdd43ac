// BiCGSTAB [Vorst 1992], preconditioned from the right, for matrices that need not be hermitian. (r0, r) is made of
// (r0, s) and (r0, t), so that an iteration has two reductions.
//
//   v = A M^-1 p;  alpha = (r0, r) / (r0, v);  s = r - alpha v
//   t = A M^-1 s;  omega = (t, s) / (t, t)
//   x += alpha M^-1 p + omega M^-1 s;  r = s - omega t
//   beta = (r0, r) / (r0, r) of before * alpha / omega;  p = r + beta (p - omega v)
#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class BiCgStab final : public Solver<T> {
 public:
  explicit BiCgStab(const System<T>& system)
      : a_(system),
        on_(system.on),
        m_(system.preconditioner),
        r0_(on_.make_vector()),
        r_(on_.make_vector()),
        p_(on_.make_vector()),
        v_(on_.make_vector()),
        s_(on_.make_vector()),
        t_(on_.make_vector()) {
    if (m_.is_identity()) return;
    m_of_p_ = on_.make_vector();
    m_of_s_ = on_.make_vector();
  }

  void start() override {
    on_.multiply(a_.x, v_.data());
    Combination<T> c(on_.rows());
    const auto b = c.vector(a_.b), v = c.vector(v_.data()), r = c.vector(r_.data());
    const auto r0 = c.vector(r0_.data()), p = c.vector(p_.data());
    c.set(r, a_.residual(c, b, v));
    c.set(r0, r);
    c.set(p, r);
    c.sum(rr, r, r);
    on_.combine(c);
    on_.add_up();
    Combination<T> d(on_.rows());
    d.formula.store(rho, d.formula.slot(rr));
    d.vector(r_.data());
    on_.combine(d);
  }

  std::uint64_t iterate() override {
    T* const m_of_p = preconditioned(p_.data(), m_of_p_);
    on_.multiply(m_of_p, v_.data());
    sum_direction();
    on_.add_up();
    const std::uint64_t line = step_half();
    T* const m_of_s = preconditioned(s_.data(), m_of_s_);
    on_.multiply(m_of_s, t_.data());
    sum_half();
    on_.add_up();
    step_solution(m_of_p, m_of_s);
    return line;
  }

 private:
  // Slots: sums of the first and of the second reduction, then numbers of this iteration. rho is (r0, r).
  static constexpr int rv = 0, rr = 1, ts = 0, tt = 1, r0s = 2, r0t = 3;
  static constexpr int rho = 4, rho_now = 5, alpha_now = 6;

  T* preconditioned(T* from, Buffer<T>& to) {
    if (m_.is_identity()) return from;
    m_.apply(from, to.data());
    return to.data();
  }
  static Value size(Formula& f, Value a) { return f.root(f.conjugate(a) * a); }

  void sum_direction() {
    Combination<T> c(on_.rows());
    const auto r0 = c.vector(r0_.data()), v = c.vector(v_.data());
    c.sum(rv, r0, v);
    on_.combine(c);
  }
  std::uint64_t step_half() {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto positive = size(f, f.slot(rho)) * size(f, f.slot(rv));
    const auto goes_on = begin_iteration(f, a_.goal, f.slot(rr), positive);
    const auto alpha = f.where(goes_on, f.slot(rho) / f.slot(rv));
    f.store(alpha_now, alpha);
    f.store(rho_now, f.slot(rho));
    const auto r = c.vector(r_.data()), v = c.vector(v_.data()), s = c.vector(s_.data());
    c.set(s, r - alpha * v);
    return on_.combine(c);
  }
  void sum_half() {
    Combination<T> c(on_.rows());
    const auto r0 = c.vector(r0_.data()), s = c.vector(s_.data()), t = c.vector(t_.data());
    c.sum(ts, t, s);
    c.sum(tt, t, t);
    c.sum(r0s, r0, s);
    c.sum(r0t, r0, t);
    on_.combine(c);
  }
  /// Where omega is 0, rho becomes 0: if r = s is not small enough, the next line says that the method broke down.
  void step_solution(T* m_of_p, T* m_of_s) {
    if (!m_.is_identity()) step_x(m_of_p, m_of_s);
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto alpha = f.slot(alpha_now), before = f.slot(rho_now);
    const auto goes_on = f.where(alpha, f.constant(1));
    const auto omega = omega_of(f, goes_on);
    const auto next = f.where(omega, f.slot(r0s) - omega * f.slot(r0t));
    const auto beta = f.where(omega, next / before * (alpha / omega));
    const auto stays = f.constant(1) - goes_on;
    f.store(rho, next + f.where(stays, before));
    const auto s = c.vector(s_.data()), p = c.vector(p_.data());
    if (m_.is_identity()) {
      const auto x = c.vector(a_.x);
      c.set(x, x + a_.step(c, alpha) * p + a_.step(c, omega) * s);
    }
    const auto r = c.vector(r_.data()), t = c.vector(t_.data()), v = c.vector(v_.data());
    c.set(r, s - omega * t);
    c.set(p, goes_on * r + (beta + stays) * p - (beta * omega) * v);
    c.sum(rr, r, r);
    on_.combine(c);
  }
  void step_x(T* m_of_p, T* m_of_s) {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto alpha = f.slot(alpha_now);
    const auto x = c.vector(a_.x), mp = c.vector(m_of_p), ms = c.vector(m_of_s);
    const auto omega = omega_of(f, f.where(alpha, f.constant(1)));
    c.set(x, x + a_.step(c, alpha) * mp + a_.step(c, omega) * ms);
    on_.combine(c);
  }
  static Value omega_of(Formula& f, Value goes_on) {
    return f.where(f.all(goes_on, f.constant(0) < f.slot(tt)), f.slot(ts) / f.slot(tt));
  }

  const System<T>& a_;
  Workspace<T>& on_;
  Preconditioner<T>& m_;
  Buffer<T> r0_, r_, p_, v_, s_, t_;
  Buffer<T> m_of_p_, m_of_s_;  // empty without a preconditioner
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_bicgstab(const System<T>& system) {
  return std::make_unique<BiCgStab<T>>(system);
}

SPMV_INSTANTIATE(make_bicgstab);

}  // namespace spmv
