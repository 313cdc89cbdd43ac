// LOBPCG [Knyazev 2001, SIAM J. Sci. Comput. 23(2)] in an orthonormal basis, which may have more than its three blocks: then it is
// GD+k [Stathopoulos 2007, SIAM J. Sci. Comput. 29(2)], and without a preconditioner block Lanczos between two restarts.
//
//   H C = G C Theta                   Ritz values and vectors X = V C, the wanted ones first
//   R = A X - X Theta                 of the first k pairs that have not converged
//   W = M^-1 R
//   V = [V, W], orthonormal           and A V, H and G with it
//
// A full basis becomes V = [X, P]: the first Ritz vectors, and the last step's beside them, which make three terms of recurrence
// nearly as good as all. Pairs that have converged stay in the basis, and are not worked on.
#include "dist/spectrum/block_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/spectrum/block_basis.hpp"
#include "dist/spectrum/eigen_search.hpp"
#include "dist/spectrum/settled_pairs.hpp"

namespace spmv {
namespace {

int blocks_for(int vectors, int block) {
  return (vectors + block - 1) / block;
}

/// Blocks of Ritz vectors that a restart keeps: of the wanted ones, and one of those that follow them.
int kept_blocks(int count, int block) {
  return blocks_for(count, block) + 1;
}
/// A restart needs room for these, the last step's and a new block.
int least_blocks(int count, int block) {
  return kept_blocks(count, block) + 2;
}

template <class T>
class BlockSearch final : EigenSearch<T> {
  using Element = DenseElement<T>;
  using Small = Dense<Element>;
  static constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  /// What residuals of a basis come down to, in units of |A|.
  static constexpr double reach = 8 * eps;
  static constexpr int many_steps = 100, most_checks = 20;
  using EigenSearch<T>::A_;
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
  BlockSearch(Workspace<T>& on, const Operator<T>& A, Preconditioner<T>* M, const EigenOptions& options,
              int blocks)
      : EigenSearch<T>(on, A, options),
        M_(M),
        k_(on.columns()),
        kept_(kept_blocks(options.count, k_) * k_),
        rows_(on.communicator().sum(gidx{A.rows()})),
        basis_(on, A, blocks, kept_blocks(options.count, k_) + 1),
        goal_(std::max(options.tolerance, reach)),
        random_(first_random(options.start_seed)) {
    result_.subspace = blocks * k_;
    this->make_vectors(blocks_for(options.count, k_));
  }

  EigenResult<T> run() {
    add_random_block();
    while (!stops()) {
      if (basis_.is_full()) restart();
      expand();
    }
    result_.history.push_back(part_of_norm(worst_));
    return this->finished(basis_, true);
  }

 private:
  bool stops() {
    while (find_pairs() && (is_complete_ || settled_.contains_first(sought()))) {
      if (lacks_copies()) {
        begin_anew();
        continue;
      }
      make_pairs();
      if (pairs_are_good() && (settled_.contains_first(sought()) || basis_.directions() == rows_))
        return end(Stop::converged);
      if (is_complete_ || options_.tolerance < reach || ++failed_checks_ == most_checks)
        return end(Stop::stagnated);
      work_on_bad_pairs();
    }
    note_progress();
    if (!basis_.is_finite()) return end_without_pairs();
    if (has_stagnated()) return end_with_pairs(Stop::stagnated);
    if (!basis_.is_full()) return false;
    if (asked_to_stop(basis_.products(), part_of_norm(worst_))) return end_with_pairs(Stop::asked);
    return result_.restarts >= options_.max_restarts && end_with_pairs(Stop::iterations);
  }

