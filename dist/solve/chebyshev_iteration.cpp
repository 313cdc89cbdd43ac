#include "dist/solve/chebyshev_iteration.hpp"

#include <utility>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
void ChebyshevIteration<T>::apply(const VectorRef<T>& r, const VectorRef<T>& z) {
  if (degree_ == 0) return step(z, 1 / theta_ * r);
  const bool scaled = D_.at != nullptr;
  VectorRef<T> now = z, before = other_;
  if (degree_ % 2 == 0) std::swap(now, before);  // so that the last one is z
  double rho = delta_ / theta_;
  for (int k = 0; k < degree_; ++k) {
    const double next = 1 / (2 * theta_ / delta_ - rho);
    const double of_d = next * rho, of_r = 2 * next / delta_;
    if (k == 0 && !scaled) {
      on_.multiply(A_, r, now, -of_r / theta_, (1 + of_d) / theta_ + of_r, r);
    } else if (k == 0) {
      step(before, 1 / theta_ * r);
      on_.multiply(A_, before, product_);
      step(now, (1 + of_d) * before, of_r * r - of_r * product_);
    } else {
      on_.multiply(A_, now, product_);
      if (k == 1 && !scaled)
        step(before, (1 + of_d) * now, (of_r - of_d / theta_) * r - of_r * product_);
      else
        step(before, (1 + of_d) * now - of_d * before, of_r * r - of_r * product_);
      std::swap(now, before);
    }
    rho = next;
  }
}

template <class T>
void ChebyshevIteration<T>::step(const VectorRef<T>& target, const LinearForm<T>& of_residual) {
  Combination<T> c;
  if (D_.at == nullptr) {
    on_.run(c.set(target, of_residual));
  } else {
    on_.run(c.set(target, of_residual).multiply(target, D_, target));
  }
}

template <class T>
void ChebyshevIteration<T>::step(const VectorRef<T>& target, const LinearForm<T>& form,
                                 const LinearForm<T>& of_residual) {
  Combination<T> c;
  if (D_.at == nullptr) {
    on_.run(c.set(target, form + of_residual));
  } else {
    const VectorRef<T> change = c.scratch();
    on_.run(c.set(change, of_residual).multiply(change, D_, change).set(target, form + change));
  }
}

SPMV_INSTANTIATE_CLASS(ChebyshevIteration);

}  // namespace spmv
