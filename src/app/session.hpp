// What every command works with.
#pragma once

#include <functional>
#include <string>

#include "app/launch/end_request.hpp"
#include "app/launch/watchdog.hpp"
#include "app/results.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "core/types.hpp"
#include "load/stage.hpp"

namespace spmv {

/// All ranks, the watchdog that ends a run without progress, the results that survive an early end, and requests for one. All
/// of them outlive every command.
struct Session {
  const Communicator& communicator;
  Watchdog& watchdog;
  Results& results;
  EndRequest& end_request;
  const std::string& command_line;

  bool first_rank() const { return communicator.rank() == 0; }

  /// The signal by which any rank was asked to end; 0: none. The same on all ranks. Collective.
  int ended_by() const { return static_cast<int>(communicator.max(gidx{end_request.signal()})); }

  /// Writes a report: write(results). Collective.
  void write(const std::function<void(Results&)>& write) const;
  /// Ends a command whose report is written: returns `code`. If an output could not be written, throws AgreedError, or
  /// prints that on rank 0 if `code` reports another error. Collective.
  ExitCode end(ExitCode code) const;
  /// Prints a text to standard output on rank 0. Collective; throws AgreedError.
  void print(const std::string& text) const;
};

/// Reports progress of src/load to the watchdog, which shows it. The watchdog must outlive the listener. Local.
StageListener stage_listener(Watchdog& watchdog);

/// Writes a report and ends the command. Collective; throws AgreedError.
template <class Report>
ExitCode conclude(const Session& session, const Report& report, ExitCode code = ExitCode::ok) {
  session.write([&](Results& results) { results.write(report); });
  return session.end(code);
}

}  // namespace spmv
