#include "app/jobscript/job_script.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/jobscript/sites.hpp"
#include "app/scale/plan_study.hpp"
#include "comm/communicator.hpp"
#include "core/number.hpp"
#include "core/output_file.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "core/shell_words.hpp"

namespace spmv {
namespace {

/// A text that stands in a line for the batch system. Throws Error(usage) unless it can stand there as it is.
std::string plain(const char* option, const std::string& text) {
  constexpr std::string_view others = "._+:@,=/-";
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  };
  if (text.starts_with('-') || !std::all_of(text.begin(), text.end(), fits))
    throw Error(
        ExitCode::usage,
        fmt::format("{} {}: a batch system takes letters, digits and {} here, and no dash at the beginning",
                    option, printable(text), others));
  return text;
}

/// Hours, minutes and seconds with colons between them.
std::array<int, 3> parts_of_time(const std::string& text) {
  std::array<int, 3> parts{};
  std::string_view left = text;
  bool good = true;
  for (std::size_t i = 0; i < parts.size() && good; ++i) {
    const auto found = leading_number<int>(left);
    good = found && found->number >= 0 && (i == 0 || found->number < 60) &&
           (i == 2 ? found->rest.empty() : found->rest.starts_with(':'));
    if (good) parts[i] = found->number;
    if (good && i < 2) left = found->rest.substr(1);
  }
  if (!good || parts == std::array<int, 3>{})
    throw Error(ExitCode::usage,
                fmt::format("--time {}: give hours:minutes:seconds, such as 01:30:00", printable(text)));
  return parts;
}

JobRequest request_of(const Options& o) {
  const auto [hours, minutes, seconds] = parts_of_time(o.job.time);
  JobRequest request{plain("--name", o.job.name),
                     plain("--account", o.job.account),
                     plain("--queue", o.job.queue),
                     hours,
                     minutes,
                     seconds,
                     o.job.nodes};
  request.gpus_per_node = o.job.gpus_per_node;
  request.ranks_per_node =
      o.scale.ranks_per_node > 0 ? o.scale.ranks_per_node : std::max(1, o.job.gpus_per_node);
  if (o.scale.cores_per_rank > 0) request.cores_per_rank = o.scale.cores_per_rank;
  if (request.name.empty()) throw Error(ExitCode::usage, "--name: a job has a name");
  return request;
}

/// The numbers of ranks that were asked for, or powers of two and all ranks of the allocation.
std::vector<int> ranks_of(const Options& o, int most) {
  std::vector<int> ranks = o.scale.ranks;
  if (ranks.empty()) {
    for (int n = 1; n < most; n *= 2) ranks.push_back(n);
    ranks.push_back(most);
  }
  std::sort(ranks.begin(), ranks.end(), std::greater<>());
  if (ranks.front() > most)
    throw Error(
        ExitCode::usage,
        fmt::format(
            "--ranks {}: {} nodes with {} ranks each have room for {}: ask for more --nodes, or --ranks-per-node",
            ranks.front(), o.job.nodes, most / o.job.nodes, most));
  return ranks;
}

/// The words of command scale that this study comes to.
std::vector<std::string> study_words(const Options& o, const Site& site, const JobRequest& request) {
  std::vector<std::string> words = {
      "scale",
      fmt::format("--ranks={}", fmt::join(ranks_of(o, request.nodes * request.ranks_per_node), ","))};
  if (!o.generate.empty()) words.push_back("--generate=" + o.generate);
  if (o.scale.weak) words.emplace_back("--weak");
  if (o.value != "auto") words.push_back("--value=" + o.value);
  words.push_back(fmt::format("--mode={}", fmt::join(o.modes, ",")));
  words.push_back(fmt::format("--format={}", fmt::join(o.scale.formats, ",")));
  words.push_back(fmt::format("--transport={}", fmt::join(o.transports, ",")));
  words.push_back(fmt::format("--partition={}", fmt::join(o.scale.partitions, ",")));
  words.push_back(fmt::format("--launcher={}", site.launcher));
  words.push_back(fmt::format("--ranks-per-node={}", request.ranks_per_node));
  words.push_back(fmt::format("--cores-per-rank={}", request.cores_per_rank));
  std::vector<std::string> launch = o.scale.launcher_options;
  if (launch.empty() && site.binds && MpiSession::library().starts_with("Open MPI"))
    launch = {"--map-by", fmt::format("ppr:{}:node:PE={}", request.ranks_per_node, request.cores_per_rank),
              "--bind-to", "core"};
  for (const std::string& word : launch) words.push_back("--launcher-option=" + word);
  if (!o.scale.program.empty()) words.push_back("--program=" + o.scale.program);
  words.push_back("--results=" + o.scale.results);
  if (!o.scale.keep_runs.empty()) words.push_back("--keep-runs=" + o.scale.keep_runs);
  words.emplace_back("--");
  if (o.generate.empty()) words.push_back(o.matrix_file);
  words.insert(words.end(), o.scale.words.begin(), o.scale.words.end());
  return words;
}

std::string load_modules(const std::vector<std::string>& modules) {
  if (modules.empty()) return {};
  std::string text = "type module >/dev/null 2>&1 || . /etc/profile\n";
  for (const std::string& module : modules)
    text += "module load " + shell_word(plain("--module", module)) + "\n";
  return text;
}

}  // namespace

std::string job_script(const Options& options, const std::string& program) {
  const Site& site = pick(sites(), options.job.site, "site");
  const JobRequest request = request_of(options);
  std::string text = "#!/usr/bin/env bash\n" + site.directives(request);
  text +=
      "# One allocation of the largest size; the runs of the study are started in it one after the other, the largest first. The first that fails\n"
      "# ends the job with its exit code. Submitted again, the job goes on with the points that are missing.\n"
      "set -eo pipefail\n";
  text += site.folder + load_modules(options.job.modules);
  if (const std::string folder = std::filesystem::path(options.scale.results).parent_path().string();
      !folder.empty())
    text += "mkdir -p -- " + shell_word(folder) + "\n";
  return text + "exec " + shell_word(program) + " " + shell_words(study_words(options, site, request)) + "\n";
}

ExitCode write_job_script(const Options& options) {
  Options ordered = options;
  order_study(ordered);
  const std::string text = job_script(ordered, this_program());
  if (options.output_file.empty())
    write_stdout(text);
  else
    OutputFile(options.output_file).write(text);
  return ExitCode::ok;
}

}  // namespace spmv
