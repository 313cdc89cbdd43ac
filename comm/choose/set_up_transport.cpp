#include "comm/choose/set_up_transport.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/pick.hpp"

namespace spmv {
namespace {

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

ChosenExchange set_up_transport(const std::string& transport, const ExchangeSetup& setup,
                                const TransportRequest& request, bool needs_queued_exchange,
                                const std::vector<Transport>& table) {
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

}  // namespace spmv
