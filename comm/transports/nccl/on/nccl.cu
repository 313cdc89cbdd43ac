// NCCL's own communicator beside MPI's, with which it is kept: making one takes about a second, so all
// exchanges over one MPI communicator share it. It is made without blocking, so that ranks that do not find
// each other cost a message instead of a hang; and every exchange begins by making the connections to its
// neighbours, by one byte each, because making one later would stop the queue, and cannot be recorded.
//
// NCCL does a communicator's operations in the order in which they were queued, on whatever streams; every
// rank must queue them in the same order. They do: exchanges are made and used by collective calls, one at a
// time.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>

#include "comm/first_reason.hpp"
#include "comm/patience.hpp"
#include "comm/transports/awaited.hpp"
#include "comm/transports/nccl/nccl.hpp"
#include "core/buffer.hpp"
#include "core/cuda_check.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_limit{20};

[[noreturn]] void fail(const std::string& doing, const std::string& reason) {
  throw Error(ExitCode::environment, "NCCL failed to " + doing + ": " + reason +
                                         "; NCCL_DEBUG=INFO shows more, or use another transport");
}

/// Calls without blocking are allowed to be under way still.
void nccl_check(ncclResult_t status, const char* doing) {
  if (status != ncclSuccess && status != ncclInProgress) fail(doing, ncclGetErrorString(status));
}

class NcclCommunicator {
 public:
  /// Of the device that is current, named `device`. Returns, or throws, within the time limit. Every rank
  /// calls it with the same id.
  NcclCommunicator(const ncclUniqueId& id, int ranks, int rank, std::string device)
      : device_(std::move(device)) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    try {
      nccl_check(ncclCommInitRankConfig(&comm_, ranks, id, rank, &config), "connect the ranks");
      settle("connect the ranks");
      make_blocking();
    } catch (...) {
      abort();
      throw;
    }
  }
  ~NcclCommunicator() {
    if (comm_ == nullptr) return;
    // Ending in order waits for the others: on the way out of one rank's failure they would not come.
    if (std::uncaught_exceptions() > 0) {
      abort();
      return;
    }
    try {
      nccl_check(ncclCommFinalize(comm_), "end");
      settle("end");
      ncclCommDestroy(std::exchange(comm_, nullptr));
      abort();  // of the first, in which nothing is under way
    } catch (...) {
      abort();
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  const std::string& device() const { return device_; }
  /// Whether it has met no failure so far. Local.
  bool works() const {
    ncclResult_t state = ncclSuccess;
    return comm_ != nullptr && ncclCommGetAsyncError(comm_, &state) == ncclSuccess && state == ncclSuccess;
  }
  ncclComm_t get() const {
    if (comm_ == nullptr) fail("use its communicator", "it was given up after a failure");
    return comm_;
  }
  /// Ends it, and what was queued to it, without the others: it is of no more use. Local.
  void abort() noexcept {
    for (ncclComm_t* comm : {&comm_, &first_, &split_})
      if (*comm != nullptr) ncclCommAbort(std::exchange(*comm, nullptr));
  }

  /// Waits until the calls so far have done, or queued, their work.
  void settle(const char* doing) const {
    await(doing, [&] { return settled(doing); });
  }
  /// Waits for the queue's work, too, which needs the other ranks.
  void finish(const Queue& queue, const char* doing) const {
    await(doing, [&] {
      if (!settled(doing)) return false;
      const cudaError_t status = cudaStreamQuery(static_cast<cudaStream_t>(queue.stream()));
      if (status != cudaErrorNotReady) cuda_check(status, doing);
      return status == cudaSuccess;
    });
  }

 private:
  /// A communicator made without blocking hands every operation to a thread of its own, some hundred us each.
  /// Now that all ranks are there, one that blocks takes its place.
  void make_blocking() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    int rank = 0;
    nccl_check(ncclCommUserRank(comm_, &rank), "connect the ranks");
    nccl_check(ncclCommSplit(comm_, 0, rank, &split_, &config), "connect the ranks");
    settle("connect the ranks");
    first_ = std::exchange(comm_, std::exchange(split_, nullptr));
  }
  template <class Done>
  static void await(const char* doing, const Done& done) {
    const Clock::time_point deadline = Clock::now() + time_limit;
    Patience patience;
    while (!done()) {
      if (Clock::now() > deadline)
        fail(doing, "nothing happened for " + std::to_string(time_limit.count()) + " s");
      patience.pause();
    }
  }
  bool settled(const char* doing) const {
    ncclResult_t state = ncclSuccess;
    nccl_check(ncclCommGetAsyncError(get(), &state), doing);
    if (state != ncclSuccess && state != ncclInProgress) fail(doing, ncclGetLastError(comm_));
    return state == ncclSuccess;
  }

  std::string device_;
  ncclComm_t comm_ = nullptr;
  ncclComm_t split_ = nullptr;  // being made; NCCL writes it when it is
  ncclComm_t first_ = nullptr;  // from which comm_ was split; others may still be splitting
};

