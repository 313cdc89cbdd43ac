// Moves one halo along a plan. A transport is one implementation; comm/transports.cpp is the table.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/halo_plan.hpp"
#include "core/backend.hpp"
#include "core/phase_log.hpp"

namespace spmv {

/// What every transport is made from. Element size in bytes: comm knows no value type.
struct ExchangeSetup {
  Communicator communicator;
  std::shared_ptr<const HaloPlan> plan;
  std::shared_ptr<Backend> backend;
  std::size_t element_bytes = 0;
};

/// Owns requests and staging memory. One exchange at a time: start, finish, start, finish, ...
/// Both calls of one exchange may come from another thread than the last, if calls never overlap.
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  /// `packed`: device memory with the plan's send_total() elements, complete when `ready` is reached. Returns
  /// when the messages are on their way; `packed` may be overwritten only after finish().
  virtual void start(const std::byte* packed, const Event& ready, PhaseLog* log) = 0;
  /// Waits for the messages and queues their way to `halo` (device memory, the plan's ghosts), which is
  /// complete when `arrived` is reached.
  virtual void finish(std::byte* halo, Event& arrived, PhaseLog* log) = 0;
  /// Fills the transport's own memory with 0xff bytes (NaN in every value type): stale data cannot pass a
  /// test.
  virtual void poison() = 0;
};

/// Table row: a transport by name.
struct Transport {
  const char* name;
  const char* summary;
  /// Collective; throws AgreedError.
  std::unique_ptr<HaloExchange> (*make)(const ExchangeSetup& setup);
};

const std::vector<Transport>& transports();

}  // namespace spmv
