// Vectors without their constant part, for matrices that map constant vectors to 0.
#pragma once

#include <vector>

#include "dist/solve/workspace.hpp"

namespace spmv {

template <class T>
class ConstantProjection {
 public:
  /// `on` must outlive this. Collective.
  explicit ConstantProjection(Workspace<T>& on)
      : on_(on), ones_(on.make_vector()), projected_(on.make_vector()) {
    one_over_rows_ = 1 / static_cast<double>(on.communicator().sum(gidx{on.rows()}));
    const std::vector<T> ones(static_cast<std::size_t>(on.rows()), T(1));
    if (!ones.empty()) on.matrix().backend()->upload(ones_.data(), ones.data(), ones.size() * sizeof(T));
  }
  /// Queues v = v - its mean. Collective.
  void apply(T* v) { project(v, v); }
  /// Queues a copy of v without its mean, which lives as long as this or until the next call. Collective.
  T* without_constant(T* v) {
    project(v, projected_.data());
    return projected_.data();
  }

 private:
  void project(T* from, T* to) {
    Combination<T> sum(on_.rows());
    const auto ones = sum.vector(ones_.data()), all = sum.vector(from);
    sum.sum(0, ones, all);
    on_.combine(sum);
    on_.add_up();
    Combination<T> c(on_.rows());
    const auto mean = c.formula.slot(0) * c.formula.constant(one_over_rows_);
    const auto one = c.vector(ones_.data()), source = c.vector(from);
    c.set(from == to ? source : c.vector(to), source - mean * one);
    on_.combine(c);
  }

  Workspace<T>& on_;
  Buffer<T> ones_, projected_;
  double one_over_rows_;
};

}  // namespace spmv
