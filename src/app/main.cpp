#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/launch/end_request.hpp"
#include "app/launch/end_signals.hpp"
#include "app/launch/launcher.hpp"
#include "app/launch/transport_child.hpp"
#include "app/launch/watchdog.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_groups.hpp"
#include "app/say.hpp"
#include "comm/communicator.hpp"
#include "comm/require_same.hpp"
#include "core/as_error.hpp"
#include "core/output_file.hpp"

namespace spmv {
namespace {

/// The command line, read before MPI starts because --timeout holds for MPI's start as well.
class Asked {
 public:
  Asked(int argc, char** argv)
      : command_line_(fmt::format("{}", fmt::join(argv, argv + argc, " "))),
        arguments_(fmt::format("{}", fmt::join(argv + std::min(argc, 1), argv + argc, "' '"))) {
    try {
      line_ = parse_command_line(argc, argv);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws what was wrong with the options, also if ranks were started with different ones. Collective.
  const CommandLine& line(const Communicator& communicator) const {
    const bool understood = communicator.all_of(failure_ == nullptr);
    require_same(communicator, understood ? line_.given : Given{{"the command line", arguments_}});
    communicator.together([&] {
      if (failure_) std::rethrow_exception(failure_);
    });
    return line_;
  }
  double timeout() const { return line_.command ? line_.command->timeout() : default_timeout; }
  const std::string& command_line() const { return command_line_; }

 private:
  std::string command_line_;
  std::string arguments_;  // without the program's name, which may differ between ranks
  CommandLine line_;
  std::exception_ptr failure_;
};

ExitCode run_program(const Session& session, const CommandLine& line) {
  const Communicator& communicator = session.communicator;
  if (!line.command) {
    session.print(line.text_instead);
    return ExitCode::ok;
  }
  if (line.row->ranks == Ranks::one && communicator.size() > 1)
    throw AgreedError(ExitCode::usage, fmt::format("{} runs on one rank{}", line.row->name, line.row->hint));
  communicator.together([&] {
    if (session.first_rank()) session.results.go_to(line.command->files());
  });
  return line.command->run(session);
}

/// Ends all ranks if this one cannot join the others: they would wait for each other in MPI.
/// Collective.
Communicator all_ranks() {
  try {
    return Communicator::world();
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    say(fmt::format("spmv_dist: rank {}: {}", launched_rank(), error.what()));
    MpiSession::abort(error.code());
  }
}

/// The program between MPI's start and its end. Collective.
ExitCode run_in_mpi(const Asked& asked, Watchdog& watchdog, Results& results, EndRequest& end_request,
                    int argc, char** argv) {
  const Communicator communicator = all_ranks();
  try {
    if (is_transport_child(argc, argv)) return run_transport_child(communicator, argv);
    if (communicator.rank() == 0) watchdog.show_stages();
    return run_program({communicator, watchdog, results, end_request, asked.command_line()},
                       asked.line(communicator));
  } catch (const AgreedError& error) {
    if (communicator.rank() == 0) say(std::string("spmv_dist: ") + error.what());
    return error.code();
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    watchdog.end_showing();
    say(fmt::format("spmv_dist: rank {}: {}", communicator.rank(), error.what()));
    communicator.abort(error.code());
  }
  return ExitCode::internal;  // abort() does not return
}

/// Ends a process after a signal, whatever its main thread does: rank 0 writes what has been measured. The others wait
/// meanwhile, because a launcher ends all ranks when one has left. A batch system kills what is still there after some
/// thirty seconds, Open MPI's mpirun after one.
[[noreturn]] void end_early(Results& results, int rank, const std::string& doing, int number,
                            const std::string& name) {
  constexpr double grace_s = 5;
  if (rank == 0) {
    const std::string because = fmt::format("ended by {} while {}", name, doing);
    last_words(
        [&results, because] { say(fmt::format("note: {}: {}", because, results.write_incomplete(because))); },
        grace_s);
  } else {
    std::this_thread::sleep_for(std::chrono::duration<double>(grace_s));
  }
  std::_Exit(end_signal_code(number));
}

/// For an exception that nothing catches, as when memory runs out in the destructor of a library's object: prints what
/// happened and ends the process with the exit code for it. The launcher then ends the other ranks.
[[noreturn]] void end_unhandled() noexcept {
  ExitCode code = ExitCode::internal;
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    say(fmt::format("spmv_dist: rank {}: std::terminate was called", launched_rank()));
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    code = error.code();
    say(fmt::format("spmv_dist: rank {}: {}", launched_rank(), error.what()));
  } catch (...) {
    say(fmt::format("spmv_dist: rank {}: something was thrown that is no std::exception", launched_rank()));
  }
  std::_Exit(static_cast<int>(code));
}

/// For texts that need no ranks.
ExitCode run_without_mpi(int argc, char** argv) {
  try {
    write_stdout(parse_command_line(argc, argv).text_instead);
    return ExitCode::ok;
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    say(std::string("spmv_dist: ") + error.what());
    return error.code();
  }
}

ExitCode run_with_mpi(int argc, char** argv) {
  const Asked asked(argc, argv);
  Results results;
  EndRequest end_request;
  // A rank may be stopped before MPI knows it, or while MPI ends: the others then wait in MPI. How long MPI needs
  // depends on the launcher and the network, so this may take longer than the steps of the program.
  constexpr double beyond_timeout = 20;
  const int rank = launched_rank();
  Watchdog watchdog(asked.timeout(), rank,
                    [&](const std::string& because) { results.write_incomplete(because); });
  std::atomic<int> over = -1;  // the exit code, once all has been said and written
  const EndSignals signals([&](int number, const std::string& name) {
    watchdog.end_showing();
    // A launcher ends all ranks when the first has left with an exit code: nothing is left to do.
    if (const int code = over.load(); code >= 0) std::_Exit(code);
    if (end_request.put(number)) return;  // the command ends in its own time
    end_early(results, rank, watchdog.current_stage(), number, name);
  });
  watchdog.stage("starting MPI", {.beyond_timeout = beyond_timeout, .quiet = true});
  const MpiSession session(argc, argv);
  watchdog.stage("starting", {.quiet = true});
  const ExitCode code = run_in_mpi(asked, watchdog, results, end_request, argc, argv);
  over.store(static_cast<int>(code));
  watchdog.stage("ending MPI", {.beyond_timeout = beyond_timeout, .quiet = true});
  return code;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  using namespace spmv;
  let_writes_fail();
  let_libraries_say();
  std::set_terminate(end_unhandled);
  try {
    // On several ranks MPI is needed after all: it compares what the ranks were given.
    if (argc > 1 && needs_no_mpi(argv[1]) && launched_ranks() == 1)
      return static_cast<int>(run_without_mpi(argc, argv));
    return static_cast<int>(run_with_mpi(argc, argv));
  } catch (const std::exception& thrown) {  // what fails before MPI has started
    const Error error = as_error(thrown);
    say(std::string("spmv_dist: ") + error.what());
    return static_cast<int>(error.code());
  }
}
