// What searches for eigenvalues have in common while they are at work.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "dist/spectrum/eigen_result.hpp"

namespace spmv {

template <class T>
class EigenSearch {
 public:
  EigenSearch(const EigenSearch&) = delete;
  EigenSearch& operator=(const EigenSearch&) = delete;

 protected:
  EigenSearch(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options)
      : on_(on), A_(A), options_(options) {}
  virtual ~EigenSearch() = default;

  /// Makes room for the wanted pairs, in so many vectors. Collective.
  void make_vectors(int count) {
    on_.communicator().together([&] {
      product_ = A_.make_vector();
      for (int i = 0; i < count; ++i) result_.vectors.push_back(A_.make_vector());
    });
  }
  /// The wanted pairs, and their true residuals, by add_judged(). Collective.
  virtual void make_pairs() = 0;
  /// Adds what is in one of the result's vectors.
  void add_judged(const Vector<T>& vector) {
    const Judged judged = judge(on_, A_, vector, product_);
    ++own_products_;
    result_.values.insert(result_.values.end(), judged.values.begin(), judged.values.end());
    result_.residuals.insert(result_.residuals.end(), judged.residuals.begin(), judged.residuals.end());
  }

  // These set why the search ends, and return that it does.
  bool end(Stop stop) {
    result_.stop = stop;
    return true;
  }
  bool end_with_pairs(Stop stop) {
    make_pairs();
    return end(stop);
  }
  bool end_without_pairs() {
    result_.vectors.clear();
    return end(Stop::not_finite);
  }
  /// Whether any rank wants to stop after so many products. Collective.
  bool asked_to_stop(int products, double residual) {
    return options_.watch && on_.communicator().any_of(options_.watch(products, residual));
  }
  /// The result of a search that used `basis`, which counts its products and sums.
  template <class Basis>
  EigenResult<T> finished(const Basis& basis, bool copies) {
    result_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    result_.products = basis.products() + own_products_;
    result_.sums = basis.sums() + sums_of_judging * own_products_;
    result_.reason = why_it_stopped(result_, options_, copies);
    return std::move(result_);
  }

  bool pairs_are_good() const {
    return part_of_norm(*std::max_element(result_.residuals.begin(), result_.residuals.end())) <=
           options_.tolerance;
  }
  double part_of_norm(double residual) const { return result_.norm > 0 ? residual / result_.norm : residual; }

  Workspace<T>& on_;
  const Operator<T>& A_;
  const EigenOptions& options_;
  EigenResult<T> result_;

 private:
  using Clock = std::chrono::steady_clock;
  Vector<T> product_;
  int own_products_ = 0;  // of judge()
  Clock::time_point start_ = Clock::now();
};

}  // namespace spmv
