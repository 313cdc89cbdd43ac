// The density of states of a matrix, and what it took.
#pragma once

#include <string>
#include <vector>

#include "app/report/workspace_facts.hpp"
#include "dist/spectrum/kpm_density.hpp"

namespace spmv {

/// Moments in one mode over one transport. Where that was refused, nothing else is known.
struct DosOutlook : WorkspaceFacts {
  Moments moments;
  double seconds = 0;    // of all moments, on the slowest rank
  double product_s = 0;  // of one step: its product ...
  double sums_s =
      0;  // ... and its share of a reduction over all ranks, each measured alone; 0: they were not

  int steps() const { return moments.products - moments.range.products; }
  double a_step_s() const { return steps() == 0 ? 0 : seconds / steps(); }
  double vectors_s() const { return a_step_s() - product_s - sums_s; }
};

struct DosReport : RunHead {
  int moments = 0;  // that were wanted of every start vector
  int vectors = 0;  // that were wanted
  int start_seed = 1;
  std::vector<DosOutlook> outlooks;
  Density density;             // of the first that has moments; empty: none has
  std::size_t density_of = 0;  // its number in `outlooks`

  /// Makes the density of the last outlook's moments, unless it is there. Local.
  void keep_first_density(int energies);
  /// How many of the start vectors and moments the density has, in words: "the density stands on 3 of 10 start vectors". Pure.
  std::string basis_of_density() const;
};

/// For people. Pure.
std::string to_text(const DosReport& report);
/// Everything, with the moments, as one JSON object. Pure.
std::string to_json(const DosReport& report);
/// Whether there is a density for a file. Pure.
bool has_table(const DosReport& report);
/// The density: energy, density, and its error where there are several start vectors. Pure.
std::string to_csv(const DosReport& report);

}  // namespace spmv
