// BiCGSTAB(l) for l = 2 [Sleijpen 1993], preconditioned from the right: two steps of BiCG, then the smallest residual over
// s and t, by modified Gram-Schmidt. A polynomial of degree 2 has complex roots, so that eigenvalues near the imaginary axis do no
// harm. With B = A M^-1 and rho = (r0, r):
//
//   v = B u;  alpha = rho / (r0, v);  r -= alpha v
//   s = B r;  rho_1 = (r0, s);  beta = alpha rho_1 / rho;  v = s - beta v
//   w = B v;  alpha_1 = rho_1 / (r0, w);  s -= alpha_1 w;  q = r - alpha_1 v
//   t = B s;  tau = (s, t) / (s, s);  gamma = (s, q) / (s, s);  t -= tau s
//   omega_1 = (t, q) / (t, t);  omega = gamma - tau omega_1
//   x += M^-1 (alpha u + alpha_1 (r - beta u) + omega q + omega_1 s);  u = r - beta u - omega v - omega_1 w
//   r = q - gamma s - omega_1 t;  u = r + alpha_1 (r0, r) / (omega_1 rho_1) u
//
// Where a divisor is 0, and after a first step that found the solution, the second step is left out and BiCG begins again from
// u = r. omega multiplies B and omega_1 its square: gamma_1 and gamma_2 of the paper.
#include <limits>

