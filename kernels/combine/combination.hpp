// One kernel for what stands between two products of a solver: up to six vectors are read once, changed in steps, and written
// once; inner products of the results are summed on the way. For example the end of an iteration of conjugate gradients:
//
//   Combination<double> step;
//   step.require(goal * goal < rr).set(x, x + alpha * p).set(r, r - alpha * s).set(p, r + beta * p).sum(0, r, r);
//
// Made once and run often: numbers are computed anew in every run. It refers to its vectors, which outlive it.
#pragma once

#include <set>
#include <vector>

#include "kernels/combine/combination_data.hpp"
#include "kernels/combine/vector.hpp"

namespace spmv {

/// All calls are Local and return the combination. They throw Error(internal) if something is too much, or vectors have different
/// numbers of elements. Steps happen in order: later ones see what earlier ones made. A vector that is set before anything reads it
/// is not loaded. Vectors do not overlap.
template <class T>
class Combination {
 public:
  /// Where the condition is 0, or no number, this combination changes nothing but its line of the record; nor do later ones of the
  /// same loop (Workspace::begin_loop()).
  Combination& require(const Number& condition);
  /// target = form
  Combination& set(const VectorRef<T>& target, const LinearForm<T>& form);
  /// target = a times b, element by element.
  Combination& multiply(const VectorRef<T>& target, const VectorRef<T>& a, const VectorRef<T>& b);
  /// Adds (a, b), the sum of conj(a_i) b_i, of this rank as a part for `slot`; a and b as they are after all changes.
  Combination& sum(int slot, const VectorRef<T>& a, const VectorRef<T>& b);
  /// Slot = number, for later combinations; no number of this one reads that slot.
  Combination& store(int slot, const Number& number);
  /// Shows the real part of a number to the host, as number `column` of the line that every run records.
  Combination& record(int column, const Number& number);
  /// A vector that is neither read nor written, but lives in registers from one step to another.
  VectorRef<T> scratch();

  const CombinationData<T>& data() const { return data_; }
  /// The slots that its numbers read.
  const std::set<int>& slots() const { return numbers_.slots(); }

 private:
  using Change = CombinationSteps::Change;
  Combination& add(const Change& change);
  /// The number of a vector, in the order in which they are first named: a target comes before its terms.
  std::int8_t named(const VectorRef<T>& vector);
  int step(const Number& number) { return numbers_.of(number, data_.formula); }
  void read(std::int8_t vector);

  CombinationData<T> data_;
  std::vector<VectorRef<T>> vectors_;  // by their numbers
  unsigned written_ = 0;               // bit v: a change has set vector v
  lidx scratches_ = 0;                 // less than 0: as many
  NumberSteps numbers_;
};

}  // namespace spmv
