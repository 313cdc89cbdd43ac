// NCCL's communicator is attached to MPI's: making one takes about a second, so all exchanges over one MPI
// communicator share it. It is made without blocking, so that ranks that do not find each other end with a
// message instead of a hang. Every exchange first sends a few bytes to each neighbour to make the connections,
// because making one later would stop the queue, and cannot be captured.
//
// NCCL does a communicator's operations in the order in which they were queued, on any streams, and every rank
// must queue them in the same order. That holds because exchanges are made and used by collective calls, one at
// a time.
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>

#include "comm/failure_news.hpp"
#include "comm/limited_work.hpp"
#include "comm/patience.hpp"
#include "comm/place/devices.hpp"
#include "comm/transports/awaited.hpp"
#include "comm/transports/make.hpp"
#include "core/buffer.hpp"
#include "core/cuda_check.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& doing, const std::string& reason) {
  LimitedWork::stop_if_abandoned();  // it failed because it was ended, and others may still use what is here
  throw Error(ExitCode::environment, "NCCL failed to " + doing + ": " + reason +
                                         "; NCCL_DEBUG=INFO shows more, or use another transport");
}

/// Calls without blocking may still be in progress.
void nccl_check(ncclResult_t status, const char* doing) {
  if (status != ncclSuccess && status != ncclInProgress) fail(doing, ncclGetErrorString(status));
}

/// NCCL's communicators, each until it is ended. Any thread may end them while another one uses them: a call
/// begins only on one that lives, and NCCL releases a thread that is inside a call meanwhile.
class Handles {
 public:
  ~Handles() { abort(); }
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  /// Calls work(the communicator in use, where the next one is to be written). Throws where they were ended.
  template <class Work>
  void use(const char* doing, const Work& work) {
    const std::unique_lock lock(mutex_);
    if (ended_) fail(doing, "its communicator was ended after a failure");
    work(used_, next_);
  }
  /// The one that was made last takes the place of the one in use, which is kept: others may still be making
  /// theirs from it.
  void take_next() {
    const std::unique_lock lock(mutex_);
    first_ = std::exchange(used_, std::exchange(next_, nullptr));
  }
  /// The one in use, for whoever ends it in order.
  ncclComm_t release() {
    const std::unique_lock lock(mutex_);
    return std::exchange(used_, nullptr);
  }
  bool ended() const {
    const std::unique_lock lock(mutex_);
    return ended_ || used_ == nullptr;
  }
  /// Ends all of them, and what was queued to them, without the other ranks. Local, any thread.
  void abort() noexcept {
    // A thread that has been inside a call for so long waits for other ranks, and ncclCommAbort ends that call.
    constexpr std::chrono::milliseconds longest_call{500};
    std::unique_lock lock(mutex_, longest_call);
    ended_ = true;
    for (ncclComm_t* comm : {&used_, &first_, &next_})
      if (*comm != nullptr) ncclCommAbort(std::exchange(*comm, nullptr));
  }

 private:
  mutable std::timed_mutex mutex_;
  bool ended_ = false;
  ncclComm_t used_ = nullptr;
  ncclComm_t next_ = nullptr;   // being made; NCCL writes it when it is
  ncclComm_t first_ = nullptr;  // from which the one in use was split
};

