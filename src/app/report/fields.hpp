// What a run's JSON and CSV have: a table with a row for each field.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "app/report/report_json.hpp"
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

}  // namespace spmv
