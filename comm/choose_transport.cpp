#include "comm/choose_transport.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "comm/child_trial.hpp"
#include "comm/first_reason.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

/// What became of trials in processes of their own, by the transport that was tried.
using Trials = std::map<std::string, ChildTrial>;

/// Whether an exchange of this road may fault here. Where the device runs host code, there is no device
/// memory for a library to stumble over; what it may fault in may be unusable anyway. Collective.
bool may_fault(const Transport& road, const ExchangeSetup& setup, const std::vector<Transport>& table) {
  if (road.may_fault == nullptr) return false;
  const bool on_device = setup.backend->make_queue(Priority::normal)->stream() != nullptr;
  if (setup.communicator.max(gidx{on_device}) == 0) return false;
  return pick(table, road.may_fault, "transport").why_unusable(setup).empty();
}

/// One trial per node, in a process of its own; the first that did not work, on every rank. Collective.
const ChildTrial& try_apart(const Transport& road, const ExchangeSetup& setup, const ProbeRequest& request,
                            Trials& trials) {
  const auto [at, is_new] = trials.try_emplace(road.may_fault);
  if (!is_new) return at->second;
  ChildTrial mine;
  if (request.child_command.empty()) {
    mine = {ChildTrial::End::unable, "may fault, and this program cannot try it in a process of its own"};
  } else if (setup.node.rank() == 0) {
    std::vector<std::string> command = request.child_command;
    command.insert(command.end(), {road.may_fault, setup.backend->name()});
    mine = try_in_child(command, request.limit_s);
  }
  // A failure on any node weighs more than a node that could not try.
  for (const auto end : {ChildTrial::End::unable, ChildTrial::End::failed}) {
    const std::string reason =
        first_reason(setup.communicator, mine.end == end ? mine.reason : std::string());
    if (!reason.empty()) at->second = {end, reason};
  }
  return at->second;
}

RoadReport try_road(const Transport& road, const ExchangeSetup& setup, const ProbeRequest& request,
                    const std::vector<Transport>& table, Trials& trials) {
  RoadReport report;
  report.name = road.name;
  report.refused = road.why_unusable(setup);
  if (!report.works()) return report;
  if (may_fault(road, setup, table)) {
    const ChildTrial& trial = try_apart(road, setup, request, trials);
    report.tried = trial.end == ChildTrial::End::failed;
    report.refused = trial.reason;
    if (!report.works() && report.name != road.may_fault)
      report.refused = fmt::format("{}, which it uses, {}", road.may_fault, report.refused);
    if (!report.works()) return report;
  }
  TrialLimits limits;
  limits.limit_s = request.limit_s;
  return probe_road(road, setup, limits);
}

/// Every road of the table, tried now or for an earlier choice. Collective.
std::vector<RoadReport> try_roads(const ExchangeSetup& setup, const ProbeRequest& request,
                                  const std::vector<Transport>& table) {
  if (request.known && !request.known->empty()) return *request.known;
  Trials trials;
  std::vector<RoadReport> roads;
  for (const Transport& road : table) roads.push_back(try_road(road, setup, request, table, trials));
  if (request.known) *request.known = roads;
  return roads;
}

constexpr const char* host_waits = "its host has to wait: it cannot be queued as a whole";

std::string why_not_queued(const Transport& road, const ExchangeSetup& setup) {
  try {
    return road.make(setup)->queued() ? "" : host_waits;
  } catch (const AgreedError& error) {
    return error.what();
  }
}

/// The first that can work. What needs queued work is asked of an exchange that is made for the question.
TransportChoice first_usable(const ExchangeSetup& setup, const ProbeRequest& request,
                             const std::vector<Transport>& table) {
  TransportChoice choice;
  for (const Transport& road : table) {
    RoadReport report;
    report.name = road.name;
    report.refused = road.why_unusable(setup);
    if (report.works() && request.queued_only) report.refused = why_not_queued(road, setup);
    if (report.works()) return {road.name, "no neighbours: nothing to move", {}};
    choice.roads.push_back(std::move(report));
  }
  return choice;
}

std::string why_none(const TransportChoice& choice, bool queued_only) {
  std::string text = queued_only ? "no transport of those whose work can be queued as a whole works here"
                                 : "no transport works here";
  for (const RoadReport& road : choice.roads) text += fmt::format("; {}: {}", road.name, road.refused);
  return text;
}

