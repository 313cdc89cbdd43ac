#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/report.hpp"
#include "app/report/sharing_words.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

using Report = const RunReport&;
using Row = const ModeResult&;

/// A column: its name, and its cell in the line of one mode of a run.
struct Column {
  const char* name;
  std::string (*cell)(Report run, Row mode);
};

template <class Value>
std::string plain(const Value& value) {
  return fmt::format("{}", value);
}

/// A text that may hold anything. A spreadsheet takes a cell that begins with one of a few characters for a
/// formula: an apostrophe in front keeps it a text.
std::string quoted(const std::string& text) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::string result = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) result += '\'';
  for (const char c : printable(line)) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

/// The format of all ranks needs no quotes; a list of what ranks have does.
std::string shown_formats(const std::string& formats) {
  return formats.find(',') == std::string::npos ? formats : quoted(formats);
}

/// "split 0.00012", several with semicolons between them.
std::string other_layouts(Row mode) {
  std::string text;
  for (const OtherLayout& other : mode.other_layouts)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", other.layout, other.median_s);
  return text;
}

std::string words_of_transports(Report run) {
  std::string text;
  for (const TransportChoice* choice : {&run.transport_choice, &run.queued_exchange_choice})
    for (const TransportReport& report : choice->reports)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", report.name, to_string(report));
  return text;
}

std::string places(Report run) {
  std::string text;
  for (const std::string& place : run.places) text += (text.empty() ? "" : "; ") + place;
  return text;
}

/// What ranks share, in words.
std::string sharing(Report run) {
  const std::string gpus = gpu_sharing(run.environment.shared_gpus),
                    cores = core_sharing(run.environment.shared_cores);
  return gpus + (gpus.empty() || cores.empty() ? "" : "; ") + cores;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> table = {
      {"matrix", [](Report r, Row) { return quoted(r.matrix); }},
      {"rows", [](Report r, Row) { return plain(r.shape.rows); }},
      {"cols", [](Report r, Row) { return plain(r.shape.cols); }},
      {"nonzeros", [](Report r, Row) { return plain(r.partition.nonzeros); }},
      {"value", [](Report r, Row) { return r.value; }},
      {"ranks", [](Report r, Row) { return plain(r.ranks); }},
      {"nodes", [](Report r, Row) { return plain(r.nodes); }},
      {"backend", [](Report r, Row) { return r.backend; }},
      {"format", [](Report r, Row) { return shown_formats(r.format); }},
      {"boundary_format", [](Report r, Row) { return shown_formats(r.boundary_format); }},
      {"block_rows", [](Report r, Row) { return plain(r.block_rows); }},
      {"partition", [](Report r, Row) { return r.partitioner; }},
      {"seed", [](Report r, Row) { return plain(r.seed); }},
      {"transport", [](Report, Row m) { return m.transport; }},
      {"vectors", [](Report r, Row) { return r.vectors; }},
      {"mode", [](Report, Row m) { return m.mode; }},
      {"layout", [](Report, Row m) { return plain(m.layout); }},
      {"other_layouts", [](Report, Row m) { return other_layouts(m); }},
      {"median_s", [](Report, Row m) { return plain(m.median_s); }},
      {"median_low_s", [](Report, Row m) { return plain(m.median_low_s); }},
      {"median_high_s", [](Report, Row m) { return plain(m.median_high_s); }},
      {"min_s", [](Report, Row m) { return plain(m.min_s); }},
      {"p95_s", [](Report, Row m) { return plain(m.p95_s); }},
      {"repetitions", [](Report, Row m) { return plain(m.repetitions); }},
      {"waited_for_core", [](Report, Row m) { return plain(m.waited_for_core); }},
      {"marks", [](Report, Row m) { return fmt::format("{}", fmt::join(m.marks, " ")); }},
      {"marks_reason", [](Report, Row m) { return quoted(m.marks_reason); }},
      {"gflops", [](Report, Row m) { return plain(m.gflops); }},
      {"effective_gbytes_per_s", [](Report, Row m) { return plain(m.gbytes_per_s); }},
      {"halo_alone_s", [](Report, Row m) { return plain(m.halo_alone_s); }},
      {"hidden_share", [](Report, Row m) { return plain(m.hidden_share); }},
      {"overlap_limited_by", [](Report, Row m) { return quoted(m.overlap.limit); }},
      {"rows_wrong", [](Report, Row m) { return plain(m.rows_wrong); }},
      {"verified", [](Report, Row m) { return plain(m.verified); }},
      {"format_options", [](Report r, Row) { return quoted(describe(r.tuning.decision.options)); }},
      {"tuned", [](Report r, Row) { return plain(r.tuning.automatic); }},
      {"tuning_s", [](Report r, Row) { return plain(r.tuning.seconds); }},
      {"tuning_products", [](Report r, Row) { return plain(r.tuning.cost_in_products); }},
      {"tuning_reason", [](Report r, Row) { return quoted(r.tuning.decision.reason); }},
      {"transport_reason", [](Report r, Row) { return quoted(r.transport_choice.reason); }},
      {"transports_tried", [](Report r, Row) { return quoted(words_of_transports(r)); }},
      {"incomplete", [](Report r, Row) { return quoted(r.incomplete); }},
      {"date", [](Report r, Row) { return r.date; }},
      {"command_line", [](Report r, Row) { return quoted(r.command_line); }},
      {"versions", [](Report r, Row) { return quoted(r.versions); }},
      {"places", [](Report r, Row) { return quoted(places(r)); }},
      {"sharing", [](Report r, Row) { return quoted(sharing(r)); }},
  };
  return table;
}

}  // namespace

std::string to_csv(const RunReport& report) {
  std::vector<std::string> cells;
  for (const Column& column : columns()) cells.emplace_back(column.name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const ModeResult& mode : report.modes) {
    cells.clear();
    for (const Column& column : columns()) cells.push_back(column.cell(report, mode));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace spmv
