#include <cmath>

#include "app/compare/comparison.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "fuzz/harness.hpp"

namespace spmv::fuzz {

void results(std::string_view input) {
  ResultsFile file;
  try {
    file = parse_results(std::string(input), "r.json");
  } catch (const Error& error) {
    require(error.code() == ExitCode::input || error.code() == ExitCode::wrong_result, error.what());
    return;
  }
  require(!file.series.empty(), "a file without a measurement");
  const Comparison comparison = compare(file, file, 0.5);
  require(comparison.series.size() == file.series.size(), "a measurement that is not its own counterpart");
  require(comparison.differences.empty(), "a file that differs from itself");
  require(comparison.only_before.empty() && comparison.only_after.empty(),
          "a measurement without a counterpart");
  for (const ComparedSeries& series : comparison.series) {
    const MedianRatio& speed = series.speed;
    require(speed.ratio == 1, "a series that is not as fast as itself");
    require(speed.low <= 1 && speed.high >= 1 && speed.low > 0, "an interval without the ratio");
  }
  const std::string text = to_text(comparison);
  require(text == printable_lines(text), "a comparison that is not printable");
  require(!to_json(comparison).empty(), "a comparison without JSON");
}

}  // namespace spmv::fuzz
