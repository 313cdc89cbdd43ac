// From a transport's name, or auto, to an exchange that moves the halo.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/choose/choose_transport.hpp"
#include "comm/halo_exchange.hpp"

namespace spmv {

/// What moves a halo, and why.
struct ChosenExchange {
  TransportChoice choice;
  std::unique_ptr<HaloExchange> exchange;
};

/// Sets up the transport of this name, or for auto_transport the one that choose_transport() takes. What works in a trial
/// may still fail for the whole halo, for want of memory or of open files: then auto takes the next best, and the reports
/// say why. With `needs_queued_exchange` the exchange is queued, unless no rank has neighbours. Collective; throws
/// AgreedError: for a name as accept_transport() does, or with the reason why it cannot be set up; for auto where none is
/// left.
ChosenExchange set_up_transport(const std::string& transport, const ExchangeSetup& setup,
                                const TransportRequest& request, bool needs_queued_exchange,
                                const std::vector<Transport>& table = transports());

}  // namespace spmv
