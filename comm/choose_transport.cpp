#include "comm/choose_transport.hpp"

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
  limits.queued_only = request.queued_only;
  return probe_road(road, setup, limits);
}

std::string why_not_queued(const Transport& road, const ExchangeSetup& setup) {
  try {
    return road.make(setup)->queued() ? "" : "its host has to wait: it cannot be queued as a whole";
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

}  // namespace

TransportChoice choose_transport(const ExchangeSetup& setup, const ProbeRequest& request,
                                 const std::vector<Transport>& table) {
  TransportChoice choice;
  if (setup.communicator.max(static_cast<gidx>(setup.plan->neighbours.size())) == 0) {
    choice = first_usable(setup, request, table);
  } else {
    Trials trials;
    for (const Transport& road : table) choice.roads.push_back(try_road(road, setup, request, table, trials));
    const RoadReport* best = nullptr;
    constexpr double clearly = 0.98;
    int working = 0;
    for (const RoadReport& road : choice.roads) {
      if (!road.works()) continue;
      ++working;
      if (best == nullptr || road.exchange_s < clearly * best->exchange_s) best = &road;
    }
    if (best != nullptr) {
      choice.name = best->name;
      choice.reason = working == 1 ? "the only one that works"
                                   : fmt::format("fastest for this halo of {} that work", working);
      if (request.queued_only) choice.reason += " and can be queued as a whole";
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
