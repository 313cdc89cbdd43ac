// What a run measures, as plain data. It is decided from the options before anything is built.
//
//   --mode vector,task --transport staged,p2p    vector has one layout, task three (--layout auto)
//
//   layout  mode    transport   row        A layout is built once, and kept while there is memory for the next ones.
//   merged  vector  staged      0          For one transport after the other, all modes in all layouts that are kept
//                   p2p         1          are measured in turns.
//           task    staged      2          The report has one result per row: of the measurements of a row, here
//                   p2p         3          task over staged in three layouts, that of faster_layout().
//   split   task    staged      2
//                   p2p         3
//   parted  task    staged      2
//                   p2p         3
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/run/run.hpp"
#include "dist/layouts.hpp"

namespace spmv {

/// A mode's product, in one layout of the rows, over one transport.
struct Measurement {
  std::string mode;
  std::string layout = "merged";
  std::string transport;               // as the user named it, auto_transport included
  bool needs_queued_exchange = false;  // as the mode's row says
  bool may_be_left_out = false;        // if the transport cannot do it; otherwise the run ends with an error
  std::size_t row = 0;                 // of its result; rows are in the order of the report
};

/// Sorted by layout in the order of building, then by mode, then by transport.
using Measurements = std::vector<Measurement>;

/// The measurements for these options. `halo`: whether any rank needs elements of x of another one; if not, all layouts are the
/// same, and each mode is measured in its standard one. Pure.
Measurements list_measurements(const RunOptions& options, bool halo);

/// The layouts of the measurements, in their order. Pure.
std::vector<std::string> layouts_of(const Measurements& measurements);
/// Those in one layout. Pure.
Measurements measured_in(const Measurements& measurements, const std::string& layout);
/// Whether every mode that is measured in this layout is measured in another one as well. Pure.
bool can_do_without(const Measurements& measurements, const std::string& layout);
/// Those in other layouts. Pure.
Measurements without(const Measurements& measurements, const std::string& layout);

}  // namespace spmv
