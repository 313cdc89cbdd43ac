// The results of format_compare as lines of a table, as CSV, and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/format.hpp"
#include "kernels/tune/format_models.hpp"

namespace spmv {

/// Facts about a matrix, the same for all formats.
struct MatrixFacts {
  std::string name;
  gidx rows = 0;
  gidx cols = 0;
  offset nonzeros = 0;
  std::string value;     // type
  std::string backend;   // name
  std::string device;    // in words
  double copy_rate = 0;  // bytes per second
  double bytes = 0;      // effective bytes of a product
  double flops = 0;      // of a product
  std::string options;   // of the formats
};

enum class Status { ok, refused, wrong };

/// One format on one matrix. If refused, only format, status and reason are set.
struct FormatResult {
  std::string format;
  Status status = Status::ok;
  std::string reason;
  std::string choices;
  std::vector<double> seconds;   // per product, one for every round; ascending once sorted
  std::vector<double> replayed;  // the same for products replayed from a capture; empty: not measured
  int batch = 0;                 // products between two events
  double build_s = 0;            // from the block to the arrays on the device, including the order of rows
  Footprint footprint;
  Traffic traffic;
  Cost cost;

  double median() const { return seconds.empty() ? 0 : seconds[seconds.size() / 2]; }
  double replayed_median() const { return replayed.empty() ? 0 : replayed[replayed.size() / 2]; }
};

/// Names of the columns, without a line end.
std::string csv_header();
/// One line, without a line end.
std::string csv_line(const MatrixFacts& matrix, const FormatResult& result);

std::string table_header(const MatrixFacts& matrix);
std::string table_line(const MatrixFacts& matrix, const FormatResult& result);

/// The whole analysis of a matrix, except for row lengths that do not occur.
nlohmann::json analysis_json(const MatrixFacts& matrix, const Analysis& analysis, double seconds);

}  // namespace spmv
