// What a run's JSON and CSV have: a table with a row for each field.
#pragma once

#include <functional>
#include <utility>
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
  using OfRun = std::function<Json(const RunReport&)>;
  using OfMode = std::function<Json(const RunReport&, const ModeResult&)>;

  Field(const char* in_json, CsvColumn column, OfRun value)
      : path(in_json), csv(column), of_run(std::move(value)) {}
  Field(const char* in_json, CsvColumn column, OfMode value)
      : path(in_json), csv(column), of_mode(std::move(value)) {}

  const char*
      path;  // in the JSON of the run or of a mode, as a JSON pointer; empty: the field is not in the JSON
  CsvColumn csv;
  OfRun of_run;  // one of the two is empty; a discarded value: this run has no such field
  OfMode of_mode;
};

/// All of them, in the order of the CSV's columns.
const std::vector<Field>& fields();

/// The section `pictures` of a run's JSON, which src/python/spmv_dist/schema.json describes: what was collected, and of every mode the
/// timeline of one product, of a few ranks. Pure.
Json pictures_json(const RunReport& report);

/// The timelines of all modes as events of Chrome's trace format: a process for every rank, a thread for
/// everything that can work beside the rest (kernels, copies each way, the host thread that moves messages),
/// arrows along the halo's way, modes one after the other on the time axis. Pure.
Json trace_events(const RunReport& report);

}  // namespace spmv
