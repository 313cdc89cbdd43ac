// What format_compare found, as lines of a table, of a CSV file, and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/format.hpp"
#include "kernels/tune/format_models.hpp"

namespace spmv {

/// The same for all formats of one matrix.
struct MatrixFacts {
  std::string name;
  gidx rows = 0;
  gidx cols = 0;
  offset nonzeros = 0;
  std::string value;     // type
  std::string backend;   // name
  std::string device;    // in words
  double copy_rate = 0;  // bytes per second
  double bytes = 0;      // effective ones of a product
  double flops = 0;      // of a product
  std::string options;   // of the formats
};

enum class Status { ok, refused, wrong };

/// One format on one matrix. Refused: only format, status and reason.
struct FormatResult {
  std::string format;
  Status status = Status::ok;
  std::string reason;
  std::string choices;
  std::vector<double> seconds;  // of a product, one for every round; ascending once sorted
  std::vector<double>
      replayed;        // the same when the products are replayed from a recording; empty: not measured
  int batch = 0;       // products between two events
  double build_s = 0;  // from the block as it is to the arrays on the device, the order of the rows included
  Footprint footprint;
  Traffic traffic;
  Cost cost;

  double median() const { return seconds.empty() ? 0 : seconds[seconds.size() / 2]; }
  double replayed_median() const { return replayed.empty() ? 0 : replayed[replayed.size() / 2]; }
};

/// Names of the columns, without line end.
std::string csv_header();
/// One line, without line end.
std::string csv_line(const MatrixFacts& matrix, const FormatResult& result);

std::string table_header(const MatrixFacts& matrix);
std::string table_line(const MatrixFacts& matrix, const FormatResult& result);

/// Everything in the analysis of a matrix; row lengths that do not occur are left out.
nlohmann::json analysis_json(const MatrixFacts& matrix, const Analysis& analysis, double seconds);

}  // namespace spmv
