// What a user who waits for a stage of the run is shown meanwhile.
#pragma once

#include <chrono>
#include <string>

namespace spmv {

/// What is known of a stage that begins or goes on, beside its name.
struct StageFacts {
  double share = 0;           // of this rank's part of it that is done, up to 1; 0: not known
  double predicted_s = 0;     // that all of it takes; 0: not known
  double beyond_timeout = 0;  // seconds that it may take beyond the timeout, because something else limits it
  bool quiet = false;         // nothing is shown while it lasts: it times products, or prints
};

/// The stage under way, as it is shown. What is 0 is not known.
struct StageSoFar {
  std::string name;
  double gone_s = 0;
  double share = 0;
  double left_s = 0;
  double predicted_s = 0;
};

/// Seconds that are left of a stage, of which `first` was done when it began, if it goes on as it did; 0 where that
/// cannot be said. Pure.
double left_seconds(double gone_s, double first, double share);

/// "reading m.mtx: 42 % done, 12 s gone, about 17 s left", in less than so many columns: the name is cut before the rest
/// is. A character beyond ASCII counts as two columns, for there are such. Pure.
std::string stage_line(const StageSoFar& stage, int columns);

/// The same as a sentence of its own: "reading m.mtx has taken 20 s so far; 42 % is done, and about 28 s are left". Pure.
std::string stage_note(const StageSoFar& stage);

/// How many seconds after its begin a stage, of which so many are gone, is shown next: on a terminal a few times a second
/// from the first second on; else after 10, 20, 40 seconds and so on, so that a log stays short. Pure.
double next_shown_s(double gone_s, bool on_terminal);

/// Shows the stage under way on stderr, once it lasts: on a terminal in one line, rewritten in place and removed with
/// the stage's end; else in notes. Nothing before start() and after end(). Not for several threads at once.
class StageLine {
 public:
  using Clock = std::chrono::steady_clock;

  void start(bool on_terminal);
  void end();
  /// A stage begins, or the one under way (same name) goes on.
  void stage(const std::string& name, const StageFacts& facts);
  /// When there is something to be shown next; Clock::time_point::max(): not before the next stage.
  Clock::time_point due() const;
  /// What is to be said now, where that is no terminal; a terminal is shown it. To be called when it is due.
  std::string show();

 private:
  void remove();

  bool started_ = false;
  bool on_terminal_ = false;
  bool removed_ = true;  // nothing of ours stands on the terminal
  std::string name_;
  StageFacts facts_;
  double first_share_ = 0;
  Clock::time_point begin_ = Clock::now();
  double next_s_ = 0;  // since begin_
};

}  // namespace spmv
