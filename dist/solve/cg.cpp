// Conjugate gradients that predict the next (r, r) and recompute it [Rupp 2016; Chen 2020, alg. 3]: one
// reduction and two kernels an iteration, and as accurate as the classical form.
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
        on_(system.on),
        m_(system.preconditioner),
        r_(on_.make_vector()),
        p_(on_.make_vector()),
        s_(on_.make_vector()) {
    if (!m_.is_identity() && m_.diagonal() == nullptr) {
      z_ = on_.make_vector();
      u_ = on_.make_vector();
    }
  }

  void start() override {
    on_.multiply(a_.x, s_.data());
    Combination<T> c(on_.rows());
    const auto b = c.vector(a_.b), r = c.vector(r_.data()), s = c.vector(s_.data());
    c.set(r, a_.residual(c, b, s));
    on_.combine(c);
    if (general()) m_.apply(r_.data(), z_.data());
    Combination<T> d(on_.rows());
    const auto r2 = d.vector(r_.data()), p = d.vector(p_.data());
    const auto z = preconditioned(d, r2, z_);
    d.set(p, z);
    sum_residuals(d, r2, z);
    on_.combine(d);
  }

  // s = A p, u = M^-1 s; alpha = (r, z) / (p, s); beta = (alpha^2 (s, u) - (r, z)) / (r, z)
  std::uint64_t iterate() override {
    if (general()) {
      on_.multiply(p_.data(), s_.data());
      m_.apply(s_.data(), u_.data());
      Combination<T> c(on_.rows());
      const auto p = c.vector(p_.data()), s = c.vector(s_.data()), u = c.vector(u_.data());
      c.sum(ps, p, s);
      c.sum(su, s, u);
      on_.combine(c);
    } else {
      on_.multiply(p_.data(), s_.data(), {ps, su, m_.diagonal()});
    }
    on_.add_up();

    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto goes_on = begin_iteration(f, a_.goal, f.slot(rr()), f.slot(ps));
    f.record(2, f.slot(rz));
    const auto alpha = f.where(goes_on, f.slot(rz) / f.slot(ps));
    const auto stays = f.constant(1) - goes_on;
    const auto beta = f.where(goes_on, (alpha * alpha * f.slot(su) - f.slot(rz)) / f.slot(rz)) + stays;
    const auto x = c.vector(a_.x), r = c.vector(r_.data()), p = c.vector(p_.data()), s = c.vector(s_.data());
    c.set(x, x + a_.step(c, alpha) * p);
    c.set(r, r - alpha * s);
    if (general()) {
      const auto z = c.vector(z_.data()), u = c.vector(u_.data());
      c.set(z, z - alpha * u);
      c.set(p, goes_on * z + beta * p);
      sum_residuals(c, r, z);
    } else {
      const auto z = preconditioned(c, r, z_);
      c.set(p, goes_on * z + beta * p);
      sum_residuals(c, r, z);
    }
    return on_.combine(c);
  }

 private:
  static constexpr int rz = 0, ps = 1, su = 2;
  /// (r, r) is (r, z) without a preconditioner.
  int rr() const { return m_.is_identity() ? rz : 3; }
  void sum_residuals(Combination<T>& c, VectorName r, VectorName z) const {
    c.sum(rz, r, z);
    if (!m_.is_identity()) c.sum(rr(), r, r);
  }
  bool general() const { return z_.size() > 0; }
  /// M^-1 r: r itself, a product with a diagonal in registers, or `z`, which has it already.
  VectorName preconditioned(Combination<T>& c, VectorName r, Buffer<T>& z) {
    if (general()) return c.vector(z.data());
    return times_inverse(c, m_, r);
  }

  const System<T>& a_;
  Workspace<T>& on_;
  Preconditioner<T>& m_;
  Buffer<T> r_, p_, s_;
  Buffer<T> z_, u_;  // M^-1 r and M^-1 s of a preconditioner that is not diagonal; empty otherwise
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_cg(const System<T>& system) {
  return std::make_unique<Cg<T>>(system);
}

SPMV_INSTANTIATE(make_cg);

}  // namespace spmv
