#include "comm/choose/choose_transport.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "comm/choose/child_trial.hpp"
#include "core/pick.hpp"

namespace spmv {
namespace {

/// What became of trials in processes of their own, by the transport that was tried.
using ChildTrials = std::map<std::string, ChildTrial>;

/// Whether an exchange of this transport may fault here: on a real device only, and only if the transport
/// that may fault, which for node_aware is one of those that it uses, is usable at all. Collective.
bool may_fault(const Transport& transport, const ExchangeSetup& setup, const std::vector<Transport>& table) {
  if (transport.may_fault == nullptr) return false;
  const bool on_device = !setup.backend->runs_host_code();
  if (!setup.communicator.any_of(on_device)) return false;
  return pick(table, transport.may_fault, "transport").why_unusable(setup).empty();
}

/// What a process needs to start, load libraries and find its device, before it tries anything.
constexpr double process_start_s = 20;

void announce(const TransportRequest& request, const std::string& step, double at_most_s) {
  if (request.announce) request.announce(step, at_most_s);
}

/// One trial per node, in a process of its own. Returns, on every rank, a trial that did not work if there is
/// one. What was tried before is not tried again. Collective.
const ChildTrial& try_apart(const Transport& transport, const ExchangeSetup& setup,
                            const TransportRequest& request, ChildTrials& trials) {
  const auto [at, is_new] = trials.try_emplace(transport.may_fault);
  if (!is_new) return at->second;
  const double limit_s = process_start_s + request.limit_s;
  announce(request, fmt::format("trying transport {} in a process of its own", transport.may_fault), limit_s);
  ChildTrial mine;
  if (request.child_command.empty()) {
    mine = {ChildTrial::End::unable, "may fault, and this program cannot try it in a process of its own"};
  } else if (setup.node.rank() == 0) {
    std::vector<std::string> command = request.child_command;
    command.insert(command.end(), {transport.may_fault, setup.backend->name()});
    mine = try_in_child(command, limit_s);
  }
  // A failure on any node weighs more than a node that could not try.
  for (const auto end : {ChildTrial::End::unable, ChildTrial::End::failed}) {
    const std::string reason = setup.communicator.first_text(mine.end == end ? mine.reason : std::string());
    if (!reason.empty()) at->second = {end, reason};
  }
  return at->second;
}

/// Why a transport is not worth its start after these reports, which are the same on every rank; empty where it is.
/// None can save more than the fastest exchange that works already. That must be a queued one, so that no mode lacks
/// a transport. Pure.
std::string why_not_worth_starting(const Transport& transport, const std::vector<TransportReport>& earlier,
                                   double products) {
  if (products == 0 || transport.usual_start_s == 0) return {};
  double least = std::numeric_limits<double>::infinity();
  for (const TransportReport& report : earlier)
    if (report.works() && report.queued_exchange) least = std::min(least, report.exchange_s);
  if (products * least >= transport.usual_start_s) return {};
  return fmt::format(
      "its library takes some {:g} s to start, and could save {:.2g} s at most in {:g} products",
      transport.usual_start_s, products * least, products);
}

/// `earlier`: the reports on what stands before it in the table. Collective.
TransportReport report_on(const Transport& transport, const ExchangeSetup& setup,
                          const TransportRequest& request, const std::vector<Transport>& table,
                          const std::vector<TransportReport>& earlier, ChildTrials& trials) {
  TransportReport report;
  report.name = transport.name;
  report.refused = transport.why_unusable(setup);
  if (report.works()) report.refused = why_not_worth_starting(transport, earlier, request.products);
  if (!report.works()) return report;
  if (may_fault(transport, setup, table)) {
    const ChildTrial& trial = try_apart(transport, setup, request, trials);
    report.tried = trial.end == ChildTrial::End::failed;
    report.refused = trial.reason;
    if (!report.works() && report.name != transport.may_fault)
      report.refused = fmt::format("{}, which it uses, {}", transport.may_fault, report.refused);
    if (!report.works()) return report;
  }
  TransportTrialLimits limits;
  limits.limit_s = request.limit_s;
  announce(request, fmt::format("trying transport {}", transport.name), transport.start_s + limits.limit_s);
  return try_transport(transport, setup, limits);
}

/// Every transport of the table, tried now or for an earlier choice. Collective.
std::vector<TransportReport> report_on_all(const ExchangeSetup& setup, const TransportRequest& request,
                                           const std::vector<Transport>& table) {
  if (request.earlier_trials && !request.earlier_trials->empty()) return *request.earlier_trials;
  ChildTrials trials;
  std::vector<TransportReport> reports;
  reports.reserve(table.size());
  for (const Transport& transport : table)
    reports.push_back(report_on(transport, setup, request, table, reports, trials));
  if (request.earlier_trials) *request.earlier_trials = reports;
  return reports;
}

constexpr const char* host_waits = "its host has to wait: it cannot be queued as a whole";

std::string why_not_queued(const Transport& transport, const ExchangeSetup& setup) {
  try {
    return transport.make(setup)->is_queued() ? "" : host_waits;
  } catch (const AgreedError& error) {
    return error.what();
  }
}

/// The first transport that can work. Only an exchange knows whether it is queued: where that matters, one is
/// made for the question. Collective.
TransportChoice first_usable(const ExchangeSetup& setup, bool needs_queued_exchange,
                             const std::vector<Transport>& table) {
  TransportChoice choice;
  for (const Transport& transport : table) {
    TransportReport report;
    report.name = transport.name;
    report.refused = transport.why_unusable(setup);
    if (report.works() && needs_queued_exchange) report.refused = why_not_queued(transport, setup);
    if (report.works()) return {transport.name, "no neighbours: nothing to move", {}};
    choice.reports.push_back(std::move(report));
  }
  return choice;
}

std::string why_none(const TransportChoice& choice, bool needs_queued_exchange) {
  std::string text = needs_queued_exchange
                         ? "no transport of those whose work can be queued as a whole works here"
                         : "no transport works here";
  for (const TransportReport& report : choice.reports)
    text += fmt::format("; {}: {}", report.name, report.refused);
  return text;
}

/// The reports with every transport refused whose exchange is not queued. Pure.
std::vector<TransportReport> refuse_unqueued(std::vector<TransportReport> reports) {
  for (TransportReport& report : reports) {
    if (!report.works() || report.queued_exchange) continue;
    TransportReport refused;
    refused.name = report.name;
    refused.refused = host_waits;
    refused.tried = report.tried;
    report = std::move(refused);
  }
  return reports;
}

/// An exchange measured by itself and the same one inside a product differ by some us. Inside the product's
/// kernel it needs no launch of its own, nor those of gather and copy, which the measured time contains.
constexpr double about = 1.1, in_kernel = 2;

/// The time of the fastest exchange. Pure.
double least_exchange(const std::vector<TransportReport>& reports) {
  double least = std::numeric_limits<double>::infinity();
  for (const TransportReport& report : reports)
    if (report.works()) least = std::min(least, report.exchange_s);
  return least;
}

/// Of the transports whose exchange takes about as long as the fastest one's, the one that delays a product
/// least. First comes an exchange that the product's kernel can contain (TransportReport::peers), then a
/// queued one, which leaves the host free, then the first in the table. nullptr where none works. Pure.
const TransportReport* fastest_transport(const std::vector<TransportReport>& reports,
                                         bool needs_queued_exchange) {
  const double least = least_exchange(reports);
  const TransportReport* best = nullptr;
  const auto rank = [](const TransportReport& report) { return 2 * report.peers + report.queued_exchange; };
  for (const TransportReport& report : reports) {
    const double within = needs_queued_exchange && report.peers ? in_kernel : about;
    if (!report.works() || report.exchange_s > within * least) continue;
    if (best == nullptr || rank(report) > rank(*best)) best = &report;
  }
  return best;
}

/// Collective; throws AgreedError.
std::unique_ptr<HaloExchange> make(const std::string& name, const ExchangeSetup& setup,
                                   bool needs_queued_exchange, const std::vector<Transport>& table) {
  std::unique_ptr<HaloExchange> exchange = pick(table, name, "transport").make(setup);
  const Communicator& all = setup.communicator;
  const bool moves = all.any_of(!setup.plan->neighbours.empty());
  if (!needs_queued_exchange || !moves || all.all_of(exchange->is_queued())) return exchange;
  exchange.reset();  // here, where it may be Collective, and not while the exception is on its way
  throw AgreedError(ExitCode::usage,
                    fmt::format("transport {} cannot be queued as a whole, its host has to wait: use "
                                "--transport auto, or another mode",
                                name));
}

/// Marks a transport as refused. False where it has no report: nothing was tried.
bool refuse(std::vector<TransportReport>& reports, const std::string& name, const std::string& reason) {
  const auto report = std::find_if(reports.begin(), reports.end(),
                                   [&](const TransportReport& each) { return each.name == name; });
  if (report == reports.end()) return false;
  TransportReport refused;
  refused.name = name;
  refused.tried = report->tried;
  refused.refused = "cannot be set up for the whole halo: " + reason;
  *report = std::move(refused);
  return true;
}

}  // namespace

TransportChoice choose_transport(const ExchangeSetup& setup, const TransportRequest& request,
                                 bool needs_queued_exchange, const std::vector<Transport>& table) {
  TransportChoice choice;
  if (!setup.communicator.any_of(!setup.plan->neighbours.empty())) {
    choice = first_usable(setup, needs_queued_exchange, table);
  } else {
    choice.reports = report_on_all(setup, request, table);
    if (needs_queued_exchange) choice.reports = refuse_unqueued(std::move(choice.reports));
    const TransportReport* best = fastest_transport(choice.reports, needs_queued_exchange);
    if (best != nullptr) {
      const auto working = std::count_if(choice.reports.begin(), choice.reports.end(),
                                         [](const TransportReport& report) { return report.works(); });
      const double least = least_exchange(choice.reports);
      choice.name = best->name;
      const char* all = needs_queued_exchange ? " and can be queued as a whole" : "";
      if (working == 1)
        choice.reason = fmt::format("the only one that works{}", all);
      else if (best->exchange_s <= least)
        choice.reason = fmt::format("the fastest for this halo of {} that work{}", working, all);
      else
        choice.reason =
            fmt::format("{} work{}; {} the fastest and {}", working, all,
                        best->exchange_s <= about * least ? "within 10 % of" : "less than twice as slow as",
                        best->peers             ? "usable inside kernels"
                        : best->queued_exchange ? "queued, so that the host does not wait"
                                                : "first in the table");
    }
  }
  if (choice.name.empty()) throw AgreedError(ExitCode::environment, why_none(choice, needs_queued_exchange));
  return choice;
}

TransportChoice accept_transport(const std::string& name, const ExchangeSetup& setup,
                                 const TransportRequest& request, const std::vector<Transport>& table) {
  const Transport& transport = setup.communicator.together([&] { return pick(table, name, "transport"); });
  const std::string reason = transport.why_unusable(setup);
  if (!reason.empty()) throw AgreedError(ExitCode::environment, reason);
  if (!request.child_command.empty() && may_fault(transport, setup, table)) {
    ChildTrials trials;
    const ChildTrial& trial = try_apart(transport, setup, request, trials);
    if (trial.end == ChildTrial::End::failed)
      throw AgreedError(ExitCode::environment, fmt::format("transport {} {}: use --transport auto",
                                                           transport.may_fault, trial.reason));
  }
  return {name, "named by the user", {}};
}

ChosenExchange set_up_transport(const std::string& name, const ExchangeSetup& setup,
                                const TransportRequest& request, bool needs_queued_exchange,
                                const std::vector<Transport>& table) {
  const std::string transport = transport_on(*setup.backend, name);
  if (transport != auto_transport) {
    TransportChoice choice = accept_transport(transport, setup, request, table);
    return {std::move(choice), make(transport, setup, needs_queued_exchange, table)};
  }
  TransportRequest shared = request;
  if (!shared.earlier_trials) shared.earlier_trials = std::make_shared<std::vector<TransportReport>>();
  while (true) {
    TransportChoice choice = choose_transport(setup, shared, needs_queued_exchange, table);
    try {
      std::unique_ptr<HaloExchange> exchange = make(choice.name, setup, needs_queued_exchange, table);
      return {std::move(choice), std::move(exchange)};
    } catch (const AgreedError& error) {
      if (!refuse(*shared.earlier_trials, choice.name, error.what())) throw;
    }
  }
}

std::string to_string(const TransportReport& report) {
  if (!report.works()) return "refused: " + report.refused;
  std::string text = fmt::format("latency {:.1f} us", report.latency_s * 1e6);
  if (report.bandwidth > 0) text += fmt::format(", {:.1f} GB/s", report.bandwidth * 1e-9);
  return text + fmt::format(", {:.1f} us for this halo", report.exchange_s * 1e6);
}

}  // namespace spmv
