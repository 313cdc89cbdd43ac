#include "app/scale/scale.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "app/launch/end_signals.hpp"
#include "app/report/version.hpp"
#include "app/say.hpp"
#include "app/scale/child_run.hpp"
#include "app/scale/launchers.hpp"
#include "app/scale/plan_study.hpp"
#include "app/scale/point.hpp"
#include "app/scale/points_file.hpp"
#include "app/scale/scaling_table.hpp"
#include "core/names_in.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"
#include "core/shell_words.hpp"

namespace spmv {
namespace {

/// What is left to do of a run: the points that the file does not have.
PlannedRun missing(const PlannedRun& run, const PointsFile& file) {
  PlannedRun rest;
  std::copy_if(run.points.begin(), run.points.end(), std::back_inserter(rest.points),
               [&](const Point& point) { return !file.has(point); });
  return rest;
}

/// The last lines of a log, and every warning in it.
struct LogWords {
  std::string last;
  std::vector<std::string> warnings;
};

LogWords read_log(const std::string& path) {
  constexpr std::size_t most = 15;
  std::ifstream in(path);
  std::vector<std::string> lines;
  LogWords words;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("warning")) words.warnings.push_back(line);
    lines.push_back(std::move(line));
    if (lines.size() > most) lines.erase(lines.begin());
  }
  words.last = fmt::format("{}", fmt::join(lines, "\n"));
  return words;
}

/// What --json of a run has written. Throws Error(environment) where that is not of the run that was asked for.
Json read_run(const std::string& path, const PlannedRun& planned) {
  std::ifstream in(path);
  Json run = Json::parse(std::string{std::istreambuf_iterator<char>(in), {}}, nullptr, false);
  if (!run.is_object() || !run.contains("modes") || !run.contains("environment"))
    throw Error(
        ExitCode::environment,
        fmt::format(
            "a run of {} ranks ended well, but has not written its results to {}: do all nodes see this folder?",
            planned.first().ranks, printable(path)));
  const Json& environment = run["environment"];
  if (const int ranks = environment.value("ranks", 0); ranks != planned.first().ranks)
    throw Error(
        ExitCode::environment,
        fmt::format(
            "the launcher started {} ranks instead of {}: it does not belong to the MPI library of the program",
            ranks, planned.first().ranks));
  if (const std::string commit = environment.value("commit", ""); commit != planned.first().commit)
    throw Error(
        ExitCode::environment,
        fmt::format(
            "the program is of commit {}, and this one of {}: start the study with the program that it is about",
            printable(commit), planned.first().commit));
  return run;
}

/// What a point's environment has beside that of its run.
Json surroundings(const std::vector<std::string>& launch) {
  Json json;
  json["launch"] = shell_words(launch);
  for (const auto& [name, variable] : {std::pair("slurm_job", "SLURM_JOB_ID"),
                                       std::pair("pbs_job", "PBS_JOBID"), std::pair("lsf_job", "LSB_JOBID")})
    if (const char* const job = std::getenv(variable); job != nullptr) json[name] = job;
  return json;
}

/// Copies what --json of a run has written into a folder, under a name that nothing has there.
void keep_run(const std::string& file, const std::string& folder, const Point& point) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (int number = 1; !failure; ++number) {
    const std::string name = fmt::format("{}/{}_{}_{:05}_ranks_{}.json", folder, point.format,
                                         point.partition, point.ranks, number);
    if (std::filesystem::exists(name, failure) || failure) continue;
    // The folder may be on another file system; there whole or not at all, as whoever reads it takes every .json for a run.
    std::filesystem::copy_file(file, name + ".part", std::filesystem::copy_options::overwrite_existing,
                               failure);
    if (!failure) std::filesystem::rename(name + ".part", name, failure);
    if (!failure) return;
  }
  throw Error(ExitCode::environment, fmt::format("--keep-runs {}: the run cannot be kept: {}",
                                                 printable(folder), failure.message()));
}

/// A file beside the points, removed at the end.
class FileBeside {
 public:
  FileBeside(const std::string& points, const std::string& ending) : path_(points + ending) { remove(); }
  ~FileBeside() {
    if (!kept_) remove();
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path_;
  bool kept_ = false;
};

class Study {
 public:
  Study(const Options& options, PointsFile& file)
      : options_(options),
        plan_(plan_study(options)),
        file_(file),
        launcher_(find_run_launcher(options.scale.launcher)),
        settings_(launch_settings(options.scale, launcher_, largest())) {}