/// Rank 0's. Collective.
ncclUniqueId shared_id(const Communicator& communicator) {
  ncclUniqueId id{};
  communicator.together([&] {
    if (communicator.rank() == 0) nccl_check(ncclGetUniqueId(&id), "name a communicator");
  });
  const std::string bytes = communicator.broadcast(std::string(id.internal, sizeof id.internal));
  std::memcpy(id.internal, bytes.data(), sizeof id.internal);
  return id;
}

/// The one kept with the MPI communicator; a new one where any rank has none that works with its device.
/// Collective.
std::shared_ptr<NcclCommunicator> kept_communicator(const ExchangeSetup& setup) {
  const Communicator& all = setup.communicator;
  const std::string device = all.together([&] { return setup.backend->device_id(); });
  std::shared_ptr<NcclCommunicator> kept = all.attached<NcclCommunicator>();
  const bool works = kept && kept->works();
  const gidx fits = works && kept->device() == device, broken = kept && !works;
  const std::vector<gidx> ranks = all.sum(std::vector<gidx>{fits, broken});
  if (ranks[0] == all.size()) return kept;
  if (kept && ranks[1] > 0) kept->abort();  // ending in order would wait for those that failed
  all.detach<NcclCommunicator>();
  kept.reset();
  const ncclUniqueId id = shared_id(all);
  kept = all.together([&] { return std::make_shared<NcclCommunicator>(id, all.size(), all.rank(), device); });
  all.attach(kept);
  return kept;
}

/// Calls that NCCL takes as one operation. A group that a failure left open would swallow all later calls.
class Group {
 public:
  explicit Group(const char* doing) : doing_(doing) { nccl_check(ncclGroupStart(), doing); }
  ~Group() {
    if (open_) ncclGroupEnd();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    open_ = false;
    nccl_check(ncclGroupEnd(), doing_);
  }

 private:
  const char* doing_;
  bool open_ = true;
};

class NcclExchange final : public HaloExchange {
 public:
  NcclExchange(const ExchangeSetup& setup, std::shared_ptr<NcclCommunicator> nccl)
      : plan_(setup.plan),
        bytes_(setup.element_bytes),
        queue_(setup.backend->make_queue(Priority::urgent)),
        nccl_(std::move(nccl)) {
    for (const Neighbour& n : plan_->neighbours) {
      from_.add(n.rank, 1);
    }
    connect(setup.backend);
  }
  ~NcclExchange() override {
    // What is queued may wait for ranks that do not come any more.
    if (std::uncaught_exceptions() > 0) nccl_->abort();
  }
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;

  void start(const std::byte* packed, const Event& ready, PhaseLog*) override {
    if (plan_->neighbours.empty()) return;
    packed_ = packed;
    queue_->wait(ready);
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    if (plan_->neighbours.empty()) return;
    from_.expect_all();
    {
      const DevicePhase phase(log, Phase::mpi, *queue_);
      or_abort([&] {
        queue_messages([&](const Neighbour& n) { return packed_ + in_bytes(n.send_offset); },
                       [&](const Neighbour& n) { return halo + in_bytes(n.receive_offset); },
                       [&](lidx count) { return in_bytes(count); });
      });
    }
    queue_->record(arrived);
  }

