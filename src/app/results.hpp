// The results of a run, which may have to end early.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/outputs.hpp"
#include "app/report/run_report.hpp"

namespace spmv {

/// The results of a run and where the user wants them. They are written once: by the run at its end, or, marked as
/// incomplete, by the thread that ends the process early. Ranks without outputs keep and write nothing.
class Results {
 public:
  /// Where everything goes: for rank 0. Throws what the constructor of Outputs throws. Local.
  void go_to(const NamedFiles& files);
  /// Whether a run's report is printed in full. Local.
  void print_in_full(bool verbose);

  /// What has been measured until now, in place of the call before. Local.
  void keep(const RunReport& so_far);

  /// What an early end does instead of writing results; returns the message for the user. Local.
  void on_early_end(std::function<std::string()> action);

  /// Writes the results of a complete run, files first. Local.
  void write(const RunReport& report);
  /// The same for another report, with to_text() and to_json(), and to_csv() if has_table() says that it has one for a file,
  /// which is not touched otherwise.
  template <class Report>
  void write(const Report& report) {
    Text csv;
    if constexpr (requires { has_table(report); })
      if (has_table(report)) csv = [&] { return to_csv(report); };
    write([&] { return to_text(report); }, [&] { return to_json(report); }, csv);
  }

  /// What could not be written, one line each; empty if all went well. Local.
  std::string failures() const;

  /// Writes what was kept, with the reason why it is incomplete, unless the results are written or are being written.
  /// Returns what happened to the results, for the user. Waits at most a few seconds for another thread that writes.
  /// Local, any thread.
  std::string write_incomplete(const std::string& because);

 private:
  using Text = std::function<std::string()>;

  void write(const Text& text, const Text& json, const Text& csv);
  void write_locked(const RunReport& report);

  mutable std::timed_mutex mutex_;
  std::optional<Outputs> outputs_;
  bool verbose_ = false;
  std::optional<RunReport> kept_;
  std::function<std::string()> early_end_;
  bool written_ = false;
};

}  // namespace spmv
