// What a run measures, as plain data. It is decided from the options before anything is built.
//
//   --mode vector,task --transport staged,p2p    vector has one layout, task three (--layout auto)
//
//   layout  mode    transport   slot       A layout is built once, and kept while there is memory for the next ones.
//   merged  vector  staged      0          For one transport after the other, all modes in all layouts that are kept
//                   p2p         1          are measured in turns.
//           task    staged      2          The report has one result per slot: of the measurements of a slot, here
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
  std::size_t slot = 0;                // of its result; slots are in the order of the report
};

/// Sorted by layout in the order of building, then by mode, then by transport.
using Plan = std::vector<Measurement>;

/// The plan for these options. `halo`: whether any rank needs elements of x of another one; if not, all layouts are the
/// same, and each mode is measured in its standard one. Pure.
Plan make_plan(const RunOptions& options, bool halo);

/// The layouts of a plan, in the order of the plan. Pure.
std::vector<std::string> layouts_of(const Plan& plan);
/// The measurements of a plan in one layout. Pure.
Plan measured_in(const Plan& plan, const std::string& layout);
/// Whether every mode that the plan measures in this layout is measured in another one as well. Pure.
bool can_do_without(const Plan& plan, const std::string& layout);
/// The plan without one of its layouts. Pure.
Plan without(const Plan& plan, const std::string& layout);

}  // namespace spmv
