#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/solve/constant_vectors.hpp"
#include "dist/solve/ends_of_spectrum.hpp"
#include "dist/solve/inner.hpp"
#include "dist/solve/sized_norm.hpp"
#include "dist/solve/stop_question.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Slots of the numbers of several systems, which no solver uses.
enum : int { of_b_slot = most_slots - 3, of_x_slot, goal_slot };

/// Throws AgreedError(input) unless A maps constant vectors to 0, as far as the tolerance goes. Collective.
template <class T>
void require_constants_map_to_zero(Workspace<T>& on, const Operator<T>& A, const SolveOptions& options) {
  const RowSum largest = largest_row_sum(on, A);
  const double most = std::max(rounding_of_row_sums<T>, options.tolerance);
  if (largest.ratio <= most) return;
  on.communicator().together([&] {
    if (largest.ratio_here < largest.ratio) return;
    const std::string row = options.row_ids == nullptr ? "of a row"
                                                       : fmt::format("of row {} (counted from 1)",
                                                                     (*options.row_ids)[largest.row] + 1);
    throw Error(
        ExitCode::input,
        fmt::format(
            "the matrix does not map constant vectors to 0: the elements {} add up to {:.2g}, and may "
            "add up to {:.1g} times the largest of them; solve without leaving out constants",
            row, largest.sum_here, most));
  });
}

/// The exponent of |b| / |A|, which x is not less than but for the number of rows. Pure.
int size_of_solution(double norm_b, const Magnitudes& a) {
  return norm_b == 0 || a.largest == Magnitudes::none ? 0 : std::ilogb(norm_b) - a.largest;
}

template <class T>
constexpr const char* name_of_precision = sizeof(RealOf<T>) == sizeof(float) ? "single precision" : "double";

/// For a first residual that is not finite. Collective; throws AgreedError(input) if that is due to the guess.
template <class T>
void require_usable_guess(const System<T>& system, const SolveOptions& options) {
  const SizedNorm x = sized_norm(system.on, system.A, system.x, "the guess of x", options.row_ids);
  const int size = x.norm > 0 ? x.exponent + std::ilogb(x.norm) : 0;
  if (beyond_safe<T>(size) > 0)
    throw AgreedError(
        ExitCode::input,
        fmt::format("the guess of x is too large, about 2^{}: its residual is beyond double", size));
}

/// Whether some steps of Lanczos see a negative eigenvalue, which only an indefinite matrix has. Collective.
template <class T>
bool is_indefinite(Workspace<T>& on, const Operator<T>& A) {
  constexpr int steps = 40;
  constexpr double some = 64;
  const EndsOfSpectrum ends = estimate_ends(on, A, steps);
  return ends.lowest.value < -some * ends.rounding;
}

