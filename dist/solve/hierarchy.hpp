// A hierarchy of coarser and coarser matrices as a preconditioner: one multigrid cycle [Briggs 2000]. It does not make the
// levels, which come from the caller or a library, as rows.
//
//   z = S r                          S: the smoother, from z = 0
//   z += P cycle(R (r - A z))        on the coarser level; the coarsest is inverted
//   z += S (r - A z)
//
// S is a polynomial in D A, the same before and after, and R is P^H: so a cycle is hermitian, as conjugate gradients need it.
// Everything is queued: products, combinations and halos, no sums over ranks, and the host waits for nothing. Where exchanges
// only queue work, all but the finest level is captured once, because its kernels are shorter than their launches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dist/solve/coarse_level.hpp"
#include "dist/solve/preconditioner.hpp"

namespace spmv {

struct HierarchyOptions {
  std::string smoother = "chebyshev";  // a name of smoothers()
  int degree = 1;                      // of chebyshev: products, beside which it has one step without
  bool w_cycle = false;                // visits each coarser level twice
  gidx most_dense = 2000;              // rows of the coarsest level
  /// bound_largest_eigenvalue() of the finest matrix as given, where `rows` have only the elements near the diagonal; 0: of `rows`.
  double bound = 0;
  /// Levels with fewer rows a rank, on average, are gathered on fewer ranks; 0: none is. Empty: 1000 on hosts, 10,000 on GPUs,
  /// which take about as long for the product as for its halo.
  std::optional<gidx> least_rows = {};
  /// The finest matrix maps constant vectors to 0, and so the coarsest level may be singular: see coarsest_inverse().
  bool leaves_out_constants = false;
};

/// Names of smoothers: chebyshev, jacobi.
const std::vector<std::string>& smoothers();

template <class T>
class LevelMatrix;
template <class T>
struct HierarchyLevel;
struct LevelMove;

template <class T>
class Hierarchy final : public Preconditioner<T> {
 public:
  /// `rows`: of A, the finest level. `coarser`: the other ones, from fine to coarse; consumed. If A is normalised, they are levels of
  /// the normalised matrix. `on`, which works on A's queue, and `A` must outlive this; levels are built on A's backend and queue, with
  /// its transport. Collective; throws AgreedError: input for shapes that do not fit, a
  /// diagonal that is not positive, or a coarsest level that is too large or singular, with the level, counted from 0 at the
  /// finest, and the row, counted from 1; usage for options.
  Hierarchy(Workspace<T>& on, const Operator<T>& A, const DistributedRows<T>& rows,
            std::vector<CoarseLevel<T>> coarser, const HierarchyOptions& options);
  ~Hierarchy() override;

  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override { cycle(0, r, z); }
  /// Such as "3 levels with 4096, 512, 64 rows on 7, 2, 1 ranks, V-cycle, smoother chebyshev of degree 1".
  std::string choices() const override { return choices_; }
  bool is_long() const override { return true; }
  /// Each level with all coarser ones.
  std::vector<typename Preconditioner<T>::TimedWork> timed_work() override;

 private:
  using Level = HierarchyLevel<T>;
  /// Without levels. Where the constructor that begins with this one throws, the destructor runs.
  Hierarchy(Workspace<T>& on, const HierarchyOptions& options) : on_(on), visits_(options.w_cycle ? 2 : 1) {}
  void add_level(std::unique_ptr<LevelMatrix<T>> own, const Operator<T>& A, const DistributedRows<T>& rows,
                 int exponent, const HierarchyOptions& options, bool smooths);
  LevelMove hang_on(CoarseLevel<T>& given, const LevelMove& finer, const HierarchyOptions& options,
                    bool coarsest);
  std::string standing() const;
  void make_vectors();
  void capture_coarser();
  void cycle(std::size_t number, const VectorRef<T>& r, const VectorRef<T>& z);

  Workspace<T>& on_;
  int visits_;  // of each coarser level: 1 in a V-cycle, 2 in a W-cycle
  std::string choices_;
  std::vector<std::unique_ptr<Level>> levels_;  // the finest first
  std::unique_ptr<Capture>
      coarser_;  // the cycle from level 1 on; nullptr: it cannot be captured, or there is none
};

}  // namespace spmv