#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class BiCgStab2 final : public Solver<T> {
 public:
  explicit BiCgStab2(const System<T>& system) : a_(system), plain_(a_.M.is_identity()) {
    for (Vector<T>* vector : {&r0_, &r_, &u_, &v_, &s_, &w_, &t_}) *vector = a_.A.make_vector();
    if (plain_) return;
    for (Vector<T>* vector : {&mu_, &mr_, &mv_, &ms_}) *vector = a_.A.make_vector();
  }

  void start() override {
    a_.on.multiply(a_.A, a_.x, v_);
    Combination<T> first, keep;
    add_up(first.set(r_, a_.residual(v_)).set(r0_, r_).set(u_, r_).sum(rr, r_, r_));
    a_.on.run(keep.store(rho, slot(rr)));
    make_steps();
  }

  std::uint64_t iterate() override {
    multiply(u_, mu_, v_);
    add_up(shadow_v_);
    const std::uint64_t line = a_.on.run(residual_);
    multiply(r_, mr_, s_);
    add_up(shadow_s_);
    a_.on.run(turn_);
    multiply(v_, mv_, w_);
    add_up(shadow_w_);
    a_.on.run(second_residual_);
    multiply(s_, ms_, t_);
    add_up(products_);
    add_up(orthogonal_);
    a_.on.run(solution_);
    a_.on.run(direction_);
    return line;
  }

 private:
  // Slots: sums, of which (r0, v), (r0, s) and (r0, w) take turns, then numbers of this iteration.
  static constexpr int rr = 0, r0y = 1, ss = 0, sq = 1, st = 2, r0s = 3, tt = 0, tq = 1, r0t = 2, r0q = 3;
  static constexpr int rho = 4, rho_1 = 5, alpha = 6, alpha_1 = 7, beta = 8, gamma = 9, tau = 10, r0_s = 11;

  const VectorRef<T>& in_memory(const Vector<T>& y, const Vector<T>& my) const { return plain_ ? y : my; }
  /// M^-1 y, and A times that.
  void multiply(const Vector<T>& y, const Vector<T>& my, const Vector<T>& product) {
    if (!plain_) a_.M.apply(y, my);
    a_.on.multiply(a_.A, in_memory(y, my), product);
  }
  void add_up(const Combination<T>& sums) {
    a_.on.run(sums);
    a_.on.add_up();
  }
  static Number size(const Number& a) { return root(conjugate(a) * a); }

  /// Where a divisor is 0 the step is left out: with alpha_1, omega_1 or rho_1 = 0, BiCG begins again from u = r.
  void make_steps() {
    for (Combination<T>* step : {&shadow_v_, &shadow_s_, &shadow_w_, &residual_, &turn_, &second_residual_,
                                 &products_, &orthogonal_, &solution_, &direction_})
      *step = {};
    shadow_v_.sum(r0y, r0_, v_);
    shadow_s_.sum(r0y, r0_, s_).sum(rr, r_, r_);
    shadow_w_.sum(r0y, r0_, w_);
    const Number of_v = slot(rho) / slot(r0y), turned = slot(alpha) * slot(r0y) / slot(rho);
    begin_iteration(residual_, a_.goal, slot(rr), size(slot(rho)) * size(slot(r0y)));
    residual_.store(alpha, of_v).set(r_, r_ - of_v * v_);
    turn_.store(beta, turned).store(rho_1, slot(r0y)).set(v_, s_ - turned * v_);
    // After a step that found the solution, what is left is rounding, which another one would only enlarge.
    const Number goes_on = a_.goal * a_.goal < slot(rr);
    const Number of_w = where(goes_on, where(slot(r0y), slot(rho_1) / slot(r0y)));
    second_residual_.store(alpha_1, of_w).set(s_, s_ - of_w * w_);

    VectorRef<T> q = products_.scratch();
    products_.set(q, r_ - slot(alpha_1) * v_);
    products_.sum(ss, s_, s_).sum(sq, s_, q).sum(st, s_, t_).sum(r0s, r0_, s_);
    const Number of_s = where(0 < slot(ss), slot(st) / slot(ss));
    q = orthogonal_.scratch();
    orthogonal_.set(q, r_ - slot(alpha_1) * v_).set(t_, t_ - of_s * s_).store(tau, of_s);
    orthogonal_.store(gamma, where(0 < slot(ss), slot(sq) / slot(ss))).store(r0_s, slot(r0s));
    orthogonal_.sum(tt, t_, t_).sum(tq, t_, q).sum(r0t, r0_, t_).sum(r0q, r0_, q);

    const Number omega_1 = where(0 < slot(tt), slot(tq) / slot(tt)),
                 omega = slot(gamma) - slot(tau) * omega_1;
    // If not, x stays the last one that is good, and the next line begins with (t, t).
    solution_.require(slot(tt) < std::numeric_limits<double>::infinity());
    solution_.set(a_.x, a_.advanced(slot(alpha) - slot(alpha_1) * slot(beta), in_memory(u_, mu_)) +
                            a_.of_x * (slot(alpha_1) + omega) * in_memory(r_, mr_) -
                            a_.of_x * (omega * slot(alpha_1)) * in_memory(v_, mv_) +
                            a_.of_x * omega_1 * in_memory(s_, ms_));
    const Number next = slot(r0q) - slot(gamma) * slot(r0_s) - omega_1 * slot(r0t);
    const Number divisor = omega_1 * slot(rho_1), minus_beta = where(divisor, slot(alpha_1) * next / divisor);
    direction_.set(u_, r_ - slot(beta) * u_ - omega * v_ - omega_1 * w_);
    direction_.set(r_, r_ - slot(alpha_1) * v_ - slot(gamma) * s_ - omega_1 * t_);
    direction_.set(u_, r_ + minus_beta * u_).sum(rr, r_, r_).store(rho, next);
  }

  const System<T>& a_;
  bool plain_;  // without a preconditioner
  Vector<T> r0_, r_, u_, v_, s_, w_, t_;
  Vector<T> mu_, mr_, mv_, ms_;  // M^-1 of them
  Combination<T> shadow_v_, shadow_s_, shadow_w_, residual_, turn_, second_residual_, products_, orthogonal_;
  Combination<T> solution_, direction_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_bicgstab_2(const System<T>& system) {
  return std::make_unique<BiCgStab2<T>>(system);
}

SPMV_INSTANTIATE(make_bicgstab_2);

}  // namespace spmv
