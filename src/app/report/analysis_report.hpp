// spmv_dist analyze: what a matrix looks like to storage formats, and what each of them would cost.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_parts.hpp"
#include "kernels/tune/analysis.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// What is expected of one format on this matrix.
struct Outlook {
  std::string format;
  Cost cost;
  Prediction predicted;
  std::string refused;  // why it cannot hold the matrix here; empty if it can
};

struct AnalysisReport : MatrixFacts {
  std::string place;  // host name, device, cores
  double bandwidth = 0;
  double load_s = 0;
  double analysis_s = 0;
  double products = 0;
  double flops = 0;  // of one product
  Analysis analysis;
  offset empty_rows = 0;
  std::vector<Outlook> outlooks;  // in the table's order
  Decision decision;
};

/// Rows counted by their length.
struct LengthBin {
  offset first = 0;  // lengths first to last
  offset last = 0;
  offset rows = 0;
};

/// At most 20 bins over all lengths: one for each length, or of equal width, or, where the longest row is far
/// beyond the mean, each twice or four times as wide as the one before. Pure.
std::vector<LengthBin> length_bins(const Analysis& analysis);

/// For people. Pure.
std::string to_text(const AnalysisReport& report);

/// Everything, as one JSON object. Pure.
std::string to_json(const AnalysisReport& report);

}  // namespace spmv
