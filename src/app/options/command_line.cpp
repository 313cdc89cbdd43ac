#include "app/options/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options/option_names.hpp"
#include "app/report/version.hpp"
#include "core/error.hpp"

namespace spmv {
namespace {

/// Commands of earlier versions that are tools in Python now.
constexpr std::string_view moved_commands[] = {"compare", "jobscript", "report", "scale"};

/// A flag that prints what the program knows. It needs no ranks.
struct TextFlag {
  const char* name;
  const char* summary;
  std::string (*text)(const CLI::App& app);
};
constexpr TextFlag text_flags[] = {
    {"--version", "print versions and leave", [](const CLI::App&) { return version_text(); }},
    {"--list", "print every format, mode, transport, partitioner, solver, backend and generator, and leave",
     [](const CLI::App&) { return full_listing(); }},
};

bool is_moved(std::string_view word) {
  return std::find(std::begin(moved_commands), std::end(moved_commands), word) != std::end(moved_commands);
}

bool is_text_flag(std::string_view word) {
  return std::any_of(std::begin(text_flags), std::end(text_flags),
                     [&](const TextFlag& flag) { return flag.name == word; });
}

/// Throws Error(usage), which names the tool, for a command that the Python package has now.
void refuse_moved_command(std::string_view word) {
  if (is_moved(word))
    throw Error(ExitCode::usage,
                fmt::format("unknown command '{0}': start python3 -m spmv_dist.{0}, which is in the Python "
                            "package of this program",
                            word));
}

/// What to do in place of an option that the program no longer has, where CLI11 complains of it; else empty.
std::string hint_of_moved_option(std::string_view complaint) {
  if (complaint.find("--html") == std::string_view::npos) return {};
  return "; for a page of figures: --json FILE, then python3 -m spmv_dist.report FILE -o PAGE.html";
}

/// Refuses options before the name of a command: they would be options of a run without a command, and do nothing.
void require_nothing_before(const CLI::App& app, const CLI::App& command) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0) continue;
    if (command.get_option_no_throw(name) == nullptr)
      throw Error(ExitCode::usage,
                  fmt::format("{0} has no {1}; see spmv_dist {0} --help", command.get_name(), name));
    throw Error(ExitCode::usage,
                fmt::format("{1} belongs after the name of the command: spmv_dist {0} ... {1} ...",
                            command.get_name(), name));
  }
}

/// What stood on the command line for an app: operands and options, and its command with those of its own.
std::map<std::string, std::string> given_to(const CLI::App& app) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0)
      given[fmt::format("{} {}", option->get_positional() ? "operand" : "option", option->get_name())] =
          fmt::format("{}", fmt::join(option->results(), "' '"));
  for (const CLI::App* command : app.get_subcommands()) {
    given["command"] = command->get_name();
    given.merge(given_to(*command));
  }
  return given;
}

/// Parses the words; whether help was asked for. Throws Error(usage).
bool wants_help(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ExtrasError&) {  // its own message has the words in reverse order
    const std::string words = fmt::format("{}", fmt::join(app.remaining(true), " "));
    throw Error(ExitCode::usage,
                fmt::format("not expected: {}{}; see spmv_dist --help", words, hint_of_moved_option(words)));
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage,
                error.what() + hint_of_moved_option(error.what()) + "; see spmv_dist --help");
  }
  return false;
}

}  // namespace

bool needs_no_mpi(std::string_view word) {
  return is_text_flag(word) || is_moved(word);
}

CommandLine parse_command_line(int argc, char** argv) {
  const std::vector<CommandRow>& table = commands();
  CLI::App app(table.front().summary, "spmv_dist");
  app.get_formatter()->column_width(34);
  std::vector<CLI::App*> apps{&app};
  std::vector<std::unique_ptr<Command>> declared;
  declared.push_back(table.front().declare(app));
  for (std::size_t i = 1; i < table.size(); ++i) {
    apps.push_back(app.add_subcommand(table[i].name, table[i].summary));
    declared.push_back(table[i].declare(*apps[i]));
  }
  for (const TextFlag& flag : text_flags) app.add_flag(flag.name, flag.summary)->group("Output");
  app.footer(
      "Exit codes: 0 fine, 1 internal, 2 usage, 3 wrong result, 4 input, 5 unfit environment, 7 timeout, "
      "8 memory, 9 unsolved");
  app.require_subcommand(0, 1);
  if (argc > 1) refuse_moved_command(argv[1]);
  const bool help = wants_help(app, argc, argv);
  CommandLine line;
  line.given = given_to(app);
  const std::vector<CLI::App*> named = app.get_subcommands();
  if (help) line.text_instead = named.empty() ? app.help() : named.front()->help("spmv_dist");
  for (const TextFlag& flag : text_flags)
    if (line.text_instead.empty() && app.count(flag.name) > 0) line.text_instead = flag.text(app);
  if (!line.text_instead.empty()) return line;
  const auto at = named.empty() ? 0 : std::find(apps.begin(), apps.end(), named.front()) - apps.begin();
  if (at > 0) require_nothing_before(app, *apps[static_cast<std::size_t>(at)]);
  line.row = &table[static_cast<std::size_t>(at)];
  line.command = std::move(declared[static_cast<std::size_t>(at)]);
  line.command->check();
  return line;
}

}  // namespace spmv
