#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/launch/stage_line.hpp"
#include "app/launch/stage_log.hpp"

namespace spmv {

/// Ends the process with exit code 7 if no stage is announced for `timeout` seconds, after printing on stderr which rank is
/// stuck in which stage and what it waits for. All ranks announce a stage at about the same time, so all of them print; a
/// rank then calls `before_leaving`, if there is one, with the reason, and waits some seconds before it ends, because the
/// launcher then ends the others. Time in which the process was stopped does not count: a suspended job goes on. A timeout
/// of 0 never ends anything. Its thread also shows progress: see show_stages().
class Watchdog {
 public:
  Watchdog(double timeout, int rank, std::function<void(const std::string& because)> before_leaving = {});
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A new stage of the run begins, or the current one (same text) has made progress. Local, any thread.
  void stage(const std::string& text, const StageFacts& facts = {});

  /// Shows on stderr, from the next stage on, what takes long and how far it is. For one rank, in the thread that made the
  /// watchdog. Throws std::system_error. Local.
  void show_stages();

  /// Shows nothing more and clears the line on a terminal: the process is about to end. Local, any thread.
  void end_showing();

  /// The current stage, as announced. Local, any thread.
  std::string current_stage();

  /// All stages so far, and what each took. Local, any thread.
  std::vector<StageRecord> stages();

  /// The current stage has made progress. Costs nothing: for loops of short steps. Local, any thread.
  void alive() { signs_.fetch_add(1, std::memory_order_relaxed); }

  /// While it lives, the message of a stuck rank has the text of `source`, such as "receiving the halo: waits for messages
  /// from rank 3"; empty: nothing known. `source` is called in the watchdog's thread, never after this object's end, and
  /// must not block. One at a time; may not outlive the watchdog.
  class Detail {
   public:
    Detail(Watchdog& watchdog, std::function<std::string()> source);
    ~Detail();
    Detail(const Detail&) = delete;
    Detail& operator=(const Detail&) = delete;

   private:
    Watchdog& watchdog_;
  };

 private:
  void watch();
  /// Whether no stage was announced for the whole timeout. The lock is released while it waits.
  bool stuck(std::unique_lock<std::mutex>& lock);
  /// Whether a stage after number `seen` is announced within so many seconds, or the watchdog ends. Shows progress
  /// meanwhile.
  bool news_within(std::unique_lock<std::mutex>& lock, double seconds, unsigned long seen);
  void show_what_is_due(std::unique_lock<std::mutex>& lock);

  double timeout_;
  int rank_;
  std::function<void(const std::string&)> before_leaving_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string stage_ = "starting";
  StageLog log_;
  StageLine line_;
  double beyond_timeout_ = 0;
  std::function<std::string()> detail_;
  unsigned long stages_ = 0;
  std::atomic<unsigned long> signs_{0};  // of life within a stage
  bool leaving_ = false;
  std::thread thread_;  // last: starts when everything above is there
};

}  // namespace spmv