  void poison() override {}  // it has no memory of its own
  bool is_queued() const override { return true; }
  /// The host never learns that they have come.
  std::string waiting_for() const override { return from_.text(); }

 private:
  /// A failure ends the communicator before anything else goes: what is queued to it may wait for other
  /// ranks, and freeing memory would wait for what is queued.
  template <class Work>
  void or_abort(const Work& work) const {
    try {
      work();
    } catch (...) {
      nccl_->abort();
      throw;
    }
  }

  /// Queues all sends and receives as one operation: bytes(count) bytes at from(neighbour), and for
  /// to(neighbour).
  template <class From, class To, class Bytes>
  void queue_messages(const From& from, const To& to, const Bytes& bytes) {
    const auto stream = static_cast<cudaStream_t>(queue_->stream());
    const char* doing = "queue the halo's messages";
    ncclComm_t const comm = nccl_->get();
    Group group(doing);
    for (const Neighbour& n : plan_->neighbours) {
      if (n.send_count > 0)
        nccl_check(ncclSend(from(n), bytes(n.send_count), ncclChar, n.rank, comm, stream), doing);
      if (n.receive_count > 0)
        nccl_check(ncclRecv(to(n), bytes(n.receive_count), ncclChar, n.rank, comm, stream), doing);
    }
    group.end();
    nccl_->settle(doing);
  }

  /// One byte to and from every neighbour that more will come to and from.
  void connect(const std::shared_ptr<Backend>& backend) {
    if (plan_->neighbours.empty()) return;
    Buffer<std::byte> out(backend, 1, Memory::device), in(backend, plan_->neighbours.size(), Memory::device);
    const Neighbour* first = plan_->neighbours.data();
    or_abort([&] {
      queue_messages([&](const Neighbour&) { return out.data(); },
                     [&](const Neighbour& n) { return in.data() + (&n - first); },
                     [](lidx) { return std::size_t{1}; });
      nccl_->finish(*queue_, "connect neighbours");
    });
  }

  std::size_t in_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }

  std::shared_ptr<const HaloPlan> plan_;
  std::size_t bytes_;  // of an element
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<NcclCommunicator> nccl_;
  const std::byte* packed_ = nullptr;
  Awaited from_{"NCCL's messages (queued on the device) from"};
};

/// Of this node: NCCL refuses ranks that share a GPU. Collective on `node`; on its rank 0 only.
std::string why_not_on_node(const Communicator& node, const std::string& device_id) {
  std::vector<std::string> ids = node.gather(device_id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice == ids.end()) return {};
  return "transport nccl needs a GPU for each rank, and " +
         std::to_string(std::count(ids.begin(), ids.end(), *twice)) + " ranks share GPU " + *twice +
         ": start one rank for each GPU, or use another transport";
}

}  // namespace

std::string why_no_nccl(const ExchangeSetup& setup) {
  const std::string id = setup.backend->device_id();
  const std::string no_gpu = first_reason(
      setup.communicator, !id.empty() ? std::string()
                                      : "transport nccl moves the memory of NVIDIA GPUs, and backend " +
                                            std::string(setup.backend->name()) +
                                            " has none: use --backend cuda, or another transport");
  if (!no_gpu.empty()) return no_gpu;
  return first_reason(setup.communicator, why_not_on_node(setup.node, id));
}

std::unique_ptr<HaloExchange> make_nccl_exchange(const ExchangeSetup& setup) {
  const std::shared_ptr<NcclCommunicator> nccl = kept_communicator(setup);
  try {
    return setup.communicator.together([&] { return std::make_unique<NcclExchange>(setup, nccl); });
  } catch (...) {
    nccl->abort();  // ending in order would wait for the rank that failed
    setup.communicator.detach<NcclCommunicator>();
    throw;
  }
}

}  // namespace spmv
