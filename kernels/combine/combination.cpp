#include "kernels/combine/combination.hpp"

#include <optional>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
Combination<T>::Combination() : program_(std::make_unique<Program<T>>()) {}

template <class T>
Combination<T>& Combination<T>::require(const Number& condition) {
  program_->formula.require(value(condition));
  return *this;
}

template <class T>
Combination<T>& Combination<T>::set(const VectorRef<T>& target, const LinearForm<T>& form) {
  std::optional<ProgramForm> sum;
  for (const auto& [vector, coefficient, negative] : form.terms()) {
    const VectorName named = name(vector);
    const ProgramForm added = coefficient.is_one() ? ProgramForm(named) : value(coefficient) * named;
    if (sum)
      sum = negative ? *sum - added : *sum + added;
    else
      sum.emplace(added).term[0].negative = negative;
  }
  program_->set(name(target), *sum);
  return *this;
}

template <class T>
Combination<T>& Combination<T>::multiply(const VectorRef<T>& target, const VectorRef<T>& a,
                                         const VectorRef<T>& b) {
  const VectorName first = name(a), second = name(b);
  program_->multiply(name(target), first, second);
  return *this;
}

template <class T>
Combination<T>& Combination<T>::sum(int slot, const VectorRef<T>& a, const VectorRef<T>& b) {
  const VectorName first = name(a);
  program_->sum(slot, first, name(b));
  return *this;
}

template <class T>
Combination<T>& Combination<T>::store(int slot, const Number& number) {
  program_->formula.store(slot, value(number));
  return *this;
}

template <class T>
Combination<T>& Combination<T>::record(int column, const Number& number) {
  program_->formula.record(column, value(number));
  return *this;
}

/// Has no memory, and a negative count that tells it from other ones.
template <class T>
VectorRef<T> Combination<T>::scratch() {
  vectors_.push_back({nullptr, -1 - program_->scratch().number});
  return vectors_.back();
}

template <class T>
VectorName Combination<T>::name(const VectorRef<T>& vector) {
  for (std::size_t i = 0; i < vectors_.size(); ++i)
    if (vectors_[i].at == vector.at && vectors_[i].count == vector.count &&
        (vector.at != nullptr || vector.count < 0))
      return {static_cast<int>(i)};
  const VectorName named = program_->vector(vector.at, vector.count);
  vectors_.push_back(vector);
  return named;
}

SPMV_INSTANTIATE_CLASS(Combination);

}  // namespace spmv
