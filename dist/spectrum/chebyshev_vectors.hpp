// v_n = T_n((A - c) / h) v: what KPM and time evolution are made of. v_n+1 = 2 (A - c) / h v_n - v_n-1, where c is the
// centre of the spectral range and h half its width.
#pragma once

#include <utility>

#include "dist/spectrum/spectral_range.hpp"

namespace spmv {

template <class T>
class ChebyshevVectors {
 public:
  /// `on` must outlive this. Local.
  ChebyshevVectors(Workspace<T>& on, const SpectralRange& range)
      : on_(on),
        centre_(range.centre()),
        half_width_(range.half_width()),
        before_(on.make_vector()),
        now_(on.make_vector()),
        product_(on.make_vector()) {}
  /// Waits for what is queued. If that fails, the next call that waits says so.
  ~ChebyshevVectors() {
    try {
      on_.matrix().compute_queue().synchronize();
    } catch (...) {  // a destructor must not throw
    }
  }
  ChebyshevVectors(const ChebyshevVectors&) = delete;
  ChebyshevVectors& operator=(const ChebyshevVectors&) = delete;

  /// Begins anew: whoever calls this puts v_0 here.
  T* start() {
    number_ = 0;
    return now_.data();
  }
  /// The vector that was made last. Local.
  T* newest() { return now_.data(); }
  struct Step {
    VectorName now, next;  // v_n, v_n+1
  };
  /// Queues the product with v_n and adds the change that makes v_n+1 to `c`, which is to be queued next. Collective.
  Step step(Combination<T>& c) {
    on_.multiply(now_.data(), product_.data());
    const Step names{c.vector(now_.data()), c.vector(before_.data())};
    const auto product = c.vector(product_.data());
    const double of_product = (number_ == 0 ? 1 : 2) / half_width_;
    c.set(names.next, c.formula.constant(of_product) * product -
                          c.formula.constant(of_product * centre_) * names.now -
                          c.formula.constant(number_ == 0 ? 0 : 1) * names.next);
    ++number_;
    std::swap(before_, now_);
    return names;
  }

 private:
  Workspace<T>& on_;
  double centre_, half_width_;
  int number_ = 0;
  Buffer<T> before_, now_;
  Buffer<T> product_;
};

}  // namespace spmv
