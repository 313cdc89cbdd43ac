#include "app/compare/measured_series.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/compare/median_ratio.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {
namespace {

using Parsed = nlohmann::json;

/// One JSON object of a file, and where it stands, for messages.
struct FilePart {
  Parsed json;
  std::string where;
};

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ExitCode::input, fmt::format("{}: {}", where, what));
}

/// The field at the end of a path; null where there is none.
const Parsed& field(const Parsed& json, std::initializer_list<const char*> path) {
  static const Parsed none;
  const Parsed* at = &json;
  for (const char* name : path) {
    const auto found = at->is_object() ? at->find(name) : at->end();
    if (!at->is_object() || found == at->end()) return none;
    at = &*found;
  }
  return *at;
}

/// A text as it is, anything else as JSON, nothing for null.
std::string text_of(const Parsed& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return json.get<std::string>();
  return json.dump(-1, ' ', false, Parsed::error_handler_t::replace);
}

/// A list with equal elements, such as the ranks' cores, as its different ones, each with how many there are.
std::string shortened_text(const Parsed& list) {
  std::vector<std::pair<std::string, int>> different;
  for (const Parsed& element : list) {
    const std::string text = text_of(element);
    const auto found = std::find_if(different.begin(), different.end(),
                                    [&](const auto& known) { return known.first == text; });
    if (found == different.end())
      different.emplace_back(text, 1);
    else
      ++found->second;
  }
  std::string all;
  for (const auto& [text, count] : different)
    all += (all.empty() ? "" : "; ") + text + (count > 1 ? fmt::format(" ({} x)", count) : "");
  return all;
}

void add_facts(const Parsed& json, const std::string& name, Facts& facts) {
  if (json.is_object())
    for (const auto& [part, value] : json.items()) add_facts(value, fmt::format("{}.{}", name, part), facts);
  else
    facts[name] = json.is_array() ? shortened_text(json) : text_of(json);
}

/// The lines of --version that the environment has no field of its own for, by their first word.
void add_versions(const std::string& versions, Facts& facts) {
  std::istringstream lines(versions);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find(' ');
    if (end == std::string::npos) continue;
    const std::string name = line.substr(0, end);
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (!facts.contains("environment." + lower))
      facts["versions." + name] = line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
  }
}

/// What may make the same product faster or slower: all that is the same for all modes of a run. What differs from run to run in any case
/// is left out.
Facts facts_of(const Parsed& run) {
  Facts facts;
  Parsed environment = field(run, {"environment"});
  const std::string versions = text_of(field(environment, {"versions"}));
  if (environment.is_object()) {
    for (const char* never_the_same :
         {"date", "versions", "command_line", "launch", "slurm_job", "setup", "bandwidth"})
      environment.erase(never_the_same);
    add_facts(environment, "environment", facts);
  }
  add_versions(versions, facts);
  for (const char* name : {"vectors", "order", "options"}) {
    const Parsed& value = field(run, {name});
    if (const Parsed& named = field(value, {"name"}); !named.is_null())
      facts[name] = text_of(named);
    else if (value.is_string())
      facts[name] = value.get<std::string>();
  }
  return facts;
}

/// The matrix by the name of its file, since folders differ from machine to machine, and by its size.
std::string matrix_of(const Parsed& name, const Parsed& rows, const Parsed& nonzeros, const Parsed& value) {
  const std::string path = text_of(name);
  return fmt::format("{}: {} rows, {} nonzeros, {}", std::filesystem::path(path).filename().string(),
                     text_of(rows), text_of(nonzeros), text_of(value));
}

std::vector<double> samples_of(const Parsed& mode, const std::string& where) {
  const Parsed& list = field(mode, {"samples_s"});
  if (!list.is_array())
    refuse(where,
           "it has no samples_s, without which no interval can be told: measure it again with this program");
  std::vector<double> samples;
  for (const Parsed& sample : list) {
    const double seconds = sample.is_number() ? sample.get<double>() : 0;
    if (!(seconds > 0) || !std::isfinite(seconds))
      refuse(where, "samples_s has something that is no time: " + text_of(sample));
    samples.push_back(seconds);
  }
  if (samples.size() < fewest_samples)
    refuse(
        where,
        fmt::format(
            "{} samples are too few for an interval, which takes {}: measure it again with --min-repetitions 20",
            samples.size(), fewest_samples));
  return samples;
}

/// One entry of a run's modes, with the subject as far as it is the same for all modes.
MeasuredSeries series_of(const Parsed& mode, Subject subject, const std::string& file) {
  MeasuredSeries series;
  series.subject = std::move(subject);
  series.subject.mode = text_of(field(mode, {"mode"}));
  const std::string where = fmt::format("{}: mode {} over transport {}", file, printable(series.subject.mode),
                                        printable(series.subject.transport));
  if (series.subject.mode.empty()) refuse(file, "an entry of its modes has no name");
  if (const Parsed& wrong = field(mode, {"rows_wrong"}); wrong.is_number() && wrong.get<double>() > 0)
    throw Error(ExitCode::wrong_result,
                fmt::format("{}: {} rows of its result were wrong: there is nothing to compare", where,
                            text_of(wrong)));
  series.samples_s = samples_of(mode, where);
  if (const Parsed& marks = field(mode, {"marks"}); marks.is_array())
    for (const Parsed& mark : marks) series.marks.push_back(text_of(mark));
  series.marks_reason = text_of(field(mode, {"marks_reason"}));
  series.chosen = text_of(field(mode, {"layout"}));
  return series;
}

