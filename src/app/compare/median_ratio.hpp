// How one series of times stands to another.
#pragma once

#include <cstddef>
#include <vector>

namespace spmv {

/// The fewest times of a series from which the median has a 95 % interval: of five, even the least and the largest enclose it
/// with 1 - 2^-4 = 93.75 % only.
inline constexpr std::size_t fewest_samples = 6;

/// Median of the one over median of the other, with a 95 % confidence interval.
struct MedianRatio {
  double ratio = 0;
  double low = 0;
  double high = 0;
};

/// median(a) over median(b), with the percentile interval of the bootstrap [Efron, Tibshirani 1993, chapter 13]: medians of samples drawn with
/// replacement. The seed is fixed: the same times give the same interval. Both have fewest_samples times or more, all larger than 0. Pure.
MedianRatio median_ratio(std::vector<double> a, std::vector<double> b);

}  // namespace spmv
