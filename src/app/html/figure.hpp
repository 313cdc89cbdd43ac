// What a figure is: markup, and a sentence that says what it shows of these runs. figures.cpp has the table.
#pragma once

#include <string>
#include <vector>

#include "app/html/saved_run.hpp"

namespace spmv::html {

struct Drawing {
  std::string markup;  // empty: there is nothing to draw
  std::string says;    // what it shows here, with numbers; or why there is nothing. Text, not markup
};

/// Why there is no drawing of what the section `pictures` would have.
inline constexpr const char* no_pictures = "these results have nothing of it in a section `pictures`";

/// A drawing of nothing, for this reason.
inline Drawing left_out(std::string reason) {
  return {{}, std::move(reason)};
}

/// One run's figure.
struct RunFigure {
  const char* name;  // in the page's anchors and classes
  const char* title;
  const char* reads;  // how it is read, whatever it shows; HTML
  Drawing (*draw)(const Json& run);
};

/// In the order in which they are shown.
const std::vector<RunFigure>& run_figures();

// The rows' functions, each in figures/NAME.cpp. Pure.
Drawing draw_modes(const Json& run);
Drawing draw_overlap(const Json& run);
Drawing draw_timeline(const Json& run);
Drawing draw_roofline(const Json& run);
Drawing draw_spy(const Json& run);
Drawing draw_communication(const Json& run);
Drawing draw_imbalance(const Json& run);
Drawing draw_row_lengths(const Json& run);
Drawing draw_environment(const Json& run);

/// How one matrix scales over the ranks of several runs of it. Pure.
Drawing draw_scaling(const std::vector<const Json*>& runs);

/// How products of a matrix that grows with the ranks take longer and longer, over several runs of it. Pure.
Drawing draw_weak_scaling(const std::vector<const Json*>& runs);

/// A mode's name, with its transport where the run has the mode over several. Text. Pure.
std::string mode_title(const Json& run, const Json& mode);
/// The modes that have a positive median, the fastest first. Pure.
std::vector<const Json*> timed_modes(const Json& run);
/// Number of ranks. Pure.
double ranks_of(const Json& run);

/// What a run says of its matrix. Numbers that it does not have are 0.
struct MatrixFacts {
  std::string name;
  std::string description;
  std::string value;  // its type
  double rows = 0;
  double cols = 0;
  double nonzeros = 0;

  bool operator==(const MatrixFacts& other) const = default;
};

/// Pure.
MatrixFacts matrix_of(const Json& run);

}  // namespace spmv::html