/// Of the circumstances of a run, wherever its JSON has them.
double bandwidth_spread(const Parsed& circumstances) {
  const Parsed& spread = field(circumstances, {"bandwidth", "spread"});
  const double share = spread.is_number() ? spread.get<double>() : 0;
  return std::isfinite(share) ? share : 0;
}

/// What auto stands for, told beside the layout.
void add_chosen(MeasuredSeries& series, const std::string& asked, const std::string& taken) {
  if (asked == "auto" && !taken.empty() && taken != asked)
    series.chosen += (series.chosen.empty() ? "" : ", ") + taken;
}

void add_run(const FilePart& part, ResultsFile& file, std::vector<MeasuredSeries>& all) {
  const Parsed& run = part.json;
  const auto facts = std::make_shared<const Facts>(facts_of(run));
  if (const std::string because = text_of(field(run, {"incomplete"})); !because.empty())
    file.incomplete = because;
  const std::string format = text_of(field(run, {"format", "interior"}));
  const bool chosen_format = field(run, {"tuning", "automatic"}) == true;
  const std::string partition = text_of(field(run, {"partition", "partitioner"}));
  const std::string asked = text_of(field(run, {"partition", "asked"}));
  for (const Parsed& mode : field(run, {"modes"})) {
    Subject subject;
    subject.matrix = matrix_of(field(run, {"matrix", "name"}), field(run, {"matrix", "rows"}),
                               field(run, {"matrix", "nonzeros"}), field(run, {"matrix", "value"}));
    subject.ranks = text_of(field(run, {"environment", "ranks"}));
    subject.partition = asked.empty() ? partition : asked;
    subject.format = chosen_format ? auto_format : format;
    const std::string transport = text_of(field(mode, {"transport"}));
    subject.transport = field(mode, {"transport_chosen"}) == true ? auto_transport : transport;
    MeasuredSeries series = series_of(mode, subject, part.where);
    add_chosen(series, subject.transport, transport);
    add_chosen(series, subject.format, format);
    add_chosen(series, subject.partition, partition);
    series.bandwidth_spread = bandwidth_spread(run);
    series.facts = facts;
    all.push_back(std::move(series));
  }
}

void add_point(const FilePart& part, std::vector<MeasuredSeries>& all) {
  const Parsed& point = part.json;
  if (!field(point, {"left_out"}).is_null()) return;
  Subject subject;
  subject.matrix = matrix_of(field(point, {"matrix"}), field(point, {"rows"}), field(point, {"nonzeros"}),
                             field(point, {"value"}));
  subject.ranks = text_of(field(point, {"ranks"}));
  subject.partition = text_of(field(point, {"partition"}));
  subject.format = text_of(field(point, {"format"}));
  subject.transport = text_of(field(point, {"transport"}));
  const Parsed& mode = field(point, {"measured"});
  MeasuredSeries series = series_of(mode, subject, part.where);
  add_chosen(series, subject.transport, text_of(field(mode, {"transport"})));
  add_chosen(series, subject.format, text_of(field(point, {"storage", "interior"})));
  series.bandwidth_spread = bandwidth_spread(field(point, {"environment"}));
  series.facts = std::make_shared<const Facts>(facts_of(point));
  all.push_back(std::move(series));
}

/// What the text is, without what is nested deeper than any results are; no object where it is no JSON.
Parsed parse(const std::string& text) {
  constexpr int deepest = 32;
  const Parsed::parser_callback_t keeps = [](int depth, Parsed::parse_event_t /*event*/, Parsed& /*part*/) {
    return depth <= deepest;
  };
  return Parsed::parse(text, keeps, false);
}

/// The JSON objects of a file: one, or one in every line. A last line that a killed study has left unfinished is none.
std::vector<FilePart> parts_of(const std::string& text, const std::string& path) {
  const std::string name = printable(path);
  if (Parsed whole = parse(text); whole.is_object()) return {{std::move(whole), name}};
  std::vector<FilePart> parts;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    Parsed json = parse(line);
    if (!json.is_object()) {
      if (lines.eof() && !parts.empty()) break;
      refuse(
          where,
          "not a JSON object: compare takes what --json of a run has written, or the points of spmv_dist scale");
    }
    parts.push_back({std::move(json), where});
  }
  if (parts.empty()) refuse(name, "it is empty");
  return parts;
}

}  // namespace

ResultsFile parse_results(const std::string& text, const std::string& path) {
  ResultsFile file;
  file.path = path;
  std::vector<MeasuredSeries> all;
  for (const FilePart& part : parts_of(text, path)) {
    if (field(part.json, {"modes"}).is_array())
      add_run(part, file, all);
    else if (field(part.json, {"measured"}).is_object() || field(part.json, {"left_out"}).is_string())
      add_point(part, all);
    else
      refuse(part.where, "it has neither the modes of a run nor a point of a study");
  }
  for (MeasuredSeries& series : all) {
    const auto same = std::find_if(file.series.begin(), file.series.end(), [&](const MeasuredSeries& known) {
      return known.subject == series.subject;
    });
    if (same == file.series.end()) {
      file.series.push_back(std::move(series));
    } else {
      *same = std::move(series);
      ++file.superseded;
    }
  }
  if (file.series.empty()) refuse(printable(path), "no mode of it was measured");
  return file;
}

ResultsFile read_results(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(printable(path), "it cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) refuse(printable(path), "it cannot be read");
  return parse_results(text, path);
}

}  // namespace spmv
