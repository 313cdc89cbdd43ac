#include "app/scale/plan_study.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/option_names.hpp"
#include "app/report/version.hpp"
#include "app/scale/launchers.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "core/shell_words.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"

namespace spmv {
namespace {

/// What every run gets from the study, and may not be given behind -- once more.
constexpr std::array<const char*, 8> set_by_study = {"--mode", "--format", "--partition", "--transport",
                                                     "--json", "--value",  "--timeout",   "--generate"};

/// The first of the words is the matrix, unless one is generated.
void take_words(Options& o) {
  std::vector<std::string>& words = o.scale.words;
  if (o.generate.empty() && o.matrix_file.empty() && !words.empty()) {
    o.matrix_file = words.front();
    words.erase(words.begin());
  }
  if (o.matrix_file.empty() == o.generate.empty())
    throw Error(ExitCode::usage,
                "give either a file with a matrix or --generate; see spmv_dist scale --help");
  if (!words.empty() && !words.front().starts_with("-"))
    throw Error(ExitCode::usage, fmt::format("'{}' is neither the matrix nor an option of the runs",
                                             printable(words.front())));
  for (const std::string& word : words)
    for (const char* name : set_by_study)
      if (word == name || word.starts_with(std::string(name) + "="))
        throw Error(ExitCode::usage, fmt::format("{} belongs before --: it is the study's to give", name));
}

void check_names_of_study(const Options& o) {
  for (const std::string& mode : o.modes) pick(mode_names(), mode, "mode");
  for (const std::string& format : o.scale.formats) pick(format_names(), format, "format");
  for (const std::string& partition : o.scale.partitions) pick(partitioners(), partition, "partitioner");
  for (const std::string& transport : o.transports) pick(transport_names(), transport, "transport");
  pick(value_types(), o.value, "value type");
  if (o.modes.empty() || o.scale.formats.empty() || o.scale.partitions.empty() || o.transports.empty())
    throw Error(ExitCode::usage, "--mode, --format, --partition and --transport name at least one each");
}

bool is_all(const std::vector<std::string>& list) {
  return std::find(list.begin(), list.end(), "all") != list.end();
}

std::vector<std::string> every_mode() {
  std::vector<std::string> all;
  for (const Mode<double>& mode : modes<double>()) all.emplace_back(mode.name);
  return all;
}

std::vector<std::string> every_transport() {
  std::vector<std::string> all = {auto_transport};
  for (const Transport& transport : transports()) all.emplace_back(transport.name);
  return all;
}

template <class T>
void keep_first_of_each(std::vector<T>& list) {
  std::vector<T> kept;
  for (const T& element : list)
    if (std::find(kept.begin(), kept.end(), element) == kept.end()) kept.push_back(element);
  list = std::move(kept);
}

/// The matrix as the user has named it.
const std::string& matrix_of(const Options& o) {
  return o.generate.empty() ? o.matrix_file : o.generate;
}

std::string matrix_on(const Options& o, int ranks) {
  return o.scale.weak ? with_ranks(matrix_of(o), ranks) : matrix_of(o);
}

void check_weak(const Options& o) {
  if (o.scale.weak && with_ranks(matrix_of(o), 1) == matrix_of(o))
    throw Error(
        ExitCode::usage,
        "--weak: the matrix has to grow with the ranks: put {ranks} or a multiple of it into its name, such as stencil27:96,96,{96*ranks}");
}

}  // namespace

void order_study(Options& o) {
  take_words(o);
  check_names_of_study(o);
  check_weak(o);
}

std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

void complete_study(Options& o) {
  order_study(o);
  if (o.scale.program.empty()) o.scale.program = this_program();
  if (is_all(o.modes)) o.modes = every_mode();
  if (is_all(o.transports)) o.transports = every_transport();
  if (o.scale.ranks.empty()) o.scale.ranks = usual_ranks(o.scale, find_run_launcher(o.scale.launcher));
  std::sort(o.scale.ranks.begin(), o.scale.ranks.end(), std::greater<>());
  keep_first_of_each(o.scale.ranks);
  for (std::vector<std::string>* list : {&o.modes, &o.transports, &o.scale.formats, &o.scale.partitions})
    keep_first_of_each(*list);
}

std::vector<PlannedRun> plan_study(const Options& o) {
  std::vector<std::string> options = o.scale.words;
  if (o.value != "auto") options.insert(options.begin(), "--value=" + o.value);
  std::vector<PlannedRun> plan;
  for (const int ranks : o.scale.ranks)
    for (const std::string& partition : o.scale.partitions)
      for (const std::string& format : o.scale.formats) {
        PlannedRun run;
        for (const std::string& mode : o.modes)
          for (const std::string& transport : o.transports)
            // As a file has it, which is UTF-8: a point must be found there again.
            run.points.push_back({valid_utf8(matrix_on(o, ranks)), partition, format, transport, mode,
                                  valid_utf8(shell_words(options)), program_commit(), ranks,
                                  o.scale.weak ? valid_utf8(matrix_of(o)) : std::string()});
        plan.push_back(std::move(run));
      }
  return plan;
}

std::vector<std::string> run_words(const Options& o, const PlannedRun& run) {
  const Point& point = run.first();
  const std::string matrix = matrix_on(o, point.ranks);
  std::vector<std::string> words;
  if (!o.generate.empty())
    words.push_back("--generate=" + matrix);
  else  // neither an option nor, alone, the sign at which mpirun and srun begin another program
    words.push_back(matrix.starts_with('-') || matrix == ":" ? "./" + matrix : matrix);
  // All of them as one word: what cannot be here is left out then, and does not end the run.
  words.push_back(fmt::format(
      "--mode={}", run.modes() == every_mode() ? "all" : fmt::format("{}", fmt::join(run.modes(), ","))));
  words.push_back("--format=" + point.format);
  words.push_back("--partition=" + point.partition);
  words.push_back(fmt::format("--transport={}", fmt::join(run.transports(), ",")));
  if (o.value != "auto") words.push_back("--value=" + o.value);
  if (o.timeout != Options{}.timeout) words.push_back(fmt::format("--timeout={}", o.timeout));
  words.insert(words.end(), o.scale.words.begin(), o.scale.words.end());
  return words;
}

}  // namespace spmv
