#include "dist/spectrum/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/spectrum/eigen_search.hpp"
#include "dist/spectrum/lanczos.hpp"

namespace spmv {
namespace {

/// A restart needs room for new vectors after those that it keeps.
constexpr int room = 2;

/// How many pairs the search is for: with `copies`, the next one after those that are wanted, too.
int sought(const EigenOptions& options) {
  return options.count + (options.copies ? 1 : 0);
}

/// For the residuals of the recurrence, as the tolerance. With `copies`, true ones are larger: a pair that a later start vector
/// leads to has a part of the residual of every pair that was kept without it, at most the root of their number times theirs.
double first_goal(const EigenOptions& options) {
  return options.copies ? options.tolerance / (1 + std::sqrt(options.count)) : options.tolerance;
}

/// Vectors of the subspace. Collective; throws AgreedError(usage).
template <class T>
int subspace_size(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options) {
  const gidx rows = on.communicator().sum(gidx{A.rows()});
  require_possible(options.count, rows);
  if (options.subspace == 0) return default_subspace(options.count, rows);
  const int least = sought(options) + room;
  if (options.subspace < std::min<gidx>(least, rows))
    throw AgreedError(
        ExitCode::usage,
        fmt::format("a subspace of {} vectors is too small for {} eigenvalues{}: it needs {} or more",
                    options.subspace, options.count, options.copies ? " with copies" : "", least));
  return static_cast<int>(std::min<gidx>(options.subspace, rows));
}

/// How many vectors a restart keeps: those that are wanted and some of their neighbours, which speed up convergence.
int kept_of(int count, int subspace) {
  return std::max(count, std::min(count + (subspace - count) / 3, subspace - room));
}

/// The search for the pairs, from one restart to the next.
template <class T>
class Search final : EigenSearch<T> {
  static constexpr double rounding = std::numeric_limits<RealOf<T>>::epsilon();
  using EigenSearch<T>::add_judged;
  using EigenSearch<T>::asked_to_stop;
  using EigenSearch<T>::end;
  using EigenSearch<T>::end_with_pairs;
  using EigenSearch<T>::end_without_pairs;
  using EigenSearch<T>::on_;
  using EigenSearch<T>::options_;
  using EigenSearch<T>::pairs_are_good;
  using EigenSearch<T>::part_of_norm;
  using EigenSearch<T>::result_;

 public:
  Search(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options, int subspace)
      : EigenSearch<T>(on, A, options),
        kept_(kept_of(options.count, subspace)),
        subspace_(on, A, subspace, kept_, options.tolerance, options.start_seed),
        first_goal_(std::max(first_goal(options), rounding)),
        goal_(first_goal_) {
    result_.subspace = subspace;
    this->make_vectors(options.count);
  }

  EigenResult<T> run() {
    while (!stops()) ++result_.restarts;
    return this->finished(subspace_, options_.copies);
  }

 private:
  /// Fills up the subspace and restarts it, unless that is the end.
  bool stops() {
    if (!subspace_.extend()) return end_without_pairs();
    ritz_ = eigen_symmetric(on_.communicator(), subspace_.projected());
    result_.norm = std::max({result_.norm, std::abs(ritz_.values.front()), std::abs(ritz_.values.back())});
    result_.history.push_back(part_of_norm(worst_estimate()));
    if (all_converged(options_.count, goal_) && has_all_copies()) {
      make_pairs();
      if (pairs_are_good()) return end(Stop::converged);
      constexpr double least = 0.1;  // of the first goal
      if (subspace_.coupling() == 0 || goal_ < least * first_goal_) return end(Stop::stagnated);
      goal_ /= 3;  // the true residuals are larger than those of the recurrence
    }
    if (asked_to_stop(subspace_.products(), result_.history.back())) return end_with_pairs(Stop::asked);
    if (result_.restarts >= options_.max_restarts) return end_with_pairs(Stop::iterations);
    restart();
    return false;
  }
  void restart() {
    using Next = typename LanczosSubspace<T>::Next;
    if (std::exchange(begins_anew_, false))
      subspace_.restart(ritz_, wanted(options_.count), Next::random);
    else
      subspace_.restart(ritz_, wanted(kept_), Next::residual);
  }

