// Pipelined conjugate gradients [Ghysels 2014, alg. 4]: the sums of all ranks are added up while the product n = A m
// runs, at the price of three more vectors, and more with a preconditioner. The recurrences drift from what they stand for, so the residual
// stagnates earlier than that of other forms; solve() restarts once from the true one.
//
//   gamma = (r, u);  delta = (w, u)                          with u = M^-1 r, w = A u
//   m = M^-1 w;  n = A m
//   beta = gamma / gamma of before;  alpha = gamma / (delta - beta gamma / alpha of before)
//   z = n + beta z;  q = m + beta q;  s = w + beta s;  p = u + beta p
//   x += alpha p;  r -= alpha s;  u -= alpha q;  w -= alpha z
#include <limits>

#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class PipelinedCg final : public Solver<T> {
 public:
  explicit PipelinedCg(const System<T>& system) : a_(system), plain_(a_.M.is_identity()) {
    for (Vector<T>* vector : {&r_, &w_, &n_, &z_, &s_, &p_}) *vector = a_.A.make_vector();
    if (plain_) return;
    for (Vector<T>* vector : {&u_, &m_, &q_}) *vector = a_.A.make_vector();
  }

  void start() override {
    a_.on.multiply(a_.A, a_.x, n_);
    Combination<T> residual, sums;
    residual.set(r_, a_.residual(n_));
    // The first beta is 0.
    a_.on.run(residual.store(alpha_before, 1).store(gamma_before, std::numeric_limits<double>::infinity()));
    if (!plain_) a_.M.apply(r_, u_);
    a_.on.multiply(a_.A, plain_ ? r_ : u_, w_);
    a_.on.run(add_sums(sums));
    make_steps();
  }

  std::uint64_t iterate() override {
    if (!plain_) a_.M.apply(w_, m_);  // may queue sums of its own
    a_.on.start_adding_up();
    a_.on.multiply(a_.A, plain_ ? w_ : m_, n_);
    a_.on.finish_adding_up();
    const std::uint64_t line = a_.on.run(residual_);
    if (!plain_) a_.on.run(direction_);
    a_.on.run(solution_);
    return line;
  }

 private:
  // Slots: sums, then numbers of this iteration and of the one before.
  static constexpr int gamma_sum = 0, delta_sum = 1;
  static constexpr int alpha_before = 4, gamma_before = 5, alpha_now = 6, beta_now = 7, gamma_now = 8;
  /// (r, r) is gamma without a preconditioner.
  int rr() const { return plain_ ? gamma_sum : 2; }

  void make_steps() {
    const Number gamma = slot(gamma_sum), beta = gamma / slot(gamma_before);
    const Number positive = slot(delta_sum) - beta * gamma / slot(alpha_before), alpha = gamma / positive;
    residual_ = Combination<T>(), direction_ = Combination<T>(), solution_ = Combination<T>();
    begin_iteration(residual_, a_.goal, slot(rr()), signed_by(gamma, positive)).record(2, gamma);
    residual_.store(alpha_now, alpha).store(beta_now, beta).store(gamma_now, gamma);
    residual_.set(z_, n_ + beta * z_).set(s_, w_ + beta * s_);
    if (plain_) residual_.set(p_, r_ + beta * p_);
    residual_.set(w_, w_ - alpha * z_).set(r_, r_ - alpha * s_);
    if (plain_) {
      add_sums(residual_);
    } else {
      direction_.set(p_, u_ + slot(beta_now) * p_).set(q_, m_ + slot(beta_now) * q_);
      add_sums(direction_.set(u_, u_ - slot(alpha_now) * q_));
    }
    solution_.set(a_.x, a_.advanced(slot(alpha_now), p_));
    solution_.store(alpha_before, slot(alpha_now)).store(gamma_before, slot(gamma_now));
  }
  Combination<T>& add_sums(Combination<T>& c) const {
    const VectorRef<T>& u = plain_ ? r_ : u_;
    c.sum(gamma_sum, r_, u).sum(delta_sum, w_, u);
    return plain_ ? c : c.sum(rr(), r_, r_);
  }

  const System<T>& a_;
  bool plain_;  // without a preconditioner: u is r, m is w, and q is s
  Vector<T> r_, w_, n_, z_, s_, p_;
  Vector<T> u_, m_, q_;
  Combination<T> residual_, direction_, solution_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_cg_pipelined(const System<T>& system) {
  return std::make_unique<PipelinedCg<T>>(system);
}

SPMV_INSTANTIATE(make_cg_pipelined);

}  // namespace spmv