  /// H C = G C Theta, and R = A V C - V C Theta of the first pairs that have not settled, in next(). False: a value is not finite.
  bool find_pairs() {
    if (!basis_.is_finite()) return false;
    ritz_ = basis_.ritz();
    if (options_.which == Which::highest) reverse(ritz_);
    for (const double value : ritz_.values) result_.norm = std::max(result_.norm, std::abs(value));
    settled_.follow(ritz_.values, apart());
    targets_ = settled_.first_others(found(), k_);
    target_ = Small(basis_.columns(), k_);
    Small scaled = target_;
    for (std::size_t t = 0; t < targets_.size(); ++t)
      for (int i = 0; i < target_.rows(); ++i) {
        const int j = static_cast<int>(t);
        target_(i, j) = ritz_.vectors(i, targets_[t]);
        scaled(i, j) = -value(targets_[t]) * target_(i, j);
      }
    basis_.combine(scaled, target_, basis_.next());
    const std::vector<double> norms = basis_.norms_of_next();
    worst_ = 0;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (targets_[t] < sought()) worst_ = std::max(worst_, norms[t]);
      if (norms[t] <= goal_of(targets_[t]) * result_.norm) settled_.settle(targets_[t], value(targets_[t]));
    }
    return basis_.is_finite();
  }
  static void reverse(HermitianEigen<Element>& pairs) {
    std::reverse(pairs.values.begin(), pairs.values.end());
    const Small all = pairs.vectors;
    for (int j = 0; j < all.columns(); ++j)
      for (int i = 0; i < all.rows(); ++i) pairs.vectors(i, j) = all(i, all.columns() - 1 - j);
  }

  /// W = M^-1 R as the next block; where R has nothing new, random vectors.
  void expand() {
    using Start = typename BlockBasis<T>::Start;
    if (M_ != nullptr) {
      M_->apply(basis_.next(), basis_.spare());
      basis_.swap_next();
    }
    last_ = target_;
    const int found = basis_.extend(M_ == nullptr ? Start::residual : Start::any);
    if (found == 0 && basis_.is_finite()) add_random_block();
  }
  /// There is nothing outside of the basis where a random block has nothing there.
  void add_random_block() {
    const Vector<T> random = random_vector(on_, A_, random_++);
    on_.run(Combination<T>().set(basis_.next(), random));
    on_.queue().synchronize();
    is_complete_ = basis_.extend(BlockBasis<T>::Start::any) == 0;
    ++random_blocks_;
  }
  /// V = [X, P]
  void restart() {
    ++result_.restarts;
    result_.history.push_back(part_of_norm(worst_));
    const Small X = columns_of(ritz_.vectors, 0, std::min(kept_, basis_.directions()));
    const Small last = below(last_, Small(basis_.columns() - last_.rows(), k_));
    basis_.restart(beside(X, basis_.outside(X, last)));
    target_ = Small(basis_.columns(), k_);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      if (targets_[t] < X.columns()) target_(targets_[t], static_cast<int>(t)) = 1;
  }
  /// V = [X, random vectors], with nothing but the wanted X.
  void begin_anew() {
    ++result_.restarts;
    result_.history.push_back(part_of_norm(worst_));
    basis_.restart(columns_of(ritz_.vectors, 0, options_.count));
    settled_.reopen_from(options_.count);
    best_ = std::numeric_limits<double>::infinity();
    add_random_block();
  }

  /// Whether an eigenvalue among the wanted ones has as many copies as random blocks can have led to. Of the last one there are
  /// enough in any case.
  bool lacks_copies() const {
    if (is_complete_ || basis_.directions() == rows_) return false;
    const std::vector<double> wanted{ritz_.values.begin(), ritz_.values.begin() + options_.count};
    return any_repeated(wanted, k_ * random_blocks_, 2 * apart());
  }
  /// Where further random vectors were added, the next pair after the wanted ones must have converged, too: a missing copy would
  /// come up as that. It must converge further than others, or a mixture with a copy nearby would do.
  int sought() const {
    return static_cast<int>(std::min<gidx>(options_.count + (random_blocks_ > 1 ? 1 : 0), rows_));
  }
  double goal_of(int pair) const {
    constexpr double further = 100;
    return pair < options_.count || random_blocks_ == 1 ? goal_ : std::max(goal_ / further, reach);
  }

  /// By how much a value that has settled may change.
  double apart() const { return (goal_ + 10 * eps) * result_.norm; }
  int found() const { return static_cast<int>(ritz_.values.size()); }
  double value(int pair) const { return ritz_.values[static_cast<std::size_t>(pair)]; }

