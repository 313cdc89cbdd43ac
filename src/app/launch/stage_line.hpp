// Progress of the current stage, for the user.
#pragma once

#include <chrono>
#include <string>

namespace spmv {

/// What is known of a stage, besides its name.
struct StageFacts {
  double share = 0;           // of this rank's part of it that is done, up to 1; 0: not known
  double predicted_s = 0;     // that all of it takes; 0: not known
  double beyond_timeout = 0;  // seconds that it may take beyond the timeout, because something else limits it
  std::string detail = {};    // what else is known, such as "residual 1e-05"; empty: nothing
  bool quiet = false;         // nothing is shown while it lasts: it times products, or prints
};

/// The current stage, as it is shown. 0: not known.
struct StageSoFar {
  std::string name;
  double elapsed_s = 0;
  double share = 0;
  double left_s = 0;
  double predicted_s = 0;
};

/// The remaining seconds of a stage at its present speed; `first` was done when it began. 0 if that is unknown. Pure.
double left_seconds(double elapsed_s, double first, double share);

/// "reading m.mtx: 42 % done, 12 s elapsed, about 17 s left", shorter than so many columns: the name is cut first. A character
/// beyond ASCII counts as two columns, which some are. Pure.
std::string stage_line(const StageSoFar& stage, int columns);

/// The same as a sentence: "reading m.mtx has taken 20 s so far; 42 % is done, and about 28 s are left". Pure.
std::string stage_note(const StageSoFar& stage);

/// When a stage that has lasted `elapsed_s` is shown next, in seconds since its begin: on a terminal a few times a second, from
/// the first second on; else after 10, 20, 40 seconds and so on, so that a log stays short. Pure.
double next_shown_s(double elapsed_s, bool on_terminal);

/// Shows the current stage on stderr if it takes long: on a terminal in one line, which is rewritten in place and removed at
/// the stage's end; else in notes. Shows nothing before start() and after end(). For one thread at a time.
class StageLine {
 public:
  using Clock = std::chrono::steady_clock;

  void start(bool on_terminal);
  void end();
  /// A stage begins, or the current one (same name) goes on.
  void stage(const std::string& name, const StageFacts& facts);
  /// When to call show() next; Clock::time_point::max(): not before the next stage.
  Clock::time_point due() const;
  /// Rewrites the line on a terminal and returns an empty text; without a terminal returns the note to print. To be called
  /// when it is due.
  std::string show();

 private:
  void remove();

  bool started_ = false;
  bool on_terminal_ = false;
  bool removed_ = true;  // the terminal shows no line of this object
  std::string name_;
  StageFacts facts_;
  double first_share_ = 0;
  Clock::time_point begin_ = Clock::now();
  double next_s_ = 0;  // since begin_
};

}  // namespace spmv
