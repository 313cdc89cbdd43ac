// The density of states of a matrix, and what it took.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_parts.hpp"
#include "dist/spectrum/kpm_density.hpp"

namespace spmv {

/// Moments in one mode over one transport.
struct DosOutlook {
  std::string mode;
  std::string format;
  std::string transport;       // of the halo; empty: there is none
  std::string sums_transport;  // of the sums; empty: one rank
  std::string refused;         // why it was not run; empty: it was, and everything below is known
  Moments moments;
  double seconds = 0;    // of all moments, on the slowest rank
  double product_s = 0;  // of one step: its product ...
  double sums_s = 0;     // ... and its share of a reduction over all ranks, each measured alone

  int steps() const { return moments.products - moments.range.products; }
  double a_step_s() const { return seconds / steps(); }
  double vectors_s() const { return a_step_s() - product_s - sums_s; }
};

struct DosReport : MatrixFacts {
  int ranks = 1;
  std::string backend;
  int seed = 1;
  double load_s = 0;
  double setup_s = 0;
  std::vector<DosOutlook> outlooks;
  Density density;  // of the first that was run
};

/// For people. Pure.
std::string to_text(const DosReport& report);
/// Everything, with the moments, as one JSON object. Pure.
std::string to_json(const DosReport& report);
/// The density: energy, density, and its error where there are several start vectors. Pure.
std::string to_csv(const DosReport& report);

}  // namespace spmv
