// Moves one halo along a plan. A transport is one implementation; comm/transports.cpp is the table.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/halo_plan.hpp"
#include "core/backend.hpp"
#include "core/peer_memory.hpp"
#include "core/phase_log.hpp"

namespace spmv {

/// What every transport is made from. An element is element_bytes bytes: comm knows no value type.
struct ExchangeSetup {
  Communicator communicator;
  Communicator node;  // the ranks of `communicator` that share this rank's memory
  std::shared_ptr<const HaloPlan> plan;
  std::shared_ptr<Backend> backend;
  std::size_t element_bytes = 0;
  /// Tag of its first message between two ranks; others follow. Exchanges that are under way together on one communicator need
  /// tags far apart, or else their messages meet.
  int first_tag = 2;
};

/// One rank's end of a halo exchange. Owns what it takes: requests, staging memory, mailboxes. One exchange at
/// a time: start, finish, start, finish, and so on. Different exchanges may be driven by different threads,
/// as long as calls never overlap.
///
///   the caller    record `ready` ─► start(send_buffer, ready) ┄┄ interior product ┄┄ finish(halo, arrived)
///   this object                     waits for `ready`,      messages travel     brings them to the halo,
///                                   sends                                       records `arrived`
///   the caller                                     boundary product, on a queue that waits for `arrived` ◄─┘
///
/// Every rank starts and finishes the same exchanges in the same order. start and finish throw Error if MPI
/// or the device fails, on the rank that it happens to: the others do not learn of it. `log`, where not
/// nullptr, records when the phases d2h, mpi and h2d begin and end (mpi: the transfer, whatever moves it).
/// Construction is Collective, and destruction may be: all ranks destroy theirs together, with no exchange
/// under way. Before it overwrites the halo, finish() has waited for `ready`, and thus for the last product
/// that reads the halo.
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  /// `send_buffer`: device memory with the plan's send_total() elements, complete when `ready` is reached.
  /// Returns when the messages are on their way; the buffer may be overwritten only after finish().
  virtual void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) = 0;
  /// Whether the exchange can read x directly: call start_gathering() instead of start().
  virtual bool gathers() const { return false; }
  /// As start(), with x[index[k]] as element k of the send buffer, both in device memory. x may be
  /// overwritten only after finish(), and after what waits for its `arrived`.
  virtual void start_gathering(const std::byte* x, const lidx* index, const Event& ready, PhaseLog* log);
  /// Waits for the messages, unless is_queued(), and queues their copy to `halo` (device memory, the plan's
  /// ghosts), which is complete when `arrived` is reached. A queued exchange has read the send buffer, or x, by then, not when
  /// this returns. Where this rank receives nothing `arrived` may stay unrecorded: then waiting for it does
  /// nothing.
  virtual void finish(std::byte* halo, Event& arrived, PhaseLog* log) = 0;
  /// Fills the transport's own memory with 0xff bytes (NaN in every value type): stale data cannot pass a
  /// test. Between exchanges. Local.
  virtual void poison() = 0;
  /// Whether this is a queued exchange: start and finish only queue work. They wait for nothing, and a queue
  /// can capture them to be replayed. Otherwise the host waits for messages inside them.
  virtual bool is_queued() const { return false; }
  /// For a product that exchanges its halo inside its own kernel, in place of start and finish: where that
  /// kernel stores elements for the neighbours, and which flags it waits for. nullptr where that cannot be.
  /// Valid as long as the exchange lives.
  virtual const PeerView* peers() const { return nullptr; }
  /// What the exchange under way waits for at this moment, such as "messages from ranks 1 and 3"; empty:
  /// nothing. A queued exchange does not learn when messages come, and may name all neighbours. Local, any
  /// thread.
  virtual std::string waiting_for() const { return {}; }
};

/// Collective; throws AgreedError.
using MakeExchange = std::unique_ptr<HaloExchange>(const ExchangeSetup& setup);
/// Empty where an exchange can be made, otherwise the reason and the fix, the same text on every rank. Looks at what the
/// machine says of itself, and moves no halo. Collective.
using WhyUnusable = std::string(const ExchangeSetup& setup);

/// Table row: a transport by name.
struct Transport {
  const char* name;
  const char* summary;
  WhyUnusable* why_unusable;
  MakeExchange* make;
  /// Name of the row that this one's name stands for with backend host. nullptr: the name is its own.
  const char* on_host = nullptr;
  /// Name of the table row, this one or one that it uses, that may crash or hang inside a library when it
  /// exchanges device memory. It is tried in a process of its own first (choose/child_trial.hpp). nullptr: none.
  const char* may_fault = nullptr;
  /// Seconds that its library may need before the first exchange. The limit of a trial starts after them.
  double start_s = 0;
  /// Seconds that its library usually needs for that; auto skips the transport if that is not worth it.
  double usual_start_s = 0;
  /// How much make_preferred() prefers it for neighbours on the same node, and for those on other nodes. 0: never taken.
  int within_node = 0;
  int between_nodes = 0;
};

/// The table of all transports. Between equals the first is taken: put the one first that needs less.
const std::vector<Transport>& transports();

/// The name of the transport that is meant by `name`, which need not be one, with this backend. Pure.
std::string transport_on(const Backend& backend, const std::string& name);

/// An exchange by the transport with the largest `preference`, Transport::within_node or between_nodes, of those that can be
/// set up. `may_fault`: whether those count that may fault. Collective; throws AgreedError(environment) with all reasons
/// where none can.
std::unique_ptr<HaloExchange> make_preferred(int Transport::*preference, const ExchangeSetup& setup,
                                             bool may_fault);

/// Transport::why_unusable of a transport that can work anywhere: empty.
std::string always_usable(const ExchangeSetup& setup);

}  // namespace spmv
