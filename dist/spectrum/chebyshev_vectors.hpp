// v_n = T_n((A - c) / h) v: what KPM and time evolution are made of. v_n+1 = 2 (A - c) / h v_n - v_n-1, where c is the
// centre of the spectral range and h half its width.
#pragma once

#include <utility>

#include "dist/spectrum/spectral_range.hpp"

namespace spmv {

template <class T>
class ChebyshevVectors {
 public:
  /// `on` and `A` must outlive this. Local.
  ChebyshevVectors(Workspace<T>& on, const Operator<T>& A, const SpectralRange& range)
      : on_(on),
        A_(A),
        centre_(range.centre()),
        half_width_(range.half_width()),
        before_(A.make_vector()),
        now_(A.make_vector()),
        product_(A.make_vector()) {}
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
    on_.multiply(A_, now_, product_);
    const Step step{now_, before_};
    const double of_product = (number_ == 0 ? 1 : 2) / half_width_, of_before = number_ == 0 ? 0 : 1;
    c.set(step.next, of_product * product_ - of_product * centre_ * step.now - of_before * step.next);
    ++number_;
    std::swap(before_, now_);
    return step;
  }

 private:
  Workspace<T>& on_;
  const Operator<T>& A_;
  double centre_, half_width_;
  int number_ = 0;
  Vector<T> before_, now_;
  Vector<T> product_;
};

}  // namespace spmv
