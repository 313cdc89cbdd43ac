// Iterations of a solver from one start on, in step with what the host reads of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "dist/solve/judge.hpp"

namespace spmv {

/// A residual that agrees with the tolerance, which a recursion may have reached a little early.
inline constexpr double agrees = 1.05;

/// Whether the caller asks to stop after so many iterations, with this residual. Collective.
using Asked = std::function<bool(int iterations, double residual)>;

/// r = b' - A x', and |r|, which may not be finite. Waits. Collective.
template <class T>
double find_residual(const System<T>& system, const VectorRef<T>& r) {
  Workspace<T>& on = system.on;
  on.multiply(system.A, system.x, r);
  on.run(Combination<T>().set(r, system.residual(r)).sum(0, r, r));
  on.add_up();
  return std::sqrt(real_part(on.read(0)));
}

/// Iterates until the judge stops, or until `most` iterations are done in all: not one more changes x. Appends to the history
/// residuals over `norm_b`. Where the residual is within `near` times the goal, the host queues no more than one iteration ahead,
/// since those after the last take time for nothing. Collective.
template <class T>
void iterate(Solver<T>& solver, const System<T>& system, Judge& judge, const Asked& asked, int most,
             double norm_b, SolveResult& result, double near = 0) {
  Workspace<T>& on = system.on;
  const std::uint64_t most_ahead = system.M.is_long() ? 0 : on.lines_ahead();
  std::uint64_t ahead = most_ahead;
  const int before = result.iterations;
  const auto room = static_cast<std::uint64_t>(std::max(0, most - before));
  std::uint64_t queued = 0, first_line = 0;
  std::uint64_t seen = 0;
  const typename Workspace<T>::Loop loop(on);
  for (; seen < room; ++seen) {
    while (queued < room && queued <= seen + ahead) {
      const std::uint64_t line = solver.iterate();
      if (queued++ == 0) first_line = line;
    }
    const auto numbers = on.line(first_line + seen);
    const int iterations = before + static_cast<int>(seen);
    const double residual = std::sqrt(numbers[0]) / norm_b;
    result.history.push_back(residual);
    const bool is_near = std::sqrt(numbers[0]) <= near * system.goal;
    ahead = is_near ? std::min<std::uint64_t>(most_ahead, 1) : most_ahead;
    if (judge.stops(iterations, numbers)) break;
    if (asked(iterations, residual)) {
      judge.end(Stop::asked);
      break;
    }
  }
  on.queue().synchronize();
  result.iterations = seen == room ? before + static_cast<int>(room) : judge.done();
}

}  // namespace spmv
