#include "kernels/combine/combination.hpp"

#include "core/value_types.hpp"

namespace spmv {
namespace {

void require_room(int used, int most, const char* what) {
  if (used == most) throw Error(ExitCode::internal, std::string("a combination has too many ") + what);
}

}  // namespace

template <class T>
Combination<T>& Combination<T>::require(const Number& condition) {
  data_.formula.require(step(condition));
  return *this;
}

template <class T>
Combination<T>& Combination<T>::set(const VectorRef<T>& target, const LinearForm<T>& form) {
  Change change;
  change.target = named(target);
  for (const auto& [vector, coefficient, negative] : form.terms()) {
    require_room(change.terms, most_vectors, "terms");
    CombinationTerm& term = change.term[change.terms++];
    term.vector = named(vector);
    if (!coefficient.is_one()) term.coefficient = static_cast<std::int8_t>(step(coefficient));
    term.negative = negative;
  }
  return add(change);
}

template <class T>
Combination<T>& Combination<T>::multiply(const VectorRef<T>& target, const VectorRef<T>& a,
                                         const VectorRef<T>& b) {
  Change change;
  change.target = named(target);
  change.multiplies = true;
  change.terms = 2;
  change.term[0].vector = named(a);
  change.term[1].vector = named(b);
  return add(change);
}

template <class T>
Combination<T>& Combination<T>::add(const Change& change) {
  require_room(data_.changes, most_changes, "changes");
  for (int t = 0; t < change.terms; ++t) read(change.term[t].vector);
  const unsigned bit = 1U << static_cast<unsigned>(change.target);
  written_ |= bit;
  if (vectors_[static_cast<std::size_t>(change.target)].count >= 0)
    data_.stored = static_cast<std::uint8_t>(data_.stored | bit);
  data_.change[data_.changes++] = change;
  return *this;
}

template <class T>
Combination<T>& Combination<T>::sum(int slot, const VectorRef<T>& a, const VectorRef<T>& b) {
  const std::int8_t first = named(a), second = named(b);
  require_room(data_.sums, most_sums, "sums");
  read(first);
  read(second);
  data_.sum[data_.sums++] = {static_cast<std::int8_t>(slot), first, second};
  return *this;
}

template <class T>
Combination<T>& Combination<T>::store(int slot, const Number& number) {
  data_.formula.store(slot, step(number));
  return *this;
}

template <class T>
Combination<T>& Combination<T>::record(int column, const Number& number) {
  data_.formula.record(column, step(number));
  return *this;
}

/// Has no memory, and a negative count that tells it from other ones.
template <class T>
VectorRef<T> Combination<T>::scratch() {
  return {nullptr, --scratches_};
}

template <class T>
std::int8_t Combination<T>::named(const VectorRef<T>& vector) {
  const bool scratch = vector.count < 0;
  for (std::size_t i = 0; i < vectors_.size(); ++i)
    if (vectors_[i].at == vector.at && vectors_[i].count == vector.count && (vector.at != nullptr || scratch))
      return static_cast<std::int8_t>(i);
  for (const VectorRef<T>& other : vectors_)
    if (!scratch && other.count >= 0 && other.count != vector.count)
      throw Error(ExitCode::internal, "vectors of a combination have different numbers of elements");
  require_room(data_.vectors, most_vectors, "vectors");
  if (!scratch) data_.count = vector.count;
  data_.at[data_.vectors] = vector.at;
  vectors_.push_back(vector);
  return data_.vectors++;
}

/// A vector that is in memory, and that no change has set yet, is loaded.
template <class T>
void Combination<T>::read(std::int8_t vector) {
  const unsigned bit = 1U << static_cast<unsigned>(vector);
  if (vectors_[static_cast<std::size_t>(vector)].count >= 0 && (written_ & bit) == 0)
    data_.loaded = static_cast<std::uint8_t>(data_.loaded | bit);
}

SPMV_INSTANTIATE_CLASS(Combination);

}  // namespace spmv
