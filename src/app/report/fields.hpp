// What a run's JSON and CSV have: a table with a row for each field.
#pragma once

#include <functional>
#include <type_traits>
#include <vector>

#include "app/report/report_parts.hpp"
#include "app/report/run_report.hpp"

namespace spmv {

/// A column of the CSV.
struct CsvColumn {
  const char* name = nullptr;  // nullptr: the field is not in the CSV
  bool quoted = false;         // a text that may hold anything
};

/// A field of the report: of the run, or of each mode.
struct Field {
  /// `value` is a function of a RunHead, of a RunReport, or of a RunReport and one of its modes.
  template <class Value>
  Field(const char* in_json, CsvColumn column, const Value& value) : path(in_json), csv(column) {
    if constexpr (std::is_invocable_v<Value, const RunHead&>) of_head = value;
    if constexpr (std::is_invocable_v<Value, const RunReport&>)
      of_run = value;
    else
      of_mode = value;
  }

  const char*
      path;  // in the JSON of the run or of a mode, as a JSON pointer; empty: the field is not in the JSON
  CsvColumn csv;
  // A discarded value: this run has no such field.
  std::function<Json(const RunHead&)> of_head;                       // empty: not of the head
  std::function<Json(const RunReport&)> of_run;                      // empty: of a mode
  std::function<Json(const RunReport&, const ModeResult&)> of_mode;  // empty: of the run
};

/// All of them, in the order of the CSV's columns.
const std::vector<Field>& fields();

/// The sections of a report's JSON that hold its head. Pure.
Json head_json(const RunHead& head);

/// Adds the value where the field is in the JSON, unless it is discarded. Pure.
void put(Json& json, const Field& field, Json value);

/// The section `pictures` of a run's JSON, which src/python/spmv_dist/schema.json describes: what was collected, and of every
/// mode the timeline of one product, of a few ranks. Pure.
Json pictures_json(const RunReport& report);

/// The timelines of all modes as events of Chrome's trace format: a process for every rank, a thread for
/// everything that can work beside the rest (kernels, copies each way, the host thread that moves messages),
/// arrows along the halo's way, modes one after the other on the time axis. Pure.
Json trace_events(const RunReport& report);

}  // namespace spmv
