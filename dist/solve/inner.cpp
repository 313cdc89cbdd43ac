// Reliable updates [Clark 2010; Vorst 2000]: the solver works on A e = r in single precision until the residual has
// fallen to a hundredth. Then x += e; r = b - A x in double; and it goes on with this r and its directions, so that
// conjugate gradients need as many iterations as in double.
#include "dist/solve/inner.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// For each element in the order of `to` the place of the same one in the order of `from`. Pure.
std::vector<lidx> order_between(lidx count, const std::vector<lidx>& from, const std::vector<lidx>& to) {
  std::vector<lidx> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  return reorder(from.empty() ? std::move(places) : inverse(from), to);
}

}  // namespace

int exponent_of_single(const Magnitudes& magnitudes) {
  return magnitudes.largest == Magnitudes::none ? 0 : magnitudes.largest;
}

template <class T>
DistributedRows<SingleOf<T>> rows_in_single(const DistributedRows<T>& rows, const Magnitudes& magnitudes) {
  DistributedRows<SingleOf<T>> single{
      rows.shape,       rows.rows,
      rows.cols,        {rows.block.rows, rows.block.cols, rows.block.row_ptr, rows.block.col, {}},
      rows.ghosts,      rows.original_row,
      rows.original_col};
  single.block.value.reserve(rows.block.value.size());
  const int exponent = exponent_of_single(magnitudes);
  for (const T& value : rows.block.value)
    single.block.value.push_back(static_cast<SingleOf<T>>(times_power_of_two(value, -exponent)));
  return single;
}

template <class T>
InnerSolver<T>::InnerSolver(const SolverRow<S>& solver, Workspace<S>& on, const Operator<S>& A,
                            Preconditioner<S>& M, const Operator<T>& of_double)
    : row_(solver),
      in_{on, A, M},
      x_(A.make_vector()),
      b_(A.make_vector()),
      copy_(order_between(A.rows(), of_double.matrix().operators().x_order, A.matrix().operators().x_order),
            A.matrix().backend()),
      exponent_(exponent_of_single(of_double.matrix().magnitudes()) - of_double.exponent()) {
  in_.x = x_;
  in_.b = b_;
  method_ = solver.make(in_);
}

template <class T>
void InnerSolver<T>::solve(const System<T>& system, const SystemNumbers& numbers, const VectorRef<T>& r,
                           ConstantProjection<T>* projection, const SolveOptions& options, const Asked& asked,
                           SolveResult& result) {
  constexpr double falls = 0.5;  // less is no progress
  double best = std::numeric_limits<double>::infinity();
  bool goes_on = false;
  rows_ = in_.on.communicator().sum(gidx{in_.A.rows()});
  for (result.stop = Stop::converged;; ++result.updates) {
    const double norm = find_residuals(system, r).front();
    result.residual = norm / numbers.norm_b;
    result.history.resize(static_cast<std::size_t>(result.iterations));
    result.history.push_back(result.residual);
    // What rounding has made of kept directions may look like an indefinite matrix.
    const bool misled = goes_on && result.stop == Stop::broke_down;
    const bool may_go_on = result.stop == Stop::converged || result.stop == Stop::stagnated || misled;
    if (result.residual <= agrees * options.tolerance)
      result.stop = Stop::converged;
    else if (!std::isfinite(norm))
      result.stop = Stop::not_finite;
    else if (may_go_on && norm > falls * best && !goes_on)
      result.stop = Stop::stagnated;
    else if (may_go_on) {
      // Directions that lead nowhere are left; then once more without them.
      goes_on = result.updates > 0 && result.stop == Stop::converged && norm <= falls * best;
      if (result.updates > 0 && !goes_on) ++result.restarts;
      best = std::min(best, norm);
      result.history.pop_back();
      result.stop = improve(system, numbers, r, norm, goes_on, asked, options.max_iterations, result);
      if (projection != nullptr) projection->apply(system.x);
      continue;
    }
    return;
  }
}

/// Adds to x what makes the residual r, of this norm, a hundredth, or good enough. Returns why it stopped. Collective.
template <class T>
Stop InnerSolver<T>::improve(const System<T>& system, const SystemNumbers& numbers, const VectorRef<T>& r,
                             double norm, bool goes_on, const Asked& asked, int most, SolveResult& result) {
  constexpr double part = 0.01, near = 3;
  const int before = std::exchange(scale_, std::ilogb(norm));
  const double scale = std::ldexp(1.0, -scale_);
  Queue& queue = in_.on.queue();
  copy_.to_single(queue, scale, r.at, b_.at);
  queue.fill(x_.at, 0, static_cast<std::size_t>(x_.count) * sizeof(S));
  const double goal = std::max(numbers.goal, part * norm) * scale;
  in_.goal = goal;
  if (goes_on)
    method_->resume(std::ldexp(1.0, before - scale_));
  else
    method_->start();
  constexpr double eps = std::numeric_limits<RealOf<S>>::epsilon();
  std::vector<Iterated> column{
      {numbers.norm_b * scale, result, Judge(goal, rows_, eps, row_.definite && !row_.hides_sums)}};
  iterate(*method_, in_, column, asked, most, near);
  copy_.add_single(queue, std::ldexp(numbers.of_x, scale_ - exponent_), x_.at, system.x.at);
  return column.front().judge.stop();
}

SPMV_INSTANTIATE(rows_in_single);
SPMV_INSTANTIATE_CLASS(InnerSolver);

}  // namespace spmv