/// The reports as a choice reads them that takes only what can be queued. Pure.
std::vector<RoadReport> refuse_unqueued(std::vector<RoadReport> roads) {
  for (RoadReport& road : roads) {
    if (!road.works() || road.queued) continue;
    RoadReport refused;
    refused.name = road.name;
    refused.refused = host_waits;
    refused.tried = road.tried;
    road = std::move(refused);
  }
  return roads;
}

/// Of the roads whose exchange alone takes about as long as the fastest one's, the one that holds a product
/// up least: best one that kernels can take in, then one that leaves the host free; then the table's order.
/// nullptr where none works. Pure.
const RoadReport* choose_road(const std::vector<RoadReport>& roads, bool queued_only) {
  // Exchanges alone differ from the same inside a product by some us. What a kernel takes in saves its own
  // launches and those of gather and copy, which an exchange alone shows.
  constexpr double about = 1.1, taken_in = 2;
  double least = std::numeric_limits<double>::infinity();
  for (const RoadReport& road : roads)
    if (road.works()) least = std::min(least, road.exchange_s);
  const RoadReport* best = nullptr;
  const auto rank = [](const RoadReport& road) { return 2 * road.peers + road.queued; };
  for (const RoadReport& road : roads) {
    const double within = queued_only && road.peers ? taken_in : about;
    if (!road.works() || road.exchange_s > within * least) continue;
    if (best == nullptr || rank(road) > rank(*best)) best = &road;
  }
  return best;
}

}  // namespace

TransportChoice choose_transport(const ExchangeSetup& setup, const ProbeRequest& request,
                                 const std::vector<Transport>& table) {
  TransportChoice choice;
  if (setup.communicator.max(static_cast<gidx>(setup.plan->neighbours.size())) == 0) {
    choice = first_usable(setup, request, table);
  } else {
    choice.roads = try_roads(setup, request, table);
    if (request.queued_only) choice.roads = refuse_unqueued(std::move(choice.roads));
    const RoadReport* best = choose_road(choice.roads, request.queued_only);
    if (best != nullptr) {
      const auto working = std::count_if(choice.roads.begin(), choice.roads.end(),
                                         [](const RoadReport& road) { return road.works(); });
      const bool fastest = std::none_of(
          choice.roads.begin(), choice.roads.end(),
          [=](const RoadReport& road) { return road.works() && road.exchange_s < best->exchange_s; });
      choice.name = best->name;
      const char* all = request.queued_only ? " and can be queued as a whole" : "";
      if (working == 1)
        choice.reason = fmt::format("the only one that works{}", all);
      else if (fastest)
        choice.reason = fmt::format("fastest for this halo of {} that work{}", working, all);
      else
        choice.reason = fmt::format("of {} that work{} about as fast as the fastest, and {}", working, all,
                                    best->peers    ? "kernels can take the exchange in"
                                    : best->queued ? "its host waits for nothing"
                                                   : "first in the table");
    }
  }
  if (choice.name.empty()) throw AgreedError(ExitCode::environment, why_none(choice, request.queued_only));
  return choice;
}

TransportChoice accept_transport(const std::string& name, const ExchangeSetup& setup,
                                 const ProbeRequest& request, const std::vector<Transport>& table) {
  const Transport& road = setup.communicator.together([&] { return pick(table, name, "transport"); });
  const std::string reason = road.why_unusable(setup);
  if (!reason.empty()) throw AgreedError(ExitCode::environment, reason);
  if (!request.child_command.empty() && may_fault(road, setup, table)) {
    Trials trials;
    const ChildTrial& trial = try_apart(road, setup, request, trials);
    if (trial.end == ChildTrial::End::failed)
      throw AgreedError(ExitCode::environment,
                        fmt::format("transport {} {}: use --transport auto", road.may_fault, trial.reason));
  }
  return {name, "named by the user", {}};
}

std::string to_string(const RoadReport& road) {
  if (!road.works()) return "refused: " + road.refused;
  std::string text = fmt::format("latency {:.1f} us", road.latency_s * 1e6);
  if (road.bandwidth > 0) text += fmt::format(", {:.1f} GB/s", road.bandwidth * 1e-9);
  return text + fmt::format(", {:.1f} us for this halo", road.exchange_s * 1e6);
}

}  // namespace spmv
