// Conjugate gradients that predict the next (r, z) for beta and recompute it for alpha [Rupp 2016; M-CG in Chen 2020]: one
// reduction and two kernels an iteration, and x becomes as accurate as in the classical form. At first r = b - A x, p = z = M^-1 r.
//
//   s = A p;  u = M^-1 s
//   alpha = (r, z) / (p, s);  beta = (alpha^2 (s, u) - (r, z)) / (r, z)
//   x += alpha p;  r -= alpha s;  z = M^-1 r = z - alpha u;  p = z + beta p
#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class Cg final : public Solver<T> {
 public:
  explicit Cg(const System<T>& system)
      : a_(system),
        r_(a_.A.make_vector()),
        p_(a_.A.make_vector()),
        s_(a_.A.make_vector()),
        z_(a_.M, a_.A),
        u_(a_.M, a_.A) {}

  void start() override {
    a_.on.multiply(a_.A, a_.x, s_);
    a_.on.run(Combination<T>().set(r_, a_.residual(s_)));
    z_.apply(r_);
    Combination<T> first;
    const VectorRef<T> z = z_.in(first, r_);
    a_.on.run(add_sums(first.set(p_, z), z));
    sums_ = Combination<T>();
    const VectorRef<T> u = u_.in(sums_, s_);
    sums_.sum(ps, p_, s_).sum(su, s_, u);
    make_step();
  }

  /// r = b and p = M^-1 b + factor (p - M^-1 r): the old direction without its residual, in the new scale. It is conjugate to the
  /// earlier ones but for b - r, by which rounding has moved the residual.
  void resume(double factor) override {
    u_.apply(a_.b);
    Combination<T> c;
    const VectorRef<T> u = u_.in(c, a_.b), z = z_.in(c, r_);
    c.set(p_, factor * p_ + u - factor * z).set(r_, a_.b);
    if (z_.in_memory()) c.set(z, u);
    a_.on.run(add_sums(c, u));
    make_step();
  }

  std::uint64_t iterate() override {
    if (z_.in_memory()) {
      a_.on.multiply(a_.A, p_, s_);
      u_.apply(s_);
      a_.on.run(sums_);
    } else {
      a_.on.multiply(a_.A, p_, s_, {ps, su, a_.M.diagonal()});
    }
    a_.on.add_up();
    return a_.on.run(step_);
  }

 private:
  static constexpr int rz = 0, ps = 1, su = 2;
  /// (r, r) is (r, z) without a preconditioner.
  int rr() const { return a_.M.is_identity() ? rz : 3; }

  void make_step() {
    const Number alpha = slot(rz) / slot(ps);
    const Number beta = (alpha * alpha * slot(su) - slot(rz)) / slot(rz);
    step_ = Combination<T>();
    begin_iteration(step_, a_.goal, slot(rr()), signed_by(slot(rz), slot(ps))).record(2, slot(rz));
    step_.set(a_.x, a_.advanced(alpha, p_)).set(r_, r_ - alpha * s_);
    const VectorRef<T> z = z_.in(step_, r_);
    if (z_.in_memory()) step_.set(z, z - alpha * u_.in(step_, s_));
    add_sums(step_.set(p_, z + beta * p_), z);
  }
  Combination<T>& add_sums(Combination<T>& c, const VectorRef<T>& z) const {
    c.sum(rz, r_, z);
    return a_.M.is_identity() ? c : c.sum(rr(), r_, r_);
  }

  const System<T>& a_;
  Vector<T> r_, p_, s_;
  Preconditioned<T> z_, u_;  // M^-1 r, M^-1 s
  Combination<T> sums_, step_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_cg(const System<T>& system) {
  return std::make_unique<Cg<T>>(system);
}

SPMV_INSTANTIATE(make_cg);

}  // namespace spmv
