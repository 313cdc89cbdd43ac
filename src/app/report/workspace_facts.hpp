// What reports of commands that solve have in common: how something ran.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/report/report_parts.hpp"
#include "app/report/run_head.hpp"
#include "dist/prepare/product_trials.hpp"

namespace spmv {

/// One mode over one transport.
struct WorkspaceFacts {
  std::string mode;
  std::string transport;            // of the halo; empty: there is none
  bool transport_chosen = false;    // by transport auto
  bool several_transports = false;  // the user named several
  std::string sums_transport;       // of the sums over all ranks; empty: one rank
  std::string layout;
  std::string format;
  std::string inner_format;   // of the matrix in single precision; empty: there is none
  std::string normalised;     // Workspace::normalisation()
  std::string shared_kernel;  // Workspace::why_no_own_kernels()
  std::string refused;        // why it cannot work here; empty: it does
  std::vector<ProductTrial>
      layout_trials;  // among which mode or layout were chosen; empty: there was no choice
};

/// An outlook, a WorkspaceFacts with more, of which nothing else is known yet. Pure.
template <class Outlook>
Outlook outlook_of(const WorkspaceFacts& facts) {
  Outlook outlook;
  static_cast<WorkspaceFacts&>(outlook) = facts;
  return outlook;
}

/// Adds all fields, or mode, transport and the reason where it was refused. Pure.
void add_facts(Json& json, const WorkspaceFacts& facts);
/// The end of such a report for people: how each mode over each transport multiplies, and whether the command ended early. Pure.
std::string end_lines(const RunHead& head, const std::vector<WorkspaceFacts>& facts);
template <class Outlook>
std::string end_lines(const RunHead& head, const std::vector<Outlook>& outlooks) {
  return end_lines(head, std::vector<WorkspaceFacts>(outlooks.begin(), outlooks.end()));
}

/// Mode and transport: the first columns of a table. Pure.
std::string columns_of(const WorkspaceFacts& facts);
/// A line of a table that says why `first_columns` was refused. Pure.
std::string refused_line(const std::string& first_columns, const WorkspaceFacts& facts);

/// A step and its parts, which are measured alone.
struct StepTimes {
  double step_s = 0;     // 0: there was none
  double product_s = 0;  // 0: parts were not measured
  double vectors_s = 0;
  double sums_s = 0;
};
/// A table of these times for each mode over each transport that was not refused, under a heading. Pure.
std::string step_table(const std::vector<std::pair<WorkspaceFacts, StepTimes>>& rows);
template <class Outlook>
std::string step_table(const std::vector<Outlook>& outlooks) {
  std::vector<std::pair<WorkspaceFacts, StepTimes>> rows;
  for (const Outlook& o : outlooks)
    rows.emplace_back(o, StepTimes{o.a_step_s(), o.product_s, o.vectors_s(), o.sums_s});
  return step_table(rows);
}

}  // namespace spmv
