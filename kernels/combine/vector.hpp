// Vectors in device memory, and sums of them with coefficients, such as x + alpha * p - q.
#pragma once

#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/types.hpp"
#include "kernels/combine/number.hpp"

namespace spmv {

template <class T>
class LinearForm;

/// A vector in device memory that belongs to someone else: `count` elements, and perhaps room for a halo after them.
template <class T>
struct VectorRef {
  T* at = nullptr;
  lidx count = 0;

  T* data() const { return at; }
  friend LinearForm<T> operator*(const Number& coefficient, const VectorRef& v) {
    return LinearForm<T>({v, coefficient});
  }
  friend LinearForm<T> operator+(const VectorRef& a, const VectorRef& b) {
    return LinearForm<T>(a) + LinearForm<T>(b);
  }
  friend LinearForm<T> operator-(const VectorRef& a, const VectorRef& b) {
    return LinearForm<T>(a) - LinearForm<T>(b);
  }
};

/// A vector with its memory, which holds `count` elements and room for more after them. Moved, never copied.
template <class T>
class Vector : public VectorRef<T> {
 public:
  Vector() = default;
  Vector(const std::shared_ptr<Backend>& backend, lidx count, lidx more = 0)
      : memory_(backend, static_cast<std::size_t>(count) + static_cast<std::size_t>(more), Memory::device) {
    this->at = memory_.data();
    this->count = count;
  }
  /// `memory` holds `count` elements or more.
  Vector(Buffer<T>&& memory, lidx count) : memory_(std::move(memory)) {
    this->at = memory_.data();
    this->count = count;
  }
  Vector(Vector&& other) noexcept
      : VectorRef<T>(std::exchange(static_cast<VectorRef<T>&>(other), {})),
        memory_(std::move(other.memory_)) {}
  Vector& operator=(Vector&& other) noexcept {
    VectorRef<T>::operator=(std::exchange(static_cast<VectorRef<T>&>(other), {}));
    memory_ = std::move(other.memory_);
    return *this;
  }
  ~Vector() = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  /// Of elements and room. 0: there is no vector yet.
  std::size_t size() const { return memory_.size(); }
  std::size_t bytes() const { return memory_.bytes(); }
  /// Gives the memory away.
  Buffer<T> release() {
    VectorRef<T>::operator=({});
    return std::move(memory_);
  }

 private:
  Buffer<T> memory_;
};

/// A sum of vectors with coefficients.
template <class T>
class LinearForm {
 public:
  struct Term {
    VectorRef<T> vector;
    Number coefficient = 1;
    bool negative = false;
  };
  LinearForm(const VectorRef<T>& only) : terms_{{only}} {}  // NOLINT(google-explicit-constructor): set(p, r)
  explicit LinearForm(Term only) : terms_{std::move(only)} {}
  const std::vector<Term>& terms() const { return terms_; }

  friend LinearForm operator+(LinearForm a, const LinearForm& b) { return std::move(a.add(b, false)); }
  friend LinearForm operator-(LinearForm a, const LinearForm& b) { return std::move(a.add(b, true)); }
  friend LinearForm operator*(const Number& factor, LinearForm form) {
    for (Term& term : form.terms_)
      term.coefficient = term.coefficient.is_one() ? factor : factor * term.coefficient;
    return form;
  }

 private:
  LinearForm& add(const LinearForm& other, bool negative) {
    for (Term term : other.terms_) {
      term.negative = term.negative != negative;
      terms_.push_back(std::move(term));
    }
    return *this;
  }
  std::vector<Term> terms_;
};

}  // namespace spmv
