// Both roads get the whole packed buffer and the whole halo, each with a plan of its own neighbours only.
#include "comm/transports/node_aware.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ranges>

#include "comm/node_neighbours.hpp"

namespace spmv {
namespace {

/// One of the two roads.
struct Road {
  std::unique_ptr<HaloExchange> exchange;
  std::unique_ptr<Event> arrived;
  bool used;  // by this rank
};

class NodeAwareExchange final : public HaloExchange {
 public:
  /// Roads in the order in which they are finished.
  NodeAwareExchange(std::vector<Road> roads, const ExchangeSetup& setup)
      : roads_(std::move(roads)), queue_(setup.backend->make_queue(Priority::urgent)) {
    for (const Road& road : roads_)
      if (road.used) logged_ = &road;
  }

  void start(const std::byte* packed, const Event& ready, PhaseLog* log) override {
    start_all([&](Road& road) { road.exchange->start(packed, ready, log_of(road, log)); });
  }

  bool gathers() const override {
    return std::all_of(roads_.begin(), roads_.end(),
                       [](const Road& road) { return road.exchange->gathers(); });
  }

  void start_gathering(const std::byte* x, const lidx* index, const Event& ready, PhaseLog* log) override {
    start_all([&](Road& road) { road.exchange->start_gathering(x, index, ready, log_of(road, log)); });
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    for (Road& road : roads_) {
      road.exchange->finish(halo, *road.arrived, log_of(road, log));
      queue_->wait(*road.arrived);  // does nothing where the road brings nothing: it is not recorded
    }
    queue_->record(arrived);
  }

  void poison() override {
    for (Road& road : roads_) road.exchange->poison();
  }

  bool queued() const override {
    return std::all_of(roads_.begin(), roads_.end(),
                       [](const Road& road) { return road.exchange->queued(); });
  }

  std::string waiting_for() const override {
    std::string all;
    for (const Road& road : roads_) {
      const std::string one = road.exchange->waiting_for();
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
      for (Road& road : roads_ | std::views::reverse)
        if (road.exchange->queued() == queued) start(road);
  }

  /// A log times one road: the one between nodes where this rank uses it, for it is the slower.
  PhaseLog* log_of(const Road& road, PhaseLog* log) const { return &road == logged_ ? log : nullptr; }

  std::vector<Road> roads_;
  const Road* logged_ = nullptr;
  std::unique_ptr<Queue> queue_;
};

/// The first of these transports that works here; the last one must. Collective.
template <std::size_t n>
std::unique_ptr<HaloExchange> first_usable(const std::array<const char*, n>& names,
                                           const ExchangeSetup& setup) {
  for (const char* name : names)
    for (const Transport& row : transports())
      if (std::strcmp(row.name, name) == 0 && row.why_unusable(setup).empty()) return row.make(setup);
  throw AgreedError(ExitCode::internal,
                    std::string("transport ") + names.back() + " is the last resort, but cannot work");
}

}  // namespace

std::unique_ptr<HaloExchange> make_node_aware_exchange(const ExchangeSetup& setup) {
  const std::vector<int> here = ranks_of_node(setup);
  ExchangeSetup within = setup, between = setup;
  within.plan = std::make_shared<const HaloPlan>(keep_neighbours(*setup.plan, here, true));
  between.plan = std::make_shared<const HaloPlan>(keep_neighbours(*setup.plan, here, false));
  const Communicator& all = setup.communicator;
  std::vector<Road> roads;
  const auto add_road = [&](const auto& names, const ExchangeSetup& part) {
    const bool used = !part.plan->neighbours.empty();
    if (all.max(gidx{used}) > 0) roads.push_back({first_usable(names, part), nullptr, used});
  };
  add_road(std::array{"p2p", "shm"}, within);
  add_road(std::array{"gpu_aware", "staged"}, between);
  if (roads.size() == 1) return std::move(roads.front().exchange);  // on every rank: it needs no second one
  return all.together([&] {
    for (Road& road : roads) road.arrived = setup.backend->make_event();
    return std::make_unique<NodeAwareExchange>(std::move(roads), setup);
  });
}

}  // namespace spmv
