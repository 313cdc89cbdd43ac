// The commands of the program, and their table.
#pragma once

#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/outputs.hpp"
#include "app/session.hpp"
#include "core/error.hpp"

namespace spmv {

/// How many ranks a command runs on.
enum class Ranks { any, one };

/// A command with its options, which CLI11 fills where they are.
class Command {
 public:
  virtual ~Command() = default;
  /// Checks and completes the options after they have been read. Local; throws Error(usage).
  virtual void check() = 0;
  /// Seconds without progress after which the command ends; 0: never.
  virtual double timeout() const = 0;
  virtual NamedFiles files() const = 0;
  /// Collective; throws AgreedError.
  virtual ExitCode run(const Session& session) const = 0;
};

/// Row of the table of commands.
struct CommandRow {
  const char* name;  // empty: what the program does without a command
  const char* summary;
  Ranks ranks;
  /// A command whose options are declared in `app`. Local.
  std::unique_ptr<Command> (*declare)(CLI::App& app);
  const char* hint = "";  // after the message that refuses several ranks
};

/// A command with `Options`, a struct with declare(CLI::App&) and a number `timeout`; check() and files() if it needs them.
template <class Options>
class CommandWith : public Command {
 public:
  using Work = ExitCode (*)(const Session&, const Options&);

  CommandWith(CLI::App& app, Work work) : work_(work) { options_.declare(app); }
  CommandWith(const CommandWith&) = delete;
  CommandWith& operator=(const CommandWith&) = delete;

  void check() override {
    if constexpr (requires { options_.check(); }) options_.check();
  }
  double timeout() const override { return options_.timeout; }
  NamedFiles files() const override {
    if constexpr (requires { options_.files(); }) return options_.files();
    return {};
  }
  ExitCode run(const Session& session) const override { return work_(session, options_); }
  const Options& options() const { return options_; }

 private:
  Options options_;
  Work work_;
};

/// For a row: declares `Options` in `app` for a command that runs as work(session, options).
template <class Options, ExitCode (*work)(const Session&, const Options&)>
std::unique_ptr<Command> command(CLI::App& app) {
  return std::make_unique<CommandWith<Options>>(app, work);
}

/// What the program does: first what it does without a command, then its commands in the order of --help.
const std::vector<CommandRow>& commands();

// Of each file in commands/: the command, with its options declared in `app`.
std::unique_ptr<Command> declare_multiply(CLI::App& app);
std::unique_ptr<Command> declare_analyze(CLI::App& app);
std::unique_ptr<Command> declare_doctor(CLI::App& app);
std::unique_ptr<Command> declare_convert(CLI::App& app);
std::unique_ptr<Command> declare_generate(CLI::App& app);
std::unique_ptr<Command> declare_info(CLI::App& app);
std::unique_ptr<Command> declare_model(CLI::App& app);
std::unique_ptr<Command> declare_plan(CLI::App& app);
std::unique_ptr<Command> declare_partition(CLI::App& app);
std::unique_ptr<Command> declare_solve(CLI::App& app);
std::unique_ptr<Command> declare_eigen(CLI::App& app);
std::unique_ptr<Command> declare_dos(CLI::App& app);
std::unique_ptr<Command> declare_calibrate(CLI::App& app);

}  // namespace spmv
