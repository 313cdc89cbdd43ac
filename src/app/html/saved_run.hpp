// The results of runs, read back from the files in which they were kept.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_json.hpp"

namespace spmv::html {

/// One run's JSON: `environment` with a number of ranks, `matrix` and `modes`, all of the right type; whatever else is in it may be
/// missing or wrong. Of weak scaling, `grows_as` is the matrix with the number of ranks left open.
struct SavedRun {
  std::string source;  // file, with the line if it has several runs
  Json json;
};

/// What this text holds: one run, or with `lines` one on every line that is not empty; points of a scaling study that follow each other and
/// are of one run become that run. Throws Error(input), naming `source`, where it
/// holds something else. Pure.
std::vector<SavedRun> parse_runs(const std::string& text, const std::string& source, bool lines);

/// The runs of all files, in their order; those whose names end in .jsonl have one a line. Throws Error(input) where a file cannot be
/// read, or holds something else. Local.
std::vector<SavedRun> read_runs(const std::vector<std::string>& files);

}  // namespace spmv::html