  /// For wanted pairs that have converged: whether no further copies of them are wanted, or a random vector, orthogonal to them,
  /// has led to no other eigenvalue than the next one. What it has led to must have converged further: a mixture with a missing
  /// copy that is nearby has a small residual, too, if the start vector had little of the copy. Otherwise the wanted pairs are
  /// kept, and a random vector is next.
  bool has_all_copies() {
    if (!options_.copies || subspace_.is_whole_space()) return true;
    const std::vector<double> now = values(options_.count);
    begins_anew_ = changed(now);
    if (begins_anew_) {
      before_ = now;
      return false;
    }
    // One start vector in a thousand has less than a thousandth of the copy.
    constexpr double further = 100, much_further = 1e5, reached = 32 * rounding;
    const double goal = std::max(goal_ / much_further, std::min(goal_ / further, reached));
    return all_converged(sought(options_), std::max(goal, rounding));
  }
  /// Whether eigenvalues differ from those before the last random vector.
  bool changed(const std::vector<double>& now) const {
    if (!looks_for_copies()) return true;
    constexpr double of_values = 10 * rounding;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (std::abs(now[i] - before_[i]) > (goal_ + of_values) * result_.norm) return true;
    return false;
  }
  bool looks_for_copies() const { return !before_.empty(); }

  void make_pairs() override {
    std::vector<Vector<T>>& combined = subspace_.combine(ritz_.vectors, wanted(options_.count));
    result_.values.clear();
    result_.residuals.clear();
    Queue& queue = on_.queue();
    for (std::size_t i = 0; i < result_.vectors.size(); ++i) {
      queue.copy(result_.vectors[i].data(), combined[i].data(), combined[i].bytes(), Copy::on_device);
      add_judged(result_.vectors[i]);
    }
  }

  /// The column of approximate pair i, counted from the wanted end of the spectrum.
  int column(int i) const {
    return options_.which == Which::lowest ? i : static_cast<int>(ritz_.values.size()) - 1 - i;
  }
  std::vector<int> wanted(int count) const {
    std::vector<int> columns;
    columns.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) columns.push_back(column(i));
    return columns;
  }
  std::vector<double> values(int count) const {
    std::vector<double> some;
    some.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) some.push_back(value(i));
    return some;
  }
  double value(int i) const { return ritz_.values[static_cast<std::size_t>(column(i))]; }
  /// |A v - lambda v| of pair i, by the recurrence.
  double estimate(int i) const {
    return subspace_.coupling() * std::abs(ritz_.vectors(result_.subspace - 1, column(i)));
  }
  /// Of the wanted pairs, and of the next one while copies are looked for.
  double worst_estimate() const {
    double worst = 0;
    for (int i = 0; i < (looks_for_copies() ? sought(options_) : options_.count); ++i)
      worst = std::max(worst, estimate(i));
    return worst;
  }
  bool all_converged(int count, double goal) const {
    for (int i = 0; i < count; ++i)
      if (!(estimate(i) <= goal * result_.norm)) return false;
    return true;
  }

  int kept_;
  LanczosSubspace<T> subspace_;
  double first_goal_;  // first_goal(), or rounding
  double goal_;        // of an estimate, as options_.tolerance
  SymmetricEigen ritz_;
  std::vector<double> before_;  // the wanted eigenvalues when a random vector began to look for copies
  bool begins_anew_ = false;    // the next restart, from a random vector
};

}  // namespace

int default_subspace(int count, std::int64_t rows) {
  constexpr int least = 24, beyond = 10;
  return static_cast<int>(std::min<std::int64_t>(std::max(least, 2 * count + beyond), rows));
}

template <class T>
EigenResult<T> eigen(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options) {
  const int subspace = subspace_size(on, A, options);
  if (options.check) check_hermitian(on, A, "a search for eigenvalues");
  return in_units_of_matrix(Search<T>(on, A, options, subspace).run(), A.exponent());
}

SPMV_INSTANTIATE(eigen);

}  // namespace spmv
