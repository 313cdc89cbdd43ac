// Searches for a format with times that the test sets.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tune/search.hpp"

namespace spmv::test {

inline constexpr double us = 1e-6;

/// A candidate predicted to take `product` seconds per product and `build` to build.
inline Candidate candidate(const std::string& format, double product, double build) {
  Candidate c;
  c.format = format;
  c.cost.bytes = c.cost.moved_bytes = 1e6;
  c.predicted = {product, product / 2, build};
  return c;
}

/// The true times of formats, and which of them the search tried.
struct Truth {
  std::map<std::string, double> product_s;
  std::map<std::string, std::string> refused;
  std::vector<std::string> tried;
  std::optional<Candidate> kept;
  double build_s = 0;
  std::function<double(const FormatOptions&)> factor = [](const FormatOptions&) { return 1.0; };
};

/// A search whose trials return the times in `truth`, which must outlive it.
inline SearchRequest request(double products, std::vector<Candidate> candidates, Truth& truth) {
  SearchRequest r;
  r.products = products;
  r.free_bytes = 1e9;
  r.candidates = std::move(candidates);
  r.attempt = [&truth](const Candidate& c, double batch_s, double keep_below_s) {
    truth.tried.push_back(c.format);
    Attempt attempt;
    if (truth.refused.contains(c.format)) {
      attempt.refused = truth.refused[c.format];
      return attempt;
    }
    attempt.measured_s = truth.product_s.at(c.format) * truth.factor(c.options);
    const bool there = truth.kept && truth.kept->format == c.format &&
                       need_the_same_arrays(c.format, truth.kept->options, c.options);
    attempt.build_s = there ? 0 : truth.build_s;
    attempt.spent_s = attempt.build_s + timed_batches * batch_s;
    attempt.launched = c.options;
    if (c.options.threads_per_row == 0) attempt.launched.threads_per_row = 4;
    if (c.options.threads_per_block == 0) attempt.launched.threads_per_block = 256;
    if (c.options.unroll == 0) attempt.launched.unroll = 4;
    if (attempt.measured_s < keep_below_s) truth.kept = c;
    return attempt;
  };
  return r;
}

inline std::vector<Candidate> three() {
  return {candidate("csr", 300 * us, 0.1), candidate("sell_packed", 150 * us, 0.2),
          candidate("pjds", 250 * us, 0.3)};
}

}  // namespace spmv::test
