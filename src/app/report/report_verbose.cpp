#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/mode_table.hpp"
#include "app/report/model.hpp"
#include "app/report/report.hpp"
#include "app/report/report_words.hpp"
#include "app/report/sharing_words.hpp"
#include "comm/place/cores.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

double microseconds(double seconds) {
  return seconds * 1e6;
}
double giga(double count) {
  return count * 1e-9;
}

/// Largest over ranks of a phase's median, or "-" where the mode has no such phase.
std::string phase_time(const ModeResult& mode, const std::vector<Phase>& phases) {
  double sum = 0;
  bool found = false;
  for (const PhaseStats& stats : mode.phases)
    if (std::find(phases.begin(), phases.end(), stats.phase) != phases.end()) {
      sum += stats.max;
      found = true;
    }
  return found ? fmt::format("{:.1f}", microseconds(sum)) : "-";
}

/// "-" for 0, which means that there is no rate.
std::string rate(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

/// What partition auto chose and why, with the predictions for the others, or from where a partition was read; empty if the
/// partitioner that the user named made it.
std::string partition_choice(const PartitionChoice& choice) {
  if (choice.taken.empty()) return {};
  std::string text = fmt::format("chosen       {}: {}", choice.taken, choice.reason);
  for (const auto& [partitioner, product_s] : choice.predicted)
    if (partitioner != choice.taken) text += fmt::format("; {} {:.4g} us", partitioner, product_s * 1e6);
  return text + "\n";
}

/// What format auto chose and how long that took; empty if the user named the formats.
std::string tuning(const RunReport& r) {
  if (!r.tuning.automatic) return {};
  const TuningStats& t = r.tuning;
  std::string text = fmt::format("chosen       {}\n", t.decision.reason);
  if (!t.boundary_decision.reason.empty() && r.partition.halo_total > 0)
    text += fmt::format("             boundary: {}\n", t.boundary_decision.reason);
  if (t.seconds > 0)
    text += fmt::format("             tuned in {:.3f} s, as long as {:.0f} of {:.10g} products\n", t.seconds,
                        t.cost_in_products, t.products);
  return text;
}

/// Which transports were chosen and why, and the result of every trial; empty if the user named the transport.
std::string every_transport(const RunReport& r) {
  const TransportChoice& choice =
      r.transport_choice.reports.empty() ? r.queued_exchange_choice : r.transport_choice;
  if (choice.reports.empty()) return {};
  std::string text = fmt::format("transport    {}\n", transports_taken(r));
  for (const TransportReport& report : choice.reports) {
    // Both choices use the same trials; a transport that works for the other modes only says so.
    const auto& queued = r.queued_exchange_choice.reports;
    const auto same = std::find_if(queued.begin(), queued.end(),
                                   [&](const TransportReport& other) { return other.name == report.name; });
    const bool not_queued = same != queued.end() && report.works() && !same->works();
    text += fmt::format("  transport {:<11} {}{}\n", report.name, to_string(report),
                        not_queued ? fmt::format("; not for queued products: {}", same->refused) : "");
  }
  return text;
}

/// The time to the first verified product; empty if there is none.
std::string first_product(const RunReport& r) {
  if (r.first_product_s == 0 || r.modes.empty()) return {};
  const double median = r.modes.front().median_s;
  return fmt::format(
      "first        verified product {:.2f} s after the program's start{}; at most {:.2f} GB of host memory on a rank\n",
      r.first_product_s,
      median > 0 ? fmt::format(", the time of {:.0f} products", r.first_product_s / median) : "",
      giga(r.peak_host_bytes));
}

/// Eq. 1 and 2 for the slowest rank, or why they do not apply to this run.
std::string model_lines(const RunReport& r) {
  const Model& m = r.model;
  if (const std::string why = why_no_model(r); !why.empty())
    return fmt::format("model        N_nzr {:.2f}; code balance -, T_MVM -: {}\n", m.nonzeros_per_row, why);
  return fmt::format(
      "model        N_nzr {:.2f}; code balance {:.2f} bytes/flop at alpha = 1/N_nzr, "
      "{:.2f} at alpha = 1 (Eq. 1)\n"
      "             T_MVM {:.1f} to {:.1f} us{} (Eq. 2){}\n",
      m.nonzeros_per_row, m.balance_best, m.balance_worst, microseconds(m.t_mvm_best),
      microseconds(m.t_mvm_worst), r.on_host ? "" : fmt::format(", T_PCI {:.1f} us", microseconds(m.t_pci)),
      r.on_host ? "" : fmt::format("; the halo over PCIe {:.1f} us", microseconds(m.t_halo)));
}

/// alpha with two digits, or a dash.
std::string alpha_cell(const RunReport& r, const ModeResult& mode) {
  const Alpha alpha = alpha_of(r, mode);
  return alpha.value ? fmt::format("{:.2f}", *alpha.value) : "-";
}

/// Why modes have no alpha, each reason once.
std::string alphas_missing(const RunReport& r) {
  std::vector<std::pair<std::string, std::string>> modes_by_reason;
  for (const ModeResult& mode : r.modes) {
    const std::string why = alpha_of(r, mode).why_not;
    if (why.empty()) continue;
    const auto known = std::find_if(modes_by_reason.begin(), modes_by_reason.end(),
                                    [&](const auto& each) { return each.first == why; });
    if (known == modes_by_reason.end())
      modes_by_reason.emplace_back(why, mode.mode);
    else if (known->second.find(mode.mode) == std::string::npos)
      known->second += ", " + mode.mode;
  }
  std::string text;
  for (const auto& [why, modes] : modes_by_reason) text += fmt::format("No alpha for {}: {}.\n", modes, why);
  return text;
}

/// What ranks share, and which ranks; empty if they share nothing.
std::string sharing(const Environment& e) {
  std::string text;
  if (const std::string shared = gpu_sharing(e.shared_gpus); !shared.empty())
    text += fmt::format("GPUs         {}\n", shared);
  for (const SharedGpu& gpu : e.shared_gpus)
    text +=
        fmt::format("  {} by {}: ranks {}\n", gpu.gpu, way_of_sharing(gpu.mps), fmt::join(gpu.ranks, ", "));
  if (const std::string shared = core_sharing(e.shared_cores); !shared.empty())
    text += fmt::format("cores        {}\n", shared);
  for (const SharedCores& cores : e.shared_cores)
    text += fmt::format("  cores {}: ranks {}\n", core_ranges(cores.cores), fmt::join(cores.ranks, ", "));
  return text;
}

std::string facts(const RunReport& r) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(
      out, "matrix       {}: {} x {}, {} nonzeros, {:.2f} per row, {}\n", printable(r.matrix), r.shape.rows,
      r.shape.cols, r.partition.nonzeros,
      r.shape.rows > 0 ? static_cast<double>(r.partition.nonzeros) / static_cast<double>(r.shape.rows) : 0.0,
      r.value);
  fmt::format_to(out, "             {}\n", r.description);
  fmt::format_to(out, "ranks        {} on {} node{}, backend {}{}\n", r.ranks, r.nodes,
                 r.nodes == 1 ? "" : "s", r.backend, r.on_host ? "" : ", vectors on the " + r.vectors);
  for (std::size_t rank = 0; rank < r.places.size(); ++rank)
    fmt::format_to(out, "  rank {:<5} {}\n", rank, r.places[rank]);
  text += sharing(r.environment);
  fmt::format_to(out, "loaded       in {:.2f} s", r.load_s);
  if (r.load_megabytes > 0) fmt::format_to(out, " ({:.0f} MB/s)", r.load_megabytes / r.load_s);
  if (r.reference_s > 0) fmt::format_to(out, ", reference in {:.2f} s", r.reference_s);
  fmt::format_to(out, ", partitioned in {:.2f} s, built in {:.2f} s\n", r.partition_s, r.build_s);
  text += first_product(r);
  fmt::format_to(out,
                 "partition    {} (seed {}): nonzero balance {:.3f}, edge cut {}, "
                 "halo {} in all and {} at most, neighbours {:.1f} on average and {} at most\n",
                 r.partitioner, r.seed, r.partition.nonzero_balance, r.partition.edge_cut,
                 r.partition.halo_total, r.partition.halo_largest, r.partition.average_neighbours,
                 r.partition.most_neighbours);
  text += partition_choice(r.partition_choice);
  if (!r.order.reason.empty()) fmt::format_to(out, "order        {}: {}\n", r.order.name, r.order.reason);
  fmt::format_to(out, "format       {} (boundary {}, b_r {}), transport {}\n", r.format, r.boundary_format,
                 r.block_rows, r.transport);
  text += tuning(r) + every_transport(r);
  fmt::format_to(out,
                 "footprint    {:.2f} MB in the formats of {}, {} elements stored for {} nonzeros; "
                 "ELLPACK stores {}: data reduction {:.1f} %\n",
                 r.footprint.bytes * 1e-6, r.ranks == 1 ? "one rank" : fmt::format("all {} ranks", r.ranks),
                 r.footprint.stored_elements, r.footprint.nonzeros, r.footprint.ellpack_elements,
                 100 * r.footprint.reduction());
  fmt::format_to(out, "bandwidth    copy {:.1f} GB/s{} (all ranks together)\n", giga(r.bandwidth.copy),
                 r.on_host ? ""
                           : fmt::format(", to device {:.1f} GB/s, to host {:.1f} GB/s",
                                         giga(r.bandwidth.to_device), giga(r.bandwidth.to_host)));
  return text + model_lines(r);
}