  /// Makes what is missing, the most ranks first, so that what fails does so soon.
  void make(ChildRuns& children) {
    for (const PlannedRun& run : plan_) {
      const PlannedRun todo = missing(run, file_);
      const std::string name =
          fmt::format("{} ranks, {}, {}", run.first().ranks, run.first().format, run.first().partition);
      if (todo.points.empty()) {
        say(fmt::format("== {}: there already", name));
        continue;
      }
      const std::vector<std::string> launch = launcher_.words(todo.first().ranks, settings_);
      say(fmt::format("== {}, modes {}: {}", name, fmt::join(todo.modes(), ","), shell_words(launch)));
      if (options_.scale.only_tell)
        say(shell_words(words_of(launch, todo, "FILE")));
      else
        make(todo, launch, children);
    }
  }

  /// The points of this study, in the file's order.
  std::vector<Json> points() const {
    std::vector<Point> all;
    for (const PlannedRun& run : plan_) all.insert(all.end(), run.points.begin(), run.points.end());
    std::vector<Json> found;
    for (const Json& line : file_.lines())
      if (std::find(all.begin(), all.end(), point_of(line, file_.path())) != all.end()) found.push_back(line);
    return found;
  }

 private:
  int largest() const {
    int most = 1;
    for (const PlannedRun& run : plan_) most = std::max(most, run.first().ranks);
    return most;
  }

  std::vector<std::string> words_of(const std::vector<std::string>& launch, const PlannedRun& run,
                                    const std::string& json) const {
    std::vector<std::string> words = launch;
    words.push_back(options_.scale.program);
    for (const std::string& word : run_words(options_, run)) words.push_back(word);
    words.push_back("--json=" + json);
    return words;
  }

  void make(const PlannedRun& todo, const std::vector<std::string>& launch, ChildRuns& children) {
    // By the number of this process: what a study that was killed has started may still be writing.
    FileBeside result(file_.path(), fmt::format(".run.{}.json", getpid()));
    FileBeside log(file_.path(), ".log");
    const ChildEnd end =
        children.run(words_of(launch, todo, result.path()), log.path(), options_.scale.run_limit);
    if (const int signal = children.ended_by(); signal != 0)
      throw Error(static_cast<ExitCode>(128 + signal),
                  "the study was ended by a signal; start the same command again, and it goes on from here");
    const LogWords words = read_log(log.path());
    if (end.code != 0 || end.over_time) {
      log.keep();
      say(words.last);
      const int code = end.over_time ? static_cast<int>(ExitCode::timeout) : end.code;
      throw Error(
          static_cast<ExitCode>(code),
          fmt::format(
              "{} on {} ranks, format {}, ended with exit code {}{} (its last lines are above, all of them in {}). Mend that and start "
              "the same command again; it goes on from here.",
              printable(todo.first().matrix), todo.first().ranks, todo.first().format, code,
              end.over_time ? ", after the time that --run-limit gives it" : "", printable(log.path())));
    }
    for (const std::string& warning : words.warnings) say(warning);
    const Json run = read_run(result.path(), todo);
    // Before the points: a study that is killed between the two makes the run once more, and another file.
    if (!options_.scale.keep_runs.empty()) keep_run(result.path(), options_.scale.keep_runs, todo.first());
    std::vector<Json> lines;
    for (const Point& point : todo.points) lines.push_back(point_line(point, run, surroundings(launch)));
    file_.append(lines);
  }

  const Options& options_;
  std::vector<PlannedRun> plan_;
  PointsFile& file_;
  const RunLauncher& launcher_;
  LaunchSettings settings_;
};

/// Removes what runs of a study have left that was killed.
void remove_leavings(const std::string& points) {
  const std::filesystem::path path(points);
  const std::string beginning = path.filename().string() + ".run.";
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  for (const std::string& name : names_in(folder.string()))
    if (name.starts_with(beginning) && name.ends_with(".json"))
      std::filesystem::remove(folder / name, ignored);
}

}  // namespace

ExitCode run_study(const Options& options) {
  Options completed = options;
  complete_study(completed);
  const std::string& results = completed.scale.results;
  PointsFile file(results);
  if (file.was_torn())
    say(fmt::format(
        "note: the last line of {} was torn, as a study that is killed leaves it: it is cut off, and its point measured again",
        results));
  remove_leavings(results);
  Study study(completed, file);
  ChildRuns children;
  {
    const EndSignals signals([&](int number, const std::string& /*name*/) { children.end_with(number); });
    study.make(children);
  }
  if (children.ended_by() != 0) return static_cast<ExitCode>(128 + children.ended_by());
  say(fmt::format("points: {}", results));
  write_stdout(scaling_table(study.points()));
  return ExitCode::ok;
}

}  // namespace spmv