template <class T>
std::string why(const SolverRow<T>& solver, const SolveResult& result, const SolveOptions& options,
                int size_of_x) {
  const char* const constants =
      result.maps_constants ? "; the matrix maps constant vectors to 0, and no x reaches that part of b" : "";
  const bool tiny = std::ldexp(RealOf<T>(1), size_of_x) < std::numeric_limits<RealOf<T>>::min();
  const std::string size = tiny ? fmt::format("; |b| / |A| is about 2^{}, where {} has few digits or none",
                                              size_of_x, name_of_precision<T>)
                                : "";
  switch (result.stop) {
    case Stop::converged:
      return {};
    case Stop::iterations:
      return fmt::format("{} iterations were not enough: the residual is {:.2e}, the tolerance {:.2e}",
                         result.iterations, result.residual, options.tolerance);
    case Stop::broke_down:
      return fmt::format("at iteration {}, {}{}", result.iterations + 1, solver.breaks_down,
                         constants + size);
    case Stop::stagnated:
      return fmt::format(
          "the residual stopped falling at {:.2e}: the tolerance {:.2e} is out of reach for this matrix in this "
          "precision, or b is not in the range of a singular matrix{}",
          result.residual, options.tolerance, constants + size);
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
ReadySolver<T>::ReadySolver(const SolverRow<T>& solver, Workspace<T>& on, const Operator<T>& A,
                            Preconditioner<T>& M, InnerSolver<T>* inner)
    : row_(solver), system_{on, A, M}, inner_(inner) {
  if (inner != nullptr && on.columns() > 1)
    throw AgreedError(ExitCode::usage,
                      "iterations in single precision are for one right-hand side at a time");
  on.communicator().together([&] {
    const std::string problem = !solver.hermitian  ? ""
                                : inner == nullptr ? M.not_definite()
                                                   : inner->not_definite();
    if (!problem.empty())
      throw Error(ExitCode::input,
                  fmt::format("{}, and solver {} needs a positive one: use bicgstab, or another "
                              "preconditioner",
                              problem, solver.name));
    scratch_ = A.make_vector();
    if (inner == nullptr) method_ = solver.make(system_);
  });
}

template <class T>
std::vector<SolveResult> ReadySolver<T>::solve_columns(const VectorRef<T>& x, const VectorRef<T>& b,
                                                       const SolveOptions& options) {
  check(options);
  std::vector<SolveResult> results(static_cast<std::size_t>(system_.on.columns()));
  take(x, b, options, results);
  run(options, results);
  for (std::size_t j = 0; j < results.size(); ++j) {
    SolveResult& result = results[j];
    if (result.stop == Stop::iterations && result.residual <= options.tolerance)
      result.stop = Stop::converged;
    const bool failed = result.stop == Stop::broke_down || result.stop == Stop::stagnated;
    if (failed)
      result.maps_constants = !options.project_constant && maps_constants_to_zero(system_.on, system_.A);
    result.reason = why(row_, result, options, numbers_[j].size_of_x);
    if (inner_ != nullptr && failed) result.reason += "; iterations were in single precision";
  }
  return results;
}

/// Makes the systems of x and b. A column without a right-hand side has the solution 0. Collective; throws AgreedError(input).
template <class T>
void ReadySolver<T>::take(const VectorRef<T>& x, const VectorRef<T>& b, const SolveOptions& options,
                          std::vector<SolveResult>& results) {
  Workspace<T>& on = system_.on;
  system_.x = x;
  system_.b = b;
  numbers_.clear();
  for (const SizedNorm& size : sized_norms(on, system_.A, b, "the right-hand side", options.row_ids)) {
    const int of_x = size.exponent - system_.A.exponent();
    const int size_of_x = size.exponent + size_of_solution(size.norm, system_.A.matrix().magnitudes());
    SystemNumbers& numbers = numbers_.emplace_back(
        SystemNumbers{size.norm, std::ldexp(1.0, -size.exponent), std::ldexp(1.0, of_x), 0, size_of_x});
    if (!std::isnormal(numbers.of_x) || !std::isfinite(std::ldexp(RealOf<T>(1), size_of_x)))
      throw AgreedError(ExitCode::input,
                        fmt::format("|b| / |A| is about 2^{}, which is beyond {}: scale one of them",
                                    size_of_x, name_of_precision<T>));
  }
  projection_.reset();
  if (options.project_constant) leave_out_constants(options.tolerance, results);
  bool any_zero = false;
  std::vector<double> keeps;
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    const SystemNumbers& numbers = numbers_[j];
    results[j].norm_b = numbers.norm_b / numbers.of_b;
    keeps.push_back(numbers.norm_b > 0 ? 1 : 0);
    any_zero = any_zero || numbers.norm_b == 0;
  }
  give_numbers(options.tolerance);
  if (!any_zero) return;
  on.write(0, keeps);
  on.run(Combination<T>().set(x, slot(0) * x));
}

/// b without its constant part. Collective.
template <class T>
void ReadySolver<T>::leave_out_constants(double tolerance, std::vector<SolveResult>& results) {
  Workspace<T>& on = system_.on;
  give_numbers(tolerance);
  projection_.emplace(on, system_.A);
  projected_ = on.communicator().together([&] { return system_.A.make_vector(); });
  on.run(Combination<T>().set(projected_, system_.of_b * system_.b));
  projection_->apply(projected_);
  const std::vector<double> norms = on.norms(projected_);
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    SystemNumbers& numbers = numbers_[j];
    if (numbers.norm_b == 0) continue;
    const double left = norms[j] / numbers.norm_b;
    results[j].left_out = std::sqrt(std::max(0.0, 1 - left * left));
    constexpr double rounding = 16;
    numbers.norm_b = left > rounding * eps ? norms[j] : 0;
  }
  system_.b = projected_;
}

/// The goals, and all numbers as those of the system: constants of one column, slots of several. Waits.
template <class T>
void ReadySolver<T>::give_numbers(double tolerance) {
  // The recursion's residual falls for ever; the true one does not fall below rounding.
  for (SystemNumbers& numbers : numbers_) numbers.goal = std::max(tolerance, eps / 8) * numbers.norm_b;
  const bool projected = projection_.has_value();
  if (numbers_.size() == 1) {
    system_.of_b = projected ? 1 : numbers_[0].of_b;
    system_.of_x = numbers_[0].of_x;
    system_.goal = numbers_[0].goal;
    return;
  }
  const auto give = [&](Number& number, int place, double SystemNumbers::*which) {
    std::vector<double> all;
    for (const SystemNumbers& numbers : numbers_) all.push_back(numbers.*which);
    system_.on.write(place, all);
    number = slot(place);
  };
  give(system_.of_b, of_b_slot, &SystemNumbers::of_b);
  give(system_.of_x, of_x_slot, &SystemNumbers::of_x);
  give(system_.goal, goal_slot, &SystemNumbers::goal);
  if (projected) system_.of_b = 1;
}