std::string transport_of(const ModeResult& mode) {
  return mode.chosen ? fmt::format("auto: {}", mode.transport) : mode.transport;
}

/// The times of modes that were measured in several layouts; empty if there are none.
std::string layouts_measured(const RunReport& r) {
  std::string text;
  for (const ModeResult& mode : r.modes) {
    if (mode.other_layouts.empty()) continue;
    const auto one = [](const std::string& layout, double seconds, gidx rows_wrong) {
      return fmt::format("{} {:.1f} us{}", layout, microseconds(seconds), rows_wrong > 0 ? " WRONG" : "");
    };
    text += fmt::format("  {:<7} {}{}", mode.mode,
                        transports_differ(r) ? fmt::format("{:<17} ", transport_of(mode)) : "",
                        one(mode.layout, mode.median_s, mode.rows_wrong));
    for (const OtherLayout& other : mode.other_layouts)
      text += ", " + one(other.layout, other.median_s, other.rows_wrong);
    text += "\n";
  }
  return text.empty() ? text
                      : "Times in each layout; the table has the fastest, or one that is wrong:\n" + text;
}

constexpr const char* how_to_read_the_table =
    "Times are the maximum over ranks, per product of several in a row; a phase's time is the largest of the ranks'\n"
    "medians, in us. naive's MPI column includes the interior product it waits for. hidden: how much of the\n"
    "communication time (gather to H2D, measured alone) the computation covered; - means that the communication takes\n"
    "less time than the measurement error. alpha: what the model needs to give the measured kernel time.\n";

