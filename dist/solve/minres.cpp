// MINRES [Paige 1975], with a preconditioner [Elman 2014, alg. 4.1], for hermitian matrices that may be indefinite:
// Lanczos, and one Givens rotation of its tridiagonal matrix an iteration. The residual r is carried along, so that its 2-norm
// is known with a preconditioner, too. What has no index is of step j; r on the right is that of the step before.
//
//   delta = (A z, z) / gamma^2
//   v_j+1 = A z / gamma - delta / gamma v_j - gamma / gamma_j-1 v_j-1;  z_j+1 = M^-1 v_j+1;  gamma_j+1^2 = (z_j+1, v_j+1)
//   a_0 = c delta - c_j-1 s gamma;  a_1^2 = a_0^2 + gamma_j+1^2;  a_2 = s delta + c_j-1 c gamma;  a_3 = s_j-1 gamma
//   c_j+1 = a_0 / a_1;  s_j+1 = gamma_j+1 / a_1
//   w_j+1 = (z / gamma - a_3 w_j-1 - a_2 w_j) / a_1;  x += c_j+1 eta w_j+1;  eta_j+1 = -s_j+1 eta
//   r = s_j+1^2 r + c_j+1 eta_j+1 / gamma_j+1 v_j+1
#include <array>
#include <limits>
#include <utility>

#include "core/value_types.hpp"
#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

template <class T>
class Minres final : public Solver<T> {
 public:
  explicit Minres(const System<T>& system) : a_(system), plain_(a_.M.is_identity()) {
    for (Vector<T>* vector : {&v_[0], &v_[1], &w_[0], &w_[1], &t_, &r_}) *vector = a_.A.make_vector();
    if (plain_) return;
    for (Vector<T>& vector : z_) vector = a_.A.make_vector();
  }

  void start() override {
    now_ = 0;
    a_.on.multiply(a_.A, a_.x, t_);
    Combination<T> residual;
    residual.set(r_, a_.residual(t_)).set(v_[0], r_).set(v_[1], 0 * r_).sum(rr, r_, r_);
    a_.on.run(plain_ ? residual.sum(gg, r_, r_) : residual);
    a_.on.run(Combination<T>().set(w_[0], 0 * r_).set(w_[1], 0 * r_));
    precondition(0);
    a_.on.add_up();
    Combination<T> first;
    first.store(gamma(0), root(slot(gg))).store(gamma_before(0), std::numeric_limits<double>::infinity());
    first.store(c(0), 1).store(c_before(0), 1).store(s(0), 0).store(s_before(0), 0);
    a_.on.run(first.store(eta(0), root(slot(gg))));
    for (const int now : {0, 1}) make_steps(now);
  }

  std::uint64_t iterate() override {
    const int now = std::exchange(now_, 1 - now_);
    a_.on.multiply(a_.A, z(now), t_, {zt, unused});
    a_.on.add_up();
    const std::uint64_t line = a_.on.run(lanczos_[static_cast<std::size_t>(now)]);
    precondition(1 - now);
    a_.on.add_up();
    a_.on.run(rotation_[static_cast<std::size_t>(now)]);
    return line;
  }

 private:
  // Slots: sums, the numbers of every other iteration, and those of this one.
  static constexpr int zt = 0, unused = 1, gg = 2, rr = 3, numbers = 7, a_0 = 20, a_2 = 21, a_3 = 22;
  static constexpr int gamma(int now) { return 4 + now * numbers; }
  static constexpr int gamma_before(int now) { return gamma(now) + 1; }
  static constexpr int c(int now) { return gamma(now) + 2; }
  static constexpr int c_before(int now) { return gamma(now) + 3; }
  static constexpr int s(int now) { return gamma(now) + 4; }
  static constexpr int s_before(int now) { return gamma(now) + 5; }
  static constexpr int eta(int now) { return gamma(now) + 6; }

  const VectorRef<T>& v(int now) const { return v_[static_cast<std::size_t>(now)]; }
  const VectorRef<T>& w(int now) const { return w_[static_cast<std::size_t>(now)]; }
  const VectorRef<T>& z(int now) const { return plain_ ? v(now) : z_[static_cast<std::size_t>(now)]; }

  /// z = M^-1 v of one of the two, and (z, v); without a preconditioner (v, v) is there already.
  void precondition(int now) {
    if (plain_) return;
    a_.M.apply(v(now), z(now));
    a_.on.run(Combination<T>().sum(gg, z(now), v(now)));
  }
  /// For iterations whose v_j is v(now); v_j+1 takes the place of v_j-1, and w_j+1 that of w_j-1.
  void make_steps(int now) {
    const int next = 1 - now;
    const Number g = slot(gamma(now)), delta = slot(zt) / (g * g);
    Combination<T> lanczos, rotation;
    begin_iteration(lanczos, a_.goal, slot(rr), slot(gg));
    lanczos.set(v(next), 1 / g * t_ - delta / g * v(now) - g / slot(gamma_before(now)) * v(next));
    if (plain_) lanczos.sum(gg, v(next), v(next));

    const Number s_now = slot(s(now)), c_now = slot(c(now)), before = slot(c_before(now));
    lanczos.store(a_0, c_now * delta - before * s_now * g).store(a_2, s_now * delta + before * c_now * g);
    lanczos.store(a_3, slot(s_before(now)) * g);

    const Number a0 = slot(a_0), g_next = root(slot(gg)), a1 = root(a0 * a0 + slot(gg)),
                 g_now = slot(gamma(now));
    const Number c_next = a0 / a1, s_next = g_next / a1, eta_next = -(s_next * slot(eta(now)));
    const Number infinity = std::numeric_limits<double>::infinity();
    rotation.require(slot(gg) < infinity).require(1 - (slot(gg) < 0)).require(0 < a1);
    rotation.store(gamma(next), g_next).store(gamma_before(next), g_now).store(eta(next), eta_next);
    rotation.store(c(next), c_next)
        .store(c_before(next), c_now)
        .store(s(next), s_next)
        .store(s_before(next), s_now);
    rotation.set(w(next), 1 / (a1 * g_now) * z(now) - slot(a_2) / a1 * w(now) - slot(a_3) / a1 * w(next));
    rotation.set(a_.x, a_.advanced(c_next * slot(eta(now)), w(next)));
    rotation.set(r_, s_next * s_next * r_ + where(0 < slot(gg), c_next * eta_next / g_next) * v(next));
    lanczos_[static_cast<std::size_t>(now)] = std::move(lanczos);
    rotation_[static_cast<std::size_t>(now)] = std::move(rotation.sum(rr, r_, r_));
  }

  const System<T>& a_;
  bool plain_;  // without a preconditioner: z is v
  int now_ = 0;
  std::array<Vector<T>, 2> v_, w_, z_;
  Vector<T> t_, r_;
  std::array<Combination<T>, 2> lanczos_, rotation_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver<T>> make_minres(const System<T>& system) {
  return std::make_unique<Minres<T>>(system);
}

SPMV_INSTANTIATE(make_minres);

}  // namespace spmv
