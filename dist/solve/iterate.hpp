// Iterations of a solver from one start on, in step with what the host reads of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "dist/solve/judge.hpp"

namespace spmv {

/// A residual that agrees with the tolerance, which a recursion may have reached a little early.
inline constexpr double agrees = 1.05;

/// Whether the caller asks to stop after so many iterations, with this residual. Collective.
using Asked = std::function<bool(int iterations, double residual)>;

/// r = b' - A x', and |r| in each column, which may not be finite. Waits. Collective.
template <class T>
std::vector<double> find_residuals(const System<T>& system, const VectorRef<T>& r) {
  Workspace<T>& on = system.on;
  on.multiply(system.A, system.x, r);
  on.run(Combination<T>().set(r, system.residual(r)).sum(0, r, r));
  on.add_up();
  std::vector<double> norms;
  for (int column = 0; column < on.columns(); ++column)
    norms.push_back(std::sqrt(real_part(on.read(0, column))));
  return norms;
}

/// One column on its way from a start on.
struct Iterated {
  double norm_b;
  SolveResult& result;
  Judge judge;
  bool left_out = false;  // it has ended before, and changes nothing
  bool ended = left_out;  // or by the judge
  int before = result.iterations;

  /// Takes the line of iteration `number` from the start, and returns |r| / |b|.
  double take(int number, const std::array<double, record_width>& line) {
    const double residual = norm_b > 0 ? std::sqrt(line[0]) / norm_b : 0;
    result.history.push_back(residual);
    ended = judge.stops(before + number, line);
    return residual;
  }
};

/// Iterates until the judges of all columns stop, or until `most` iterations are done in all: not one more changes x. Appends to
/// the histories. Where the residuals are within `near` times the goal, the host queues no more than one iteration ahead,
/// since those after the last take time for nothing. Collective.
template <class T>
void iterate(Solver<T>& solver, const System<T>& system, std::vector<Iterated>& columns, const Asked& asked,
             int most, double near = 0) {
  Workspace<T>& on = system.on;
  const std::uint64_t most_ahead = system.M.is_long() ? 0 : on.lines_ahead();
  std::uint64_t ahead = most_ahead;
  int before = 0;
  for (const Iterated& each : columns)
    if (!each.ended) before = std::max(before, each.before);
  const auto room = static_cast<std::uint64_t>(std::max(0, most - before));
  std::uint64_t queued = 0, first_line = 0, seen = 0;
  const typename Workspace<T>::Loop loop(on);
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].ended) on.stop(static_cast<int>(j));
  for (bool all_ended = false; seen < room; ++seen) {
    while (queued < room && queued <= seen + ahead) {
      const std::uint64_t line = solver.iterate();
      if (queued++ == 0) first_line = line;
    }
    double worst = 0;
    all_ended = true;
    bool all_near = true;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      Iterated& column = columns[j];
      if (column.ended) continue;
      const auto line = on.line(first_line + seen, static_cast<int>(j));
      worst = std::max(worst, column.take(static_cast<int>(seen), line));
      all_near = all_near && std::sqrt(line[0]) <= near * column.judge.goal();
      if (column.ended && columns.size() > 1) on.stop(static_cast<int>(j));
      all_ended = all_ended && column.ended;
    }
    ahead = all_near ? std::min<std::uint64_t>(most_ahead, 1) : most_ahead;
    if (all_ended) break;
    if (asked(before + static_cast<int>(seen), worst)) {
      for (Iterated& column : columns)
        if (!column.ended) column.judge.end(Stop::asked);
      break;
    }
  }
  on.queue().synchronize();
  for (Iterated& column : columns)
    if (!column.left_out)
      column.result.iterations =
          seen == room && !column.ended ? column.before + static_cast<int>(room) : column.judge.done();
}

}  // namespace spmv