std::string wide_table(const RunReport& r) {
  using Mode = const ModeResult&;
  const auto time = [](double ModeResult::*seconds) {
    return [=](Mode m) { return fmt::format("{:.1f}", microseconds(m.*seconds)); };
  };
  const auto phase = [](const std::vector<Phase>& phases) {
    return [=](Mode m) { return phase_time(m, phases); };
  };
  std::vector<ModeColumn> columns = {
      {"mode", "{:<7} ", [](Mode m) { return m.mode; }},
      {"median us", "{:>10} ", time(&ModeResult::median_s)},
      {"min us", "{:>10} ", time(&ModeResult::min_s)},
      {"p95 us", "{:>10} ", time(&ModeResult::p95_s)},
      {"GF/s", "{:>8} ", [](Mode m) { return rate(m.gflops, 2); }},
      {"GB/s", "{:>8} ", [](Mode m) { return rate(m.gbytes_per_s, 1); }},
      {"gather", "{:>8} ", phase({Phase::gather})},
      {"D2H", "{:>8} ", phase({Phase::d2h})},
      {"MPI", "{:>9} ", phase({Phase::mpi})},
      {"H2D", "{:>8} ", phase({Phase::h2d})},
      {"interior", "{:>9} ", phase({Phase::merged, Phase::interior})},
      {"boundary", "{:>9} ", phase({Phase::boundary})},
      {"hidden", "{:>7} ", [&](Mode m) { return hidden_percent(r, m); }},
      {"alpha", "{:>6}  ", [&](Mode m) { return alpha_cell(r, m); }},
      {"layout", "{:<6}  ", [](Mode m) { return m.layout; }},
      {"result", "{}", [](Mode m) { return verdict(m); }},
  };
  if (transports_differ(r))
    columns.insert(columns.begin() + 1, {"transport", "{:<17} ", [](Mode m) { return transport_of(m); }});
  return mode_table(columns, r.modes);
}

/// What stands below the table: what was left out and why, how to read it, what limited each mode, what is wrong.
std::string below_the_table(const RunReport& r) {
  std::string text;
  const auto out = std::back_inserter(text);
  const auto transport = [&](const ModeResult& mode) {
    return transports_differ(r) ? fmt::format("{:<17} ", transport_of(mode)) : std::string();
  };
  for (const LeftOut& left : r.left_out)
    fmt::format_to(out, "{:<7} {:<17} left out: {}\n", left.mode.empty() ? "every" : left.mode,
                   left.layout.empty() ? left.transport : "layout " + left.layout, left.reason);
  text += how_to_read_the_table + alphas_missing(r);
  for (const Layout<double>& layout : layouts())
    if (std::any_of(r.modes.begin(), r.modes.end(),
                    [&](const ModeResult& mode) { return mode.layout == layout.name; }))
      fmt::format_to(out, "Layout {}: {}.\n", layout.name, layout.note);
  text += layouts_measured(r);
  if (const std::string reason = not_in_turns(r); !reason.empty()) text += reason + "\n";
  if (r.partition.halo_total > 0)
    text += "What limited the overlap of communication, in the product of median time:\n";
  for (const ModeResult& mode : r.modes)
    if (r.partition.halo_total > 0 && !mode.overlap.limit.empty())
      fmt::format_to(out, "  {:<7} {}{}\n", mode.mode, transport(mode), mode.overlap.limit);
  for (const ModeResult& mode : r.modes)
    if (!mode.marks_reason.empty())
      fmt::format_to(out, "{}: mode {}{}: {}\n", fmt::join(mode.marks, ", "), mode.mode,
                     transports_differ(r) ? " over " + mode.transport : "", mode.marks_reason);
  for (const ModeResult& mode : r.modes)
    if (mode.rows_wrong > 0) text += what_is_wrong(r, mode) + "\n";
  return text;
}

}  // namespace

std::string to_verbose_text(const RunReport& report) {
  return facts(report) + "\n" + wide_table(report) + below_the_table(report) +
         (report.incomplete.empty() ? "" : why_incomplete(report) + "\n");
}

}  // namespace spmv
