#pragma once

#include <optional>
#include <string>

#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"

namespace spmv {

/// One rank's numbers for the model.
struct ModelInput {
  double rows = 0;
  double cols = 0;  // owned elements of x
  double nonzeros = 0;
  double sent = 0;    // elements of x to neighbours
  double ghosts = 0;  // elements of x from neighbours
  double value_bytes = 8;
  double flops_per_nonzero = 2;
  bool vectors_on_host = false;
};

/// Code balance [Kreutzer 2012, Eq. 1] and T_MVM, T_PCI [Kreutzer 2012, Eq. 2], written for any value type: a
/// nonzero costs its value, a 4-byte column and alpha loads of x, a row two more elements (y read and
/// written). Pure.
Model model(const ModelInput& input, const Bandwidth& bandwidth);

/// The model of the rank with the largest T_MVM, with the largest T_halo and T_PCI of any; `mine` is this
/// rank's. Collective.
Model slowest(const Communicator& communicator, const Model& mine);

/// The alpha at which the model gives this time for one product's kernels. An alpha below the model's best
/// means that caches served loads which the model counts as loads from memory; one above 1 means that
/// something other than bandwidth limits the product. Pure.
double implied_alpha(const Model& model, double kernel_seconds);

/// Time of one product's kernels, of each the slowest rank's. Pure.
double kernel_seconds(const ModeResult& mode);

/// Why the model does not apply to this run: a format that packs or pads, a matrix in cache, an uncertain bandwidth. Empty if
/// it applies. Pure.
std::string why_no_model(const RunReport& report);

/// The alpha of a mode, or why it has none.
struct Alpha {
  std::optional<double> value;
  std::string why_not;
};

/// implied_alpha() of a mode's kernels, if the model applies to the run, the times have no marks, and the result is in the
/// range of alpha: from 1 / N_nzr to 1. Pure.
Alpha alpha_of(const RunReport& report, const ModeResult& mode);

}  // namespace spmv
