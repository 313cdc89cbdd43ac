#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_finite.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/solve/constant_projection.hpp"
#include "dist/solve/solver.hpp"
#include "dist/solve/stop_question.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Reads the lines of a solver and says when to stop.
class Judge {
 public:
  explicit Judge(double goal) : goal_(goal) {}
  /// Takes the numbers of the line of iteration `iterations`, counted from 0: what it begins with.
  bool stops(int iterations, double norm_squared, double positive) {
    done_ = iterations;
    if (norm_squared < best_) {
      best_ = norm_squared;
      best_at_ = iterations;
    }
    if (norm_squared <= goal_ * goal_) return end(Stop::converged);
    if (!std::isfinite(norm_squared) || !std::isfinite(positive)) return end(Stop::not_finite);
    if (positive <= 0) return end(Stop::broke_down);
    constexpr int patience = 1000;  // residual norms of conjugate gradients go up and down for long
    if (iterations - best_at_ > std::max(patience, best_at_)) return end(Stop::stagnated);
    return false;
  }
  bool end(Stop stop) {
    stop_ = stop;
    return true;
  }
  Stop stop() const { return stop_; }
  int done() const { return done_; }

 private:
  double goal_;
  double best_ = std::numeric_limits<double>::infinity();
  int best_at_ = 0;
  int done_ = 0;
  Stop stop_ = Stop::iterations;
};

/// |b - A x|. Waits. Collective.
template <class T>
double residual_norm(Workspace<T>& on, T* x, T* b, Buffer<T>& scratch) {
  on.multiply(x, scratch.data());
  Combination<T> c(on.rows());
  const auto rhs = c.vector(b), product = c.vector(scratch.data()), r = c.scratch();
  c.set(r, rhs - product);
  c.sum(0, r, r);
  on.combine(c);
  on.add_up();
  return std::sqrt(real_part(on.read(0)));
}

/// For a b whose norm is not finite. Collective; throws AgreedError.
template <class T>
void refuse_right_hand_side(Workspace<T>& on, const T* b, const std::vector<gidx>* row_ids) {
  on.communicator().together([&] {
    if (row_ids == nullptr) return;
    std::vector<T> mine(static_cast<std::size_t>(on.rows()));
    download(*on.matrix().backend(), mine.data(), b, mine.size());
    const std::string bad = value_not_finite(on.matrix().from_basis(mine), *row_ids);
    if (!bad.empty())
      throw Error(
          ExitCode::input,
          fmt::format("the right-hand side has a value that is not finite: {} (counted from 1)", bad));
  });
  throw AgreedError(
      ExitCode::input,
      "the right-hand side has a value that is not finite, or the square of its norm is beyond double");
}

/// Whether the caller asks to stop after so many iterations, with this residual. Collective.
using Asked = std::function<bool(int iterations, double residual)>;

/// Iterates until the judge stops, or until `most` iterations are done in all: not one more changes x. Appends to the history.
/// Collective.
template <class T>
void iterate(Solver<T>& solver, Workspace<T>& on, Judge& judge, const Asked& asked, int most,
             SolveResult& result) {
  const int before = result.iterations;
  const auto room = static_cast<std::uint64_t>(std::max(0, most - before));
  std::uint64_t queued = 0, first_line = 0;
  std::uint64_t seen = 0;
  for (; seen < room; ++seen) {
    while (queued < room && queued <= seen + on.lines_ahead()) {
      const std::uint64_t line = solver.iterate();
      if (queued++ == 0) first_line = line;
    }
    const auto numbers = on.line(first_line + seen);
    const int iterations = before + static_cast<int>(seen);
    const double residual = std::sqrt(numbers[0]) / result.norm_b;
    result.history.push_back(residual);
    if (judge.stops(iterations, numbers[0], numbers[1])) break;
    if (asked(iterations, residual)) {
      judge.end(Stop::asked);
      break;
    }
  }
  on.matrix().compute_queue().synchronize();
  result.iterations = seen == room ? before + static_cast<int>(room) : judge.done();
}

