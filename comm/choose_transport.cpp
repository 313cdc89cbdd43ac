#include "comm/choose_transport.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "comm/child_trial.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

/// Whether this transport's exchanges may fault on this device. Where the device runs host code, there is no
/// device memory for a library to stumble over.
bool may_fault(const Transport& road, const ExchangeSetup& setup) {
  return road.may_fault && setup.backend->make_queue(Priority::normal)->stream() != nullptr;
}

/// One trial per node, in a process of its own; the first that did not work, on every rank. Collective.
ChildTrial try_apart(const Transport& road, const ExchangeSetup& setup, const ProbeRequest& request) {
  if (request.child_command.empty())
    return {ChildTrial::End::unable, "may fault, and this program cannot try it in a process of its own"};
  ChildTrial mine;
  if (setup.node.rank() == 0) {
    std::vector<std::string> command = request.child_command;
    command.insert(command.end(), {road.name, setup.backend->name()});
    mine = try_in_child(command, request.limit_s);
  }
  // A failure on any node weighs more than a node that could not try.
  for (const auto end : {ChildTrial::End::failed, ChildTrial::End::unable}) {
    const std::string reason = setup.communicator.first_text(mine.end == end ? mine.reason : std::string());
    if (!reason.empty()) return {end, reason};
  }
  return {};
}

RoadReport try_road(const Transport& road, const ExchangeSetup& setup, const ProbeRequest& request) {
  RoadReport report;
  report.name = road.name;
  report.refused = road.why_unusable(setup);
  if (report.works() && setup.communicator.max(gidx{may_fault(road, setup)}) == 1)
    report.refused = try_apart(road, setup, request).reason;
  if (!report.works()) return report;
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
    for (const Transport& road : table) choice.roads.push_back(try_road(road, setup, request));
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
  if (!request.child_command.empty() && setup.communicator.max(gidx{may_fault(road, setup)}) == 1) {
    const ChildTrial trial = try_apart(road, setup, request);
    if (trial.end == ChildTrial::End::failed)
      throw AgreedError(ExitCode::environment,
                        fmt::format("transport {} {}: use --transport auto", name, trial.reason));
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
