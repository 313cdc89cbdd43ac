// The sentence that says what a search has chosen, and why.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/tune/budget.hpp"

namespace spmv {

/// Whether the device has room for it. Pure.
inline bool fits(const SearchRequest& request, const FormatTrial& trial) {
  return trial.cost.bytes <= request.free_bytes;
}

/// Seconds of a product, measured or else predicted. Pure.
inline double product_seconds(const FormatTrial& trial) {
  return trial.measured_s > 0 ? trial.measured_s : trial.predicted.seconds;
}

/// "12.3 us". Pure.
std::string microseconds(double seconds);

/// " of 8 columns"; empty for one. Pure.
std::string of_columns(int columns);
/// "1 product is", "1000 products of 8 columns are". Pure.
std::string products_are(double products, int columns);

/// Why trials[best] was chosen, and from how many products on another format would be better, as far as known. Pure.
std::string explain(const SearchRequest& request, const std::vector<FormatTrial>& trials, std::size_t best,
                    const Budget& budget);

}  // namespace spmv
