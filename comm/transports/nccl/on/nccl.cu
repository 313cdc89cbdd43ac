// NCCL's own communicator beside MPI's. It is made without blocking, so that ranks that do not find each
// other cost a message instead of a hang; and the connections to all neighbours are made with it, by an
// exchange of one byte each, because making one later would stop the queue, and cannot be recorded.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>

#include "comm/awaited.hpp"
#include "comm/first_reason.hpp"
#include "comm/patience.hpp"
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
  /// Returns, or throws, within the time limit. Every rank calls it with the same id.
  NcclCommunicator(const ncclUniqueId& id, int ranks, int rank) {
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

  ncclComm_t get() const { return comm_; }

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
    ncclComm_t blocking = nullptr;
    nccl_check(ncclCommSplit(comm_, 0, rank, &blocking, &config), "connect the ranks");
    settle("connect the ranks");
    first_ = std::exchange(comm_, blocking);
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
    nccl_check(ncclCommGetAsyncError(comm_, &state), doing);
    if (state != ncclSuccess && state != ncclInProgress) fail(doing, ncclGetLastError(comm_));
    return state == ncclSuccess;
  }
  void abort() noexcept {
    for (ncclComm_t* comm : {&comm_, &first_})
      if (*comm != nullptr) ncclCommAbort(std::exchange(*comm, nullptr));
  }

  ncclComm_t comm_ = nullptr;
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

class NcclExchange final : public HaloExchange {
 public:
  NcclExchange(const ExchangeSetup& setup, const ncclUniqueId& id)
      : plan_(setup.plan),
        bytes_(setup.element_bytes),
        queue_(setup.backend->make_queue(Priority::urgent)),
        nccl_(id, setup.communicator.size(), setup.communicator.rank()) {
    for (const Neighbour& n : plan_->neighbours) {
      from_.add(n.rank, 1);
    }
    connect(setup.backend);
  }

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
      queue_messages([&](const Neighbour& n) { return packed_ + in_bytes(n.send_offset); },
                     [&](const Neighbour& n) { return halo + in_bytes(n.receive_offset); },
                     [&](lidx count) { return in_bytes(count); });
    }
    queue_->record(arrived);
  }

  void poison() override {}  // it has no memory of its own
  bool queued() const override { return true; }
  /// The host never learns that they have come.
  std::string waiting_for() const override { return from_.text(); }

 private:
  /// Queues all sends and receives as one operation: bytes(count) bytes at from(neighbour), and for
  /// to(neighbour).
  template <class From, class To, class Bytes>
  void queue_messages(const From& from, const To& to, const Bytes& bytes) {
    const auto stream = static_cast<cudaStream_t>(queue_->stream());
    const char* doing = "queue the halo's messages";
    nccl_check(ncclGroupStart(), doing);
    for (const Neighbour& n : plan_->neighbours) {
      if (n.send_count > 0)
        nccl_check(ncclSend(from(n), bytes(n.send_count), ncclChar, n.rank, nccl_.get(), stream), doing);
      if (n.receive_count > 0)
        nccl_check(ncclRecv(to(n), bytes(n.receive_count), ncclChar, n.rank, nccl_.get(), stream), doing);
    }
    nccl_check(ncclGroupEnd(), doing);
    nccl_.settle(doing);
  }

  /// One byte to and from every neighbour that more will come to and from.
  void connect(const std::shared_ptr<Backend>& backend) {
    if (plan_->neighbours.empty()) return;
    Buffer<std::byte> out(backend, 1, Memory::device), in(backend, plan_->neighbours.size(), Memory::device);
    const Neighbour* first = plan_->neighbours.data();
    queue_messages([&](const Neighbour&) { return out.data(); },
                   [&](const Neighbour& n) { return in.data() + (&n - first); },
                   [](lidx) { return std::size_t{1}; });
    nccl_.finish(*queue_, "connect neighbours");
  }

  std::size_t in_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }

  std::shared_ptr<const HaloPlan> plan_;
  std::size_t bytes_;  // of an element
  std::unique_ptr<Queue> queue_;
  NcclCommunicator nccl_;
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
  const ncclUniqueId id = shared_id(setup.communicator);
  return setup.communicator.together([&] { return std::make_unique<NcclExchange>(setup, id); });
}

}  // namespace spmv
