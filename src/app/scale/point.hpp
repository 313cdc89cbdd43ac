// The points of a scaling study.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_json.hpp"

namespace spmv {

/// What makes a point: two with the same are measured once.
struct Point {
  std::string matrix;                              // file or specification
  std::string partition, format, transport, mode;  // as asked for
  std::string options;                             // of every run, as a shell would read them
  std::string commit;                              // of the program
  int ranks = 1;
  std::string grows_as;  // of weak scaling, the matrix with {ranks} in it; else empty

  auto operator<=>(const Point&) const = default;
};

/// Points that one run measures, beside each other and in turn: they differ in mode and transport only.
struct PlannedRun {
  std::vector<Point> points;

  const Point& first() const { return points.front(); }
  std::vector<std::string> modes() const;       // each once
  std::vector<std::string> transports() const;  // each once
};

/// The point that a line of a file of points is about. Throws Error(input) that names `where` for anything else. Pure.
Point point_of(const Json& line, const std::string& where);

/// The line of a point in what --json of its run has written: what was measured, or, in "left_out", why it was not. `surroundings`: fields to add
/// to the run's environment. Pure.
Json point_line(const Point& point, const Json& run, const Json& surroundings);

/// A specification or a name with the number of ranks in the place of {ranks}, and multiples of it in that of {96*ranks}. Pure.
std::string with_ranks(const std::string& text, int ranks);

}  // namespace spmv
