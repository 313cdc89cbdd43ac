// The halo is moved in two parts, each by a transport of its own. Both transports get the whole send buffer
// and the whole halo, each with a plan of its own neighbours only.
#include <algorithm>

#include "comm/transports/make.hpp"
#include "comm/transports/node_neighbours.hpp"

namespace spmv {
namespace {

/// One of the two parts of the halo, and the transport that moves it.
struct Part {
  std::unique_ptr<HaloExchange> exchange;
  std::unique_ptr<Event> arrived;
  bool used;  // by this rank
};

class NodeAwareExchange final : public HaloExchange {
 public:
  /// Parts in the order in which they are finished.
  NodeAwareExchange(std::vector<Part> parts, const ExchangeSetup& setup)
      : parts_(std::move(parts)), queue_(setup.backend->make_queue(Priority::urgent)) {
    for (const Part& part : parts_)
      if (part.used) logged_ = &part;
  }

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    start_all([&](Part& part) { part.exchange->start(send_buffer, ready, log_of(part, log)); });
  }

  bool gathers() const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.exchange->gathers(); });
  }

  void start_gathering(const std::byte* x, const lidx* index, const Event& ready, PhaseLog* log) override {
    start_all([&](Part& part) { part.exchange->start_gathering(x, index, ready, log_of(part, log)); });
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    for (Part& part : parts_) {
      part.exchange->finish(halo, *part.arrived, log_of(part, log));
      queue_->wait(*part.arrived);  // does nothing where the part brings nothing: it is not captured
    }
    queue_->record(arrived);
  }

  void poison() override {
    for (Part& part : parts_) part.exchange->poison();
  }

  bool is_queued() const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.exchange->is_queued(); });
  }

  std::string waiting_for() const override {
    std::string all;
    for (const Part& part : parts_) {
      const std::string one = part.exchange->waiting_for();
      if (!one.empty() && !all.empty()) all += "; ";
      all += one;
    }
    return all;
  }

 private:
  /// What only queues holds nobody up. Of the others, messages to other nodes have the longer way.
  template <class Start>
  void start_all(const Start& start) {
    for (const bool queued : {true, false})
      for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
        if (part->exchange->is_queued() == queued) start(*part);
  }

  /// A log times one part: the one between nodes where this rank uses it, for it is the slower.
  PhaseLog* log_of(const Part& part, PhaseLog* log) const { return &part == logged_ ? log : nullptr; }

  std::vector<Part> parts_;
  const Part* logged_ = nullptr;
  std::unique_ptr<Queue> queue_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_node_aware_exchange(const ExchangeSetup& setup) {
  const std::vector<int> here = ranks_of_node(setup);
  ExchangeSetup within = setup, between = setup;
  within.plan = std::make_shared<const HaloPlan>(keep_neighbours(*setup.plan, here, true));
  between.plan = std::make_shared<const HaloPlan>(keep_neighbours(*setup.plan, here, false));
  const Communicator& all = setup.communicator;
  std::vector<Part> parts;
  const auto add_part = [&](int Transport::*preference, const ExchangeSetup& setup_of_part) {
    const bool used = !setup_of_part.plan->neighbours.empty();
    if (all.any_of(used)) parts.push_back({make_preferred(preference, setup_of_part, true), nullptr, used});
  };
  try {
    add_part(&Transport::within_node, within);
    add_part(&Transport::between_nodes, between);
  } catch (const AgreedError&) {
    parts.clear();  // here, where it may be Collective, and not while the exception is on its way
    throw;
  }
  if (parts.size() == 1) return std::move(parts.front().exchange);  // on every rank: it needs no second one
  return all.together([&] {
    for (Part& part : parts) part.arrived = setup.backend->make_event();
    return std::make_unique<NodeAwareExchange>(std::move(parts), setup);
  });
}

}  // namespace spmv