class NcclCommunicator {
 public:
  /// Of the device that is current, named `device`. Returns, or throws, within nccl_start_s, and soon where
  /// another rank has failed. Every rank calls it with the same id.
  NcclCommunicator(const ncclUniqueId& id, int ranks, int rank, std::string device, FailureNews& news)
      : device_(std::move(device)), on_abandon_([this] { comms_.abort(); }) {
    const char* doing = "connect the ranks";
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    comms_.use(doing, [&](ncclComm_t& used, ncclComm_t&) {
      nccl_check(ncclCommInitRankConfig(&used, ranks, id, rank, &config), doing);
    });
    settle(doing, &news);
    // A communicator made without blocking hands every operation to a thread of its own, some hundred us
    // each. Now that all ranks are there, one that blocks takes its place.
    ncclConfig_t blocking = NCCL_CONFIG_INITIALIZER;
    blocking.blocking = 1;
    comms_.use(doing, [&](ncclComm_t used, ncclComm_t& next) {
      nccl_check(ncclCommSplit(used, 0, rank, &next, &blocking), doing);
    });
    settle(doing, &news);
    comms_.take_next();
  }
  ~NcclCommunicator() {
    // Ending in order waits for the other ranks, which would not come if only this one has failed.
    if (std::uncaught_exceptions() > 0 || comms_.ended()) return;
    try {
      comms_.use("end", [](ncclComm_t used, ncclComm_t&) { nccl_check(ncclCommFinalize(used), "end"); });
      settle("end");
      ncclCommDestroy(comms_.release());
    } catch (...) {  // ended without order, by the members' own ends
    }
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  const std::string& device() const { return device_; }
  /// Whether it has not failed so far. Local.
  bool works() {
    if (comms_.ended()) return false;
    bool works = false;
    comms_.use("tell its state", [&](ncclComm_t used, ncclComm_t&) {
      ncclResult_t state = ncclSuccess;
      works = ncclCommGetAsyncError(used, &state) == ncclSuccess && state == ncclSuccess;
    });
    return works;
  }
  /// Calls work(communicator), which must only queue. Local.
  template <class Work>
  void use(const char* doing, const Work& work) {
    comms_.use(doing, [&](ncclComm_t used, ncclComm_t&) { work(used); });
  }
  /// Ends it, and what was queued to it, without the other ranks. It cannot be used afterwards. Local.
  void abort() noexcept { comms_.abort(); }

  /// Waits until the calls so far have done, or queued, their work. Where there may be news of a failure the wait ends with it.
  void settle(const char* doing, FailureNews* news = nullptr) {
    await(doing, news, [&] { return settled(doing); });
  }
  /// Waits for the queue's work, too, which needs the other ranks.
  void finish(const Queue& queue, const char* doing, FailureNews& news) {
    await(doing, &news, [&] {
      if (!settled(doing)) return false;
      const cudaError_t status = cudaStreamQuery(static_cast<cudaStream_t>(queue.stream()));
      if (status != cudaErrorNotReady) cuda_check(status, doing);
      return status == cudaSuccess;
    });
  }

 private:
  template <class Done>
  static void await(const char* doing, FailureNews* news, const Done& done) {
    const Clock::time_point deadline = Clock::now() + time_limit;
    Patience patience;
    while (!done()) {
      if (Clock::now() > deadline)
        fail(doing, "nothing happened for " + std::to_string(time_limit.count()) + " s");
      if (news != nullptr) news->check();
      patience.pause();
    }
  }
  bool settled(const char* doing) {
    ncclResult_t state = ncclSuccess;
    std::string reason;
    comms_.use(doing, [&](ncclComm_t used, ncclComm_t&) {
      nccl_check(ncclCommGetAsyncError(used, &state), doing);
      if (state != ncclSuccess && state != ncclInProgress) reason = ncclGetLastError(used);
    });
    if (!reason.empty()) fail(doing, reason);
    return state == ncclSuccess;
  }

  static constexpr std::chrono::seconds time_limit{nccl_start_s};
  std::string device_;
  Handles comms_;
  OnAbandon on_abandon_;
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
  kept = together_with_news(all, [&](FailureNews& news) {
    return std::make_shared<NcclCommunicator>(id, all.size(), all.rank(), device, news);
  });
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
  NcclExchange(const ExchangeSetup& setup, std::shared_ptr<NcclCommunicator> nccl, FailureNews& news)
      : plan_(setup.plan),
        bytes_(setup.element_bytes),
        queue_(setup.backend->make_queue(Priority::urgent)),
        nccl_(std::move(nccl)) {
    for (const Neighbour& n : plan_->neighbours) {
      from_.add(n.rank, 1);
    }
    connect(setup.backend, news);
  }
  ~NcclExchange() override {
    // Queued work may wait for ranks that will not come.
    if (std::uncaught_exceptions() > 0) nccl_->abort();
  }
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog*) override {
    if (plan_->neighbours.empty()) return;
    send_buffer_ = send_buffer;
    queue_->wait(ready);
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    if (plan_->neighbours.empty()) return;
    from_.expect_all();
    {
      const DevicePhase phase(log, Phase::mpi, *queue_);
      or_abort([&] {
        queue_messages([&](const Neighbour& n) { return send_buffer_ + in_bytes(n.send_offset); },
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
  void queue_messages(const From& from, const To& to, const Bytes& bytes, FailureNews* news = nullptr) {
    const auto stream = static_cast<cudaStream_t>(queue_->stream());
    const char* doing = "queue the halo's messages";
    nccl_->use(doing, [&](ncclComm_t comm) {
      Group group(doing);
      for (const Neighbour& n : plan_->neighbours) {
        if (n.send_count > 0)
          nccl_check(ncclSend(from(n), bytes(n.send_count), ncclChar, n.rank, comm, stream), doing);
        if (n.receive_count > 0)
          nccl_check(ncclRecv(to(n), bytes(n.receive_count), ncclChar, n.rank, comm, stream), doing);
      }
      group.end();
    });
    nccl_->settle(doing, news);
  }

  /// A little to and from every neighbour that more will come to and from. NCCL's kernels read whole words,
  /// so a single byte would make them read beyond its end.
  void connect(const std::shared_ptr<Backend>& backend, FailureNews& news) {
    if (plan_->neighbours.empty()) return;
    constexpr std::size_t little = 16;
    Buffer<std::byte> out(backend, little, Memory::device);
    Buffer<std::byte> in(backend, little * plan_->neighbours.size(), Memory::device);
    const Neighbour* first = plan_->neighbours.data();
    or_abort([&] {
      queue_messages(
          [&](const Neighbour&) { return out.data(); },
          [&](const Neighbour& n) { return in.data() + little * static_cast<std::size_t>(&n - first); },
          [=](lidx) { return little; }, &news);
      nccl_->finish(*queue_, "connect neighbours", news);
    });
  }

  std::size_t in_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }

  std::shared_ptr<const HaloPlan> plan_;
  std::size_t bytes_;  // of an element
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<NcclCommunicator> nccl_;
  const std::byte* send_buffer_ = nullptr;
  Awaited from_{"NCCL's messages (queued on the device) from"};
};

/// NCCL refuses ranks that share a GPU. Of this rank; collective.
std::string why_gpu_is_shared(const Communicator& communicator, const Backend& backend) {
  const int ranks = ranks_on_device(communicator, backend.device_uuid());
  if (ranks < 2) return {};
  return "transport nccl needs a GPU for each rank, and " + std::to_string(ranks) + " ranks share GPU " +
         backend.device_id() + ": start one rank for each GPU, or use another transport";
}

}  // namespace

std::string why_no_nccl(const ExchangeSetup& setup) {
  const std::string id = setup.backend->device_id();
  const std::string no_gpu = setup.communicator.first_text(
      !id.empty()
          ? std::string()
          : "transport nccl moves the memory of NVIDIA GPUs, and backend " +
                std::string(setup.backend->name()) + " has none: use --backend cuda, or another transport");
  if (!no_gpu.empty()) return no_gpu;
  return setup.communicator.first_text(why_gpu_is_shared(setup.communicator, *setup.backend));
}

std::unique_ptr<HaloExchange> make_nccl_exchange(const ExchangeSetup& setup) {
  const std::shared_ptr<NcclCommunicator> nccl = kept_communicator(setup);
  try {
    return together_with_news(setup.communicator, [&](FailureNews& news) {
      return std::make_unique<NcclExchange>(setup, nccl, news);
    });
  } catch (...) {
    nccl->abort();  // ending in order would wait for the rank that failed
    setup.communicator.detach<NcclCommunicator>();
    throw;
  }
}

}  // namespace spmv