  /// Counts steps in which residuals have not become smaller. After many, A V is computed anew.
  void note_progress() {
    constexpr double better = 0.7;
    const double worst = part_of_norm(worst_);
    if (settled_.size() != settled_before_ || worst < better * best_) {
      settled_before_ = settled_.size();
      best_ = worst;
      idle_ = 0;
    }
    if (++idle_ == many_steps) basis_.multiply_again();
  }
  bool has_stagnated() const {
    constexpr double near_rounding = 1000 * eps;
    return idle_ > 2 * many_steps && part_of_norm(worst_) <= near_rounding;
  }

  /// Columns beyond the wanted pairs hold some other vector.
  void make_pairs() override {
    result_.values.clear();
    result_.residuals.clear();
    for (std::size_t block = 0; block < result_.vectors.size(); ++block) {
      Small c(basis_.columns(), k_);
      for (int j = 0; j < k_; ++j)
        for (int i = 0; i < c.rows(); ++i)
          c(i, j) = ritz_.vectors(i, std::min(static_cast<int>(block) * k_ + j, found() - 1));
      basis_.combine(c, result_.vectors[block]);
      add_judged(result_.vectors[block]);
    }
    const auto wanted = static_cast<std::size_t>(std::min(options_.count, found()));
    result_.values.resize(wanted);
    result_.residuals.resize(wanted);
  }
  /// Restarts round V and A V, so pairs that have settled may be worse than they were.
  void work_on_bad_pairs() {
    goal_ = std::max(options_.tolerance / 3, reach);
    for (std::size_t i = 0; i < result_.residuals.size(); ++i)
      if (!(part_of_norm(result_.residuals[i]) <= options_.tolerance)) settled_.reopen(static_cast<int>(i));
    basis_.multiply_again();
  }

  Preconditioner<T>* M_;
  int k_;
  int kept_;  // Ritz vectors, by a restart
  gidx rows_;
  BlockBasis<T> basis_;
  double goal_;  // of a residual, as options_.tolerance
  HermitianEigen<Element> ritz_;
  std::vector<int> targets_;  // pairs that R is of
  Small target_, last_;       // their coefficients, and those of the step before
  SettledPairs settled_;
  double worst_ = 0;  // residual of the wanted pairs that were looked at
  double best_ = std::numeric_limits<double>::infinity();
  std::ptrdiff_t settled_before_ = 0;
  int idle_ = 0;
  int failed_checks_ = 0;
  bool is_complete_ = false;  // V spans all vectors of the matrix
  int random_blocks_ = 0;
  unsigned random_;  // number of the next random block
};

/// Blocks of the subspace. Collective; throws AgreedError(usage).
template <class T>
int subspace_blocks(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options) {
  const gidx rows = on.communicator().sum(gidx{A.rows()});
  require_possible(options.count, rows);
  const int k = on.columns(), least = least_blocks(options.count, k);
  const int wanted = options.subspace == 0 ? default_block_subspace(k, options.count) : options.subspace;
  if (wanted < std::min<gidx>(gidx{least} * k, rows))
    throw AgreedError(
        ExitCode::usage,
        fmt::format("a subspace of {} vectors is too small for {} eigenvalues by blocks of {}: it "
                    "needs {} or more",
                    wanted, options.count, k, least * k));
  return std::max(blocks_for(wanted, k), least);
}

}  // namespace

int default_block_subspace(int block, int count) {
  constexpr int beyond = 4;
  return (kept_blocks(count, block) + beyond) * block;
}

template <class T>
EigenResult<T> block_eigen(Workspace<T>& on, const Operator<T>& A, Preconditioner<T>* M,
                           const EigenOptions& options) {
  if (M != nullptr && options.which == Which::highest)
    throw AgreedError(ExitCode::usage,
                      "a preconditioner is near A^-1, which helps to find the lowest eigenvalues only");
  const int blocks = subspace_blocks(on, A, options);
  if (options.check) check_hermitian(on, A, "a search for eigenvalues");
  return in_units_of_matrix(BlockSearch<T>(on, A, M, options, blocks).run(), A.exponent());
}

SPMV_INSTANTIATE(block_eigen);

}  // namespace spmv
