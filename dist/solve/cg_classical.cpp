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
      : a_(system), r_(a_.A.make_vector()), p_(a_.A.make_vector()), s_(a_.A.make_vector()), z_(a_.M, a_.A) {}

  void start() override {
    a_.on.multiply(a_.A, a_.x, s_);
    Combination<T> first, direction;
    a_.on.run(add_sums(first.set(r_, a_.residual(s_))));
    precondition();
    a_.on.run(direction.set(p_, z_.in(direction, r_)));

    const Number alpha = slot(rz) / slot(ps);
    residual_ = Combination<T>();
    begin_iteration(residual_, a_.goal, slot(rr()), signed_by(slot(rz), slot(ps))).record(2, slot(rz));
    residual_.store(alpha_now, alpha).store(rz_before, slot(rz));
    add_sums(residual_.set(r_, r_ - alpha * s_));
    direction_ = Combination<T>();
    direction_.set(a_.x, a_.advanced(slot(alpha_now), p_));
    direction_.set(p_, z_.in(direction_, r_) + slot(rz) / slot(rz_before) * p_);
  }

  std::uint64_t iterate() override {
    a_.on.multiply(a_.A, p_, s_, {ps, unused});
    a_.on.add_up();
    const std::uint64_t line = a_.on.run(residual_);
    precondition();
    a_.on.add_up();
    a_.on.run(direction_);
    return line;
  }

 private:
  // Slots: sums, then numbers that the second kernel needs from the first.
  static constexpr int rz = 0, ps = 1, unused = 2, alpha_now = 4, rz_before = 5;
  /// (r, r) is (r, z) without a preconditioner.
  int rr() const { return a_.M.is_identity() ? rz : 3; }

  /// (r, r), and (r, z) unless precondition() makes z.
  Combination<T>& add_sums(Combination<T>& c) const {
    c.sum(rr(), r_, r_);
    return a_.M.is_identity() || z_.in_memory() ? c : c.sum(rz, r_, z_.in(c, r_));
  }
  /// z = M^-1 r and (r, z), where that takes kernels of its own.
  void precondition() {
    if (!z_.in_memory()) return;
    z_.apply(r_);
    Combination<T> sums;
    a_.on.run(sums.sum(rz, r_, z_.in(sums, r_)));
  }

  const System<T>& a_;
  Vector<T> r_, p_, s_;
  Preconditioned<T> z_;
  Combination<T> residual_, direction_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_cg_classical(const System<T>& system) {
  return std::make_unique<ClassicalCg<T>>(system);
}

SPMV_INSTANTIATE(make_cg_classical);

}  // namespace spmv
