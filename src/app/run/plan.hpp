// What a run measures, decided before anything is built: pure data, made of the options alone.
//
//   --mode vector,task --transport staged,p2p    vector has one layout, task three (--layout auto)
//
//   layout  mode    transport   slot       A layout is built once, and stays while there is memory for the others. Over
//   merged  vector  staged      0          one transport after the other, all modes in all layouts that are there are
//                   p2p         1          measured in turns.
//           task    staged      2          Measurements of one slot, here task over staged in three layouts,
//                   p2p         3          compete for one result of the report: faster_layout().
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
  std::string transport;               // as the user named it: auto_transport is one of them
  bool needs_queued_exchange = false;  // as the mode's row says
  bool may_be_left_out = false;        // where the transport cannot do it; otherwise that ends the run
  std::size_t slot = 0;  // of the result that this is measured for; slots are in the report's order
};

/// Layout by layout, in the order in which they are built; there mode by mode, there transport by transport.
using Plan = std::vector<Measurement>;

/// The plan that these options ask for. `halo`: whether any rank needs elements of x of another one; without,
/// all layouts are the same, and each mode has its standard one. Pure.
Plan make_plan(const RunOptions& options, bool halo);

/// The layouts of a plan, in its order. Pure.
std::vector<std::string> layouts_of(const Plan& plan);
/// What a plan measures in one layout. Pure.
Plan measured_in(const Plan& plan, const std::string& layout);
/// Whether every mode that the plan measures in this layout is measured in another one as well. Pure.
bool can_do_without(const Plan& plan, const std::string& layout);
/// The plan without one of its layouts. Pure.
Plan without(const Plan& plan, const std::string& layout);

/// The layouts to measure a mode in that has `layouts`, the standard one first. `asked` is the option
/// --layout; a mode that lacks the layout asked for has its standard one. `halo` as above. Pure.
std::vector<std::string> layouts_to_measure(const std::vector<std::string>& layouts, const std::string& asked,
                                            bool halo);

}  // namespace spmv
