// Two files of results beside each other.
#pragma once

#include <string>
#include <vector>

#include "app/compare/measured_series.hpp"
#include "app/compare/median_ratio.hpp"

namespace spmv {

/// How B's speed stands to A's in one mode.
struct ComparedSeries {
  Subject subject;
  double before_s = 0, after_s = 0;  // medians of A and B
  MedianRatio speed;                 // A's time over B's: above 1, B is faster
  std::string chosen_before, chosen_after;
  std::vector<std::string> doubts;  // marks of either series, with their reason

  bool is_slower() const { return speed.high < 1; }
  bool is_faster() const { return speed.low > 1; }
  /// Whether this is below what is asked for, and not by chance alone: the interval must show a loss, or, where more than 1 is asked for,
  /// end below that.
  bool fails(double min_ratio) const {
    return is_below(min_ratio) && speed.high < (min_ratio > 1 ? min_ratio : 1);
  }
  bool is_below(double min_ratio) const { return speed.ratio < min_ratio; }
};

/// A fact that is not the same in both files; empty where one has none.
struct Difference {
  std::string name, before, after;
};

struct Comparison {
  std::string before, after;  // names of the files
  double min_ratio = 0;       // 0: none
  std::vector<ComparedSeries> series;
  std::vector<std::string> only_before, only_after;  // what has no counterpart
  std::vector<Difference> differences;
  std::vector<std::string> notes;

  /// Whether the gate is closed.
  bool fails() const;
};

/// Every mode, over every transport and in every format, that both files have. Partition, format and transport need not be the same where
/// each file has one only: they are told as differences then. Throws Error(input) where the files have nothing in common. Pure.
Comparison compare(ResultsFile before, ResultsFile after, double min_ratio);

/// For people. Pure.
std::string to_text(const Comparison& comparison);

/// Everything, as one JSON object. Pure.
std::string to_json(const Comparison& comparison);

}  // namespace spmv
