// Pipelined conjugate gradients [Ghysels 2014, alg. 4]: the sums of all ranks are added up while the product n = A m
// runs, at the price of three more vectors. The recurrences drift from what they stand for, so the residual
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
  explicit PipelinedCg(const System<T>& system)
      : a_(system),
        on_(system.on),
        m_(system.preconditioner),
        r_(on_.make_vector()),
        w_(on_.make_vector()),
        n_(on_.make_vector()),
        z_(on_.make_vector()),
        s_(on_.make_vector()),
        p_(on_.make_vector()) {
    if (m_.is_identity()) return;
    u_ = on_.make_vector();
    m_of_w_ = on_.make_vector();
    q_ = on_.make_vector();
  }

  void start() override {
    on_.multiply(a_.x, n_.data());
    Combination<T> c(on_.rows());
    const auto b = c.vector(a_.b), r = c.vector(r_.data()), n = c.vector(n_.data());
    c.set(r, a_.residual(c, b, n));
    // The first beta is 0.
    c.formula.store(alpha_before, c.formula.constant(1));
    c.formula.store(gamma_before, c.formula.constant(std::numeric_limits<double>::infinity()));
    on_.combine(c);
    if (!m_.is_identity()) m_.apply(r_.data(), u_.data());
    on_.multiply(u(), w_.data());
    Combination<T> d(on_.rows());
    const auto r0 = d.vector(r_.data()), w0 = d.vector(w_.data());
    sum(d, r0, w0, m_.is_identity() ? r0 : d.vector(u_.data()));
    on_.combine(d);
  }

  std::uint64_t iterate() override {
    if (!m_.is_identity()) m_.apply(w_.data(), m_of_w_.data());  // may queue sums of its own
    on_.start_adding_up();
    on_.multiply(m_.is_identity() ? w_.data() : m_of_w_.data(), n_.data());
    on_.finish_adding_up();
    const std::uint64_t line = step_residual();
    if (!m_.is_identity()) step_preconditioned();
    step_solution();
    return line;
  }

 private:
  // Slots: sums, then numbers of this iteration and of the one before.
  static constexpr int gamma_sum = 0, delta_sum = 1;
  static constexpr int alpha_before = 4, gamma_before = 5, alpha_now = 6, alpha_next = 7, gamma_next = 8;
  /// (r, r) is gamma without a preconditioner.
  int rr() const { return m_.is_identity() ? gamma_sum : 2; }
  T* u() { return m_.is_identity() ? r_.data() : u_.data(); }

  struct Coefficients {
    Value positive;  // (p, A p)
    Value alpha, beta;
  };
  static Coefficients coefficients(Formula& f) {
    const auto gamma = f.slot(gamma_sum);
    const auto beta = gamma / f.slot(gamma_before);
    const auto positive = f.slot(delta_sum) - beta * gamma / f.slot(alpha_before);
    return {positive, gamma / positive, beta};
  }
  void sum(Combination<T>& c, VectorName r, VectorName w, VectorName u) {
    c.sum(gamma_sum, r, u);
    c.sum(delta_sum, w, u);
    if (!m_.is_identity()) c.sum(rr(), r, r);
  }

  /// z, s, w and r; and p and the sums, if u is r.
  std::uint64_t step_residual() {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto k = coefficients(f);
    const auto goes_on = begin_iteration(f, a_.goal, f.slot(rr()), k.positive);
    f.record(2, f.slot(gamma_sum));
    const auto alpha = f.where(goes_on, k.alpha);
    const auto stays = f.constant(1) - goes_on;
    const auto beta = f.where(goes_on, k.beta) + stays;
    f.store(alpha_now, alpha);
    f.store(alpha_next, alpha + f.where(stays, f.slot(alpha_before)));
    f.store(gamma_next, f.where(goes_on, f.slot(gamma_sum)) + f.where(stays, f.slot(gamma_before)));
    const auto z = c.vector(z_.data()), n = c.vector(n_.data()), s = c.vector(s_.data());
    const auto w = c.vector(w_.data()), r = c.vector(r_.data());
    c.set(z, goes_on * n + beta * z);
    c.set(s, goes_on * w + beta * s);
    if (m_.is_identity()) {
      const auto p = c.vector(p_.data());
      c.set(p, goes_on * r + beta * p);
    }
    c.set(w, w - alpha * z);
    c.set(r, r - alpha * s);
    if (m_.is_identity()) sum(c, r, w, r);
    return on_.combine(c);
  }
  /// p, q and u, and the sums.
  void step_preconditioned() {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto goes_on = f.where(f.slot(alpha_now), f.constant(1));
    const auto beta = f.where(goes_on, coefficients(f).beta) + (f.constant(1) - goes_on);
    const auto p = c.vector(p_.data()), q = c.vector(q_.data()), u = c.vector(u_.data());
    const auto m = c.vector(m_of_w_.data()), r = c.vector(r_.data()), w = c.vector(w_.data());
    c.set(p, goes_on * u + beta * p);
    c.set(q, goes_on * m + beta * q);
    c.set(u, u - f.slot(alpha_now) * q);
    sum(c, r, w, u);
    on_.combine(c);
  }
  /// x. The numbers of this iteration become those of the one before.
  void step_solution() {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto x = c.vector(a_.x), p = c.vector(p_.data());
    c.set(x, x + a_.step(c, f.slot(alpha_now)) * p);
    f.store(alpha_before, f.slot(alpha_next));
    f.store(gamma_before, f.slot(gamma_next));
    on_.combine(c);
  }

  const System<T>& a_;
  Workspace<T>& on_;
  Preconditioner<T>& m_;
  Buffer<T> r_, w_, n_, z_, s_, p_;
  Buffer<T> u_, m_of_w_, q_;  // M^-1 r, M^-1 w and M^-1 s; empty without a preconditioner
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_cg_pipelined(const System<T>& system) {
  return std::make_unique<PipelinedCg<T>>(system);
}

SPMV_INSTANTIATE(make_cg_pipelined);

}  // namespace spmv
