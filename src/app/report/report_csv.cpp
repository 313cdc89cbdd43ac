#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/report.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

using Run = const RunReport&;
using Mode = const ModeResult&;

/// A column: its name, and its cell in the line of one mode of a run.
struct Column {
  const char* name;
  std::string (*cell)(Run run, Mode mode);
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
std::string format_names(const std::string& formats) {
  return formats.find(',') == std::string::npos ? formats : quoted(formats);
}

/// "split 0.00012", several with semicolons between them.
std::string other_layouts(Mode mode) {
  std::string text;
  for (const OtherLayout& other : mode.other_layouts)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", other.layout, other.median_s);
  return text;
}

std::string transports_tried(Run run) {
  std::string text;
  for (const TransportChoice* choice : {&run.transport_choice, &run.queued_exchange_choice})
    for (const TransportReport& report : choice->reports)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", report.name, to_string(report));
  return text;
}

std::string places(Run run) {
  std::string text;
  for (const std::string& place : run.places) text += (text.empty() ? "" : "; ") + place;
  return text;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> table = {
      {"matrix", [](Run r, Mode) { return quoted(r.matrix); }},
      {"rows", [](Run r, Mode) { return plain(r.shape.rows); }},
      {"cols", [](Run r, Mode) { return plain(r.shape.cols); }},
      {"nonzeros", [](Run r, Mode) { return plain(r.partition.nonzeros); }},
      {"value", [](Run r, Mode) { return r.value; }},
      {"ranks", [](Run r, Mode) { return plain(r.ranks); }},
      {"nodes", [](Run r, Mode) { return plain(r.nodes); }},
      {"backend", [](Run r, Mode) { return r.backend; }},
      {"format", [](Run r, Mode) { return format_names(r.format); }},
      {"boundary_format", [](Run r, Mode) { return format_names(r.boundary_format); }},
      {"block_rows", [](Run r, Mode) { return plain(r.block_rows); }},
      {"partition", [](Run r, Mode) { return r.partitioner; }},
      {"seed", [](Run r, Mode) { return plain(r.seed); }},
      {"transport", [](Run, Mode m) { return m.transport; }},
      {"vectors", [](Run r, Mode) { return r.vectors; }},
      {"mode", [](Run, Mode m) { return m.mode; }},
      {"layout", [](Run, Mode m) { return plain(m.layout); }},
      {"other_layouts", [](Run, Mode m) { return other_layouts(m); }},
      {"median_s", [](Run, Mode m) { return plain(m.median_s); }},
      {"median_low_s", [](Run, Mode m) { return plain(m.median_low_s); }},
      {"median_high_s", [](Run, Mode m) { return plain(m.median_high_s); }},
      {"min_s", [](Run, Mode m) { return plain(m.min_s); }},
      {"p95_s", [](Run, Mode m) { return plain(m.p95_s); }},
      {"repetitions", [](Run, Mode m) { return plain(m.repetitions); }},
      {"waited_for_core", [](Run, Mode m) { return plain(m.waited_for_core); }},
      {"marks", [](Run, Mode m) { return fmt::format("{}", fmt::join(m.marks, " ")); }},
      {"marks_reason", [](Run, Mode m) { return quoted(m.marks_reason); }},
      {"gflops", [](Run, Mode m) { return plain(m.gflops); }},
      {"effective_gbytes_per_s", [](Run, Mode m) { return plain(m.gbytes_per_s); }},
      {"halo_alone_s", [](Run, Mode m) { return plain(m.halo_alone_s); }},
      {"hidden_share", [](Run, Mode m) { return plain(m.hidden_share); }},
      {"overlap_limited_by", [](Run, Mode m) { return quoted(m.overlap.limit); }},
      {"rows_wrong", [](Run, Mode m) { return plain(m.rows_wrong); }},
      {"verified", [](Run, Mode m) { return plain(m.verified); }},
      {"format_options", [](Run r, Mode) { return quoted(describe(r.tuning.decision.options)); }},
      {"tuned", [](Run r, Mode) { return plain(r.tuning.automatic); }},
      {"tuning_s", [](Run r, Mode) { return plain(r.tuning.seconds); }},
      {"tuning_products", [](Run r, Mode) { return plain(r.tuning.cost_in_products); }},
      {"tuning_reason", [](Run r, Mode) { return quoted(r.tuning.decision.reason); }},
      {"transport_reason", [](Run r, Mode) { return quoted(r.transport_choice.reason); }},
      {"transports_tried", [](Run r, Mode) { return quoted(transports_tried(r)); }},
      {"incomplete", [](Run r, Mode) { return quoted(r.incomplete); }},
      {"date", [](Run r, Mode) { return r.date; }},
      {"command_line", [](Run r, Mode) { return quoted(r.command_line); }},
      {"versions", [](Run r, Mode) { return quoted(r.versions); }},
      {"places", [](Run r, Mode) { return quoted(places(r)); }},
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