/// Iterates, once more from the true residual in columns where that is worth it. Collective; throws AgreedError(input) for a
/// guess that is not finite.
template <class T>
void ReadySolver<T>::run(const SolveOptions& options, std::vector<SolveResult>& results) {
  Workspace<T>& on = system_.on;
  StopQuestion question(on.communicator());
  const Asked asked = [&](int iterations, double residual) {
    return options.watch &&
           question.asks_to_stop(iterations, [&] { return options.watch(iterations, residual); });
  };
  const gidx rows = on.communicator().sum(gidx{system_.A.rows()});
  const auto start = Clock::now();
  std::vector<bool> finished;
  for (std::size_t j = 0; j < results.size(); ++j) {
    finished.push_back(numbers_[j].norm_b == 0);
    if (finished[j]) results[j].stop = Stop::converged;
  }
  const auto all_finished = [&] {
    return std::find(finished.begin(), finished.end(), false) == finished.end();
  };
  if (all_finished()) return;
  if (inner_ != nullptr) {
    SolveResult& result = results.front();
    inner_->solve(system_, numbers_.front(), scratch_, projection_ ? &*projection_ : nullptr, options, asked,
                  result);
    result.seconds = seconds_since(start);
    if (result.stop == Stop::not_finite && result.iterations == 0) require_usable_guess(system_, options);
    return;
  }
  // So the recursion's residual is not the true one for ever, nor are the vectors of a recurrence that hides sums. One restart
  // from the true residual is worth it.
  for (bool again = false; !all_finished(); again = true) {
    method_->start();
    std::vector<Iterated> columns;
    for (std::size_t j = 0; j < results.size(); ++j)
      columns.push_back({numbers_[j].norm_b, results[j],
                         Judge(numbers_[j].goal, rows, eps, row_.definite && !row_.hides_sums), finished[j]});
    iterate(*method_, system_, columns, asked, options.max_iterations);
    if (projection_) projection_->apply(system_.x);
    const double seconds = seconds_since(start);
    const std::vector<double> norms = find_residuals(system_, scratch_);
    for (std::size_t j = 0; j < results.size(); ++j) {
      if (finished[j]) continue;
      SolveResult& result = results[j];
      result.stop = columns[j].judge.stop();
      if (result.stop == Stop::not_finite && result.iterations == 0) require_usable_guess(system_, options);
      result.seconds = seconds;
      result.residual = norms[j] / numbers_[j].norm_b;
      const bool untrue = result.stop == Stop::converged && !(result.residual <= agrees * options.tolerance);
      const bool failed = result.stop == Stop::broke_down || result.stop == Stop::stagnated;
      const bool drifts = row_.hides_sums && result.iterations > columns[j].before;
      if (!again && (untrue || (failed && drifts))) {
        ++result.restarts;
        continue;
      }
      finished[j] = true;
      const bool no_proof = again && row_.hides_sums && failed;
      if (untrue || (no_proof && !is_indefinite(on, system_.A))) result.stop = Stop::stagnated;
      // The line of the iteration after the last was not queued.
      if (result.stop == Stop::iterations) result.history.push_back(result.residual);
    }
  }
}

/// What can be found before the first iteration. Collective; throws AgreedError.
template <class T>
void ReadySolver<T>::check(const SolveOptions& options) const {
  if (!std::isfinite(options.tolerance) || options.tolerance < 0)
    throw AgreedError(ExitCode::usage, fmt::format("the tolerance is {}: it must be finite and not negative",
                                                   options.tolerance));
  if (options.check && row_.hermitian)
    check_hermitian(system_.on, system_.A, fmt::format("solver {}", row_.name),
                    ": use a solver for any square matrix, such as bicgstab");
  if (options.project_constant) require_constants_map_to_zero(system_.on, system_.A, options);
}

template <class T>
SolveResult solve(const SolverRow<T>& solver, Workspace<T>& on, const Operator<T>& A, Preconditioner<T>& M,
                  const VectorRef<T>& x, const VectorRef<T>& b, const SolveOptions& options,
                  InnerSolver<T>* inner) {
  return ReadySolver<T>(solver, on, A, M, inner).solve(x, b, options);
}

SPMV_INSTANTIATE_CLASS(ReadySolver);
SPMV_INSTANTIATE(solve);

}  // namespace spmv
