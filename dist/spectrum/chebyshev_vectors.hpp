// v_n = T_n((A - c) / h) v: what KPM and time evolution are made of. v_n+1 = 2 (A - c) / h v_n - v_n-1, where c is the
// centre of the spectral range and h half its width.
#pragma once

#include <optional>
#include <utility>

#include "dist/spectrum/spectral_range.hpp"

namespace spmv {

/// Whether all steps will be with sums: that takes a vector less where the kernel of the product does it all.
enum class ChebyshevSteps { any, with_sums };

template <class T>
class ChebyshevVectors {
 public:
  /// `on` and `A` must outlive this. Local.
  ChebyshevVectors(Workspace<T>& on, const Operator<T>& A, const SpectralRange& range,
                   ChebyshevSteps steps = ChebyshevSteps::any)
      : on_(on),
        A_(A),
        centre_(range.centre()),
        half_width_(range.half_width()),
        before_(A.make_vector()),
        now_(A.make_vector()) {
    if (steps == ChebyshevSteps::any || !A.sums()) product_.emplace(A.make_vector());
  }
  /// Waits for what is queued. If that fails, the next call that waits says so.
  ~ChebyshevVectors() {
    try {
      on_.queue().synchronize();
    } catch (...) {  // a destructor must not throw
    }
  }
  ChebyshevVectors(const ChebyshevVectors&) = delete;
  ChebyshevVectors& operator=(const ChebyshevVectors&) = delete;

  /// Begins anew: whoever calls this puts v_0 here.
  VectorRef<T> start() {
    number_ = 0;
    return now_;
  }
  /// The vector that was made last. Local.
  VectorRef<T> newest() const { return now_; }
  struct Step {
    VectorRef<T> now, next;  // v_n, v_n+1
  };
  /// Queues the product with v_n and adds the change that makes v_n+1 to `c`, which is to be queued next. Collective.
  Step step(Combination<T>& c) {
    if (!product_) throw Error(ExitCode::internal, "a step without sums where all were to be with them");
    const Step step{now_, before_};
    const Recurrence r = recurrence();
    on_.multiply(A_, step.now, *product_);
    const LinearForm<T> of_now = r.alpha * *product_ + r.beta * step.now;
    c.set(step.next, number_ == 0 ? of_now : of_now + r.gamma * step.next);
    go_on();
    return step;
  }
  /// The same with (v_n, v_n+1) and (v_n+1, v_n+1) as sums. Returns whether `c` has a part in it: false where the product's
  /// kernel does it all.
  bool step(Combination<T>& c, const ProductSums<T>& sums) {
    if (A_.sums()) {
      on_.multiply(A_, now_, before_, recurrence(), sums);
      go_on();
      return false;
    }
    const auto [now, next] = step(c);
    c.sum(sums.xy, now, next).sum(sums.yy, next, next);
    return true;
  }

 private:
  /// That makes v_n+1 of v_n and v_n-1, which is before_.
  Recurrence recurrence() const {
    const double of_product = (number_ == 0 ? 1 : 2) / half_width_;
    return {of_product, -of_product * centre_, number_ == 0 ? 0.0 : -1.0};
  }
  void go_on() {
    ++number_;
    std::swap(before_, now_);
  }

  Workspace<T>& on_;
  const Operator<T>& A_;
  double centre_, half_width_;
  int number_ = 0;
  Vector<T> before_, now_;
  std::optional<Vector<T>> product_;
};

}  // namespace spmv
