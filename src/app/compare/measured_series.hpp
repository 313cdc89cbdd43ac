// What was measured, as files of results have it: those that --json writes, and the points of command scale.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// What was measured: two series with the same subject can be compared.
struct Subject {
  std::string matrix;     // name without folder, size and value type
  std::string ranks;      // a number
  std::string partition;  // this and the next two as the user asked for them: auto stays auto
  std::string format;
  std::string transport;
  std::string mode;

  auto operator<=>(const Subject&) const = default;
};

/// What is known of the circumstances, by dotted names such as "environment.driver".
using Facts = std::map<std::string, std::string>;

struct MeasuredSeries {
  Subject subject;
  std::vector<double> samples_s;   // seconds per product
  std::vector<std::string> marks;  // what makes the series doubtful, in single words
  std::string marks_reason;        // the same in a sentence
  std::string chosen;              // what stands behind auto: layout, transport and format
  double bandwidth_spread = 0;     // of the machine's own copies, see Bandwidth::spread; 0: not told
  std::shared_ptr<const Facts> facts;
};

struct ResultsFile {
  std::string path;
  std::vector<MeasuredSeries> series;  // one for each subject: of several the last in the file
  std::size_t superseded = 0;          // so many that another one followed
  std::string incomplete;              // why a run ended early; empty: none did
};

/// Reads what --json of a run has written, or a file with a point in every line. `path`: also for messages. Throws Error(input) that
/// names file, mode and mend: for what is no such file, for a series without samples or with too few, and Error(wrong_result) where a
/// product was wrong. Local.
ResultsFile read_results(const std::string& path);

/// The same of a text that has been read. Pure.
ResultsFile parse_results(const std::string& text, const std::string& path);

}  // namespace spmv
