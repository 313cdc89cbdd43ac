// Conjugate gradients as they were found [Hestenes 1952], with a preconditioner [Saad 2003, alg. 9.1].
//
//   alpha = (r, z) / (p, A p)
//   r -= alpha A p;  z = M^-1 r
//   beta = (r, z) / (r, z) of before
//   x += alpha p;  p = z + beta p
#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class ClassicalCg final : public Solver<T> {
 public:
  explicit ClassicalCg(const System<T>& system)
      : a_(system),
        on_(system.on),
        m_(system.preconditioner),
        r_(on_.make_vector()),
        p_(on_.make_vector()),
        s_(on_.make_vector()) {
    if (general()) z_ = on_.make_vector();
  }

  void start() override {
    on_.multiply(a_.x, s_.data());
    Combination<T> c(on_.rows());
    const auto b = c.vector(a_.b), r = c.vector(r_.data()), s = c.vector(s_.data());
    c.set(r, a_.residual(c, b, s));
    sum_residuals(c, r);
    on_.combine(c);
    precondition();
    Combination<T> d(on_.rows());
    const auto p = d.vector(p_.data());
    d.set(p, preconditioned(d));
    on_.combine(d);
  }

  std::uint64_t iterate() override {
    on_.multiply(p_.data(), s_.data(), {ps, unused});
    on_.add_up();
    const std::uint64_t line = step_residual();
    precondition();
    on_.add_up();
    step_direction();
    return line;
  }

 private:
  // Slots: sums, then numbers that the second kernel needs from the first.
  static constexpr int rz = 0, ps = 1, unused = 2, alpha_now = 4, rz_before = 5;
  /// (r, r) is (r, z) without a preconditioner.
  int rr() const { return m_.is_identity() ? rz : 3; }
  bool general() const { return !m_.is_identity() && m_.diagonal() == nullptr; }

  std::uint64_t step_residual() {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto goes_on = begin_iteration(f, a_.goal, f.slot(rr()), f.slot(ps));
    f.record(2, f.slot(rz));
    const auto alpha = f.where(goes_on, f.slot(rz) / f.slot(ps));
    f.store(alpha_now, alpha);
    f.store(rz_before, f.slot(rz));
    const auto r = c.vector(r_.data()), s = c.vector(s_.data());
    c.set(r, r - alpha * s);
    sum_residuals(c, r);
    return on_.combine(c);
  }
  void step_direction() {
    Combination<T> c(on_.rows());
    Formula& f = c.formula;
    const auto alpha = f.slot(alpha_now);
    const auto goes_on = f.where(alpha, f.constant(1));
    const auto stays = f.constant(1) - goes_on;
    const auto beta = f.where(goes_on, f.slot(rz) / f.slot(rz_before)) + stays;
    const auto x = c.vector(a_.x), p = c.vector(p_.data());
    c.set(x, x + a_.step(c, alpha) * p);
    c.set(p, goes_on * preconditioned(c) + beta * p);
    on_.combine(c);
  }

  /// (r, r), and (r, z) where z takes no kernel of its own.
  void sum_residuals(Combination<T>& c, VectorName r) {
    c.sum(rr(), r, r);
    if (m_.diagonal() == nullptr) return;
    c.sum(rz, r, times_inverse(c, m_, r));
  }
  /// z = M^-1 r and (r, z), where that takes a kernel of its own.
  void precondition() {
    if (!general()) return;
    m_.apply(r_.data(), z_.data());
    Combination<T> c(on_.rows());
    const auto r = c.vector(r_.data()), z = c.vector(z_.data());
    c.sum(rz, r, z);
    on_.combine(c);
  }
  /// M^-1 r.
  VectorName preconditioned(Combination<T>& c) {
    if (general()) return c.vector(z_.data());
    return times_inverse(c, m_, c.vector(r_.data()));
  }

  const System<T>& a_;
  Workspace<T>& on_;
  Preconditioner<T>& m_;
  Buffer<T> r_, p_, s_;
  Buffer<T> z_;  // M^-1 r of a preconditioner that is not diagonal; empty otherwise
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_cg_classical(const System<T>& system) {
  return std::make_unique<ClassicalCg<T>>(system);
}

SPMV_INSTANTIATE(make_cg_classical);

}  // namespace spmv