template <class T>
std::string why(const SolverRow<T>& solver, const SolveResult& result, const SolveOptions& options) {
  switch (result.stop) {
    case Stop::converged:
      return {};
    case Stop::iterations:
      return fmt::format("{} iterations were not enough: the residual is {:.2e}, the tolerance {:.2e}",
                         result.iterations, result.residual, options.tolerance);
    case Stop::broke_down:
      return fmt::format("at iteration {}, {}", result.iterations + 1, solver.breaks_down);
    case Stop::stagnated:
      return fmt::format(
          "the residual stopped falling at {:.2e}: the tolerance {:.2e} is out of reach for this matrix in this "
          "precision, or b is not in the range of a singular matrix",
          result.residual, options.tolerance);
    case Stop::not_finite:
      return fmt::format("a value that is not finite came up in iteration {}", result.iterations + 1);
    case Stop::asked:
      return fmt::format("stopped on request after {} iterations", result.iterations);
  }
  return {};
}

}  // namespace

const char* to_string(Stop stop) {
  switch (stop) {
    case Stop::converged:
      return "converged";
    case Stop::iterations:
      return "iterations";
    case Stop::broke_down:
      return "broke_down";
    case Stop::stagnated:
      return "stagnated";
    case Stop::not_finite:
      return "not_finite";
    case Stop::asked:
      return "asked";
  }
  return "";
}

template <class T>
ReadySolver<T>::ReadySolver(const SolverRow<T>& solver, Workspace<T>& on, Preconditioner<T>& preconditioner)
    : row_(solver), system_{on, preconditioner} {
  on.communicator().together([&] {
    scratch_ = on.make_vector();
    method_ = solver.make(system_);
  });
}

template <class T>
SolveResult ReadySolver<T>::solve(T* x, T* b, const SolveOptions& options) {
  Workspace<T>& on = system_.on;
  if (options.check && row_.hermitian)
    check_hermitian(on, fmt::format("solver {}", row_.name),
                    ": use a solver for any square matrix, such as bicgstab");
  SolveResult result;
  const T* given = b;
  std::optional<ConstantProjection<T>> projection;
  if (options.project_constant) {
    projection.emplace(on);
    b = projection->without_constant(b);
  }
  result.norm_b = on.norm(b);
  if (!std::isfinite(result.norm_b)) refuse_right_hand_side(on, given, options.row_ids);
  if (result.norm_b == 0) {
    on.matrix().compute_queue().fill(x, 0, static_cast<std::size_t>(on.rows()) * sizeof(T));
    result.stop = Stop::converged;
    return result;
  }
  system_.x = x;
  system_.b = b;
  system_.goal = options.tolerance * result.norm_b;
  StopQuestion question(on.communicator());
  const Asked asked = [&](int iterations, double residual) {
    return options.watch &&
           question.asks_to_stop(iterations, [&] { return options.watch(iterations, residual); });
  };
  const auto start = Clock::now();
  // The recursion's residual is not the true one for ever. One restart from the true one is worth it.
  constexpr double agrees = 1.05;
  for (result.restarts = 0;; ++result.restarts) {
    method_->start();
    Judge judge(system_.goal);
    iterate(*method_, on, judge, asked, options.most_iterations, result);
    if (projection) projection->apply(x);
    result.stop = judge.stop();
    result.seconds = seconds_since(start);
    result.residual = residual_norm(on, x, b, scratch_) / result.norm_b;
    if (result.stop != Stop::converged || result.residual <= agrees * options.tolerance) break;
    if (result.restarts == 1) {
      result.stop = Stop::stagnated;
      break;
    }
  }
  if (result.stop == Stop::iterations) {  // the line of the iteration after the last was not queued
    result.history.push_back(result.residual);
    if (result.residual <= options.tolerance) result.stop = Stop::converged;
  }
  result.reason = why(row_, result, options);
  return result;
}

template <class T>
SolveResult solve(const SolverRow<T>& solver, Workspace<T>& on, Preconditioner<T>& preconditioner, T* x, T* b,
                  const SolveOptions& options) {
  return ReadySolver<T>(solver, on, preconditioner).solve(x, b, options);
}

SPMV_INSTANTIATE_CLASS(ReadySolver);
SPMV_INSTANTIATE(solve);

}  // namespace spmv
