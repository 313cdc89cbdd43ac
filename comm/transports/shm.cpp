// Every rank owns a segment of one shared window: a flag per rank of the node, then two slots for its halo.
// Exchange number e uses slot e % 2. A sender may write slot e % 2 of its neighbour because
//   - it has seen the neighbour's flag e - 1 (finish waits for every neighbour's flag, also where nothing is
//   received),
//   - and the neighbour raised that flag after the upload from exchange e - 2, the slot's last reader, was
//   done.
// Data before flag: the copy is complete (synchronize) before the flag is stored with release; the reader
// loads it with acquire before it queues the upload.
#include "comm/transports/shm.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "comm/node_neighbours.hpp"

namespace spmv {
namespace {

using Flag = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free, "flags work between processes");

constexpr std::size_t line = 256;  // flags do not share cache lines; slots are aligned for the copy engines

std::size_t rounded(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

/// Shared memory of a node's ranks, pinned for the device.
class SharedWindow {
 public:
  /// Collective on `all`; the window joins the ranks of `node`.
  SharedWindow(const Communicator& all, const Communicator& node, std::size_t bytes,
               std::shared_ptr<Backend> backend)
      : backend_(std::move(backend)) {
    void* mine = nullptr;
    mpi_check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(rounded(bytes)), 1, MPI_INFO_NULL,
                                      *static_cast<MPI_Comm*>(node.handle()), &mine, &window_),
              "allocate shared memory");
    for (int rank = 0; rank < node.size(); ++rank) {
      MPI_Aint size = 0;
      int unit = 0;
      void* at = nullptr;
      mpi_check(MPI_Win_shared_query(window_, rank, &size, &unit, &at), "find a neighbour's shared memory");
      segments_.push_back(static_cast<std::byte*>(at));
      total_ += static_cast<std::size_t>(size);
    }
    std::memset(segments_[static_cast<std::size_t>(node.rank())], 0, bytes);
    all.together([&] {
      backend_->pin(segments_[0], total_);
      pinned_ = true;
    });
  }
  ~SharedWindow() {
    if (pinned_) backend_->unpin(segments_[0]);
    // Freeing is collective: on the way out of one rank's failure nobody else would come.
    if (std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
  }
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  std::byte* segment(int node_rank) const { return segments_[static_cast<std::size_t>(node_rank)]; }

 private:
  std::shared_ptr<Backend> backend_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> segments_;  // contiguous, by rank
  std::size_t total_ = 0;
  bool pinned_ = false;
};

/// One neighbour's part of an exchange.
struct Link {
  std::size_t send_offset, send_bytes;        // in the packed buffer
  std::size_t receive_offset, receive_bytes;  // in the halo
  std::byte* remote_slot[2];                  // where this rank's elements go
  Flag* remote_flag;                          // raised for the neighbour
  Flag* own_flag;                             // raised by the neighbour
};

/// What a neighbour must know to write into this rank's segment, in bytes.
struct Landing {
  std::uint64_t node_rank;
  std::uint64_t slot_bytes;
  std::uint64_t offset;
};

class ShmExchange final : public HaloExchange {
 public:
  explicit ShmExchange(const ExchangeSetup& setup)
      : node_(setup.node),
        plan_(setup.plan),
        halo_bytes_(static_cast<std::size_t>(plan_->ghosts) * setup.element_bytes),
        window_(setup.communicator, node_, slot_begin(2), setup.backend),
        queue_(setup.backend->make_queue(Priority::urgent)),
        uploaded_(setup.backend->make_event()) {
    std::vector<offset> counts(static_cast<std::size_t>(setup.communicator.size()), 0);
    std::vector<Landing> mine;
    for (const Neighbour& n : plan_->neighbours) {
      counts[static_cast<std::size_t>(n.rank)] = 1;
      mine.push_back({static_cast<std::uint64_t>(node_.rank()), rounded(halo_bytes_),
                      static_cast<std::uint64_t>(n.receive_offset) * setup.element_bytes});
    }
    const std::vector<Landing> theirs = setup.communicator.exchange(mine, counts).data;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const Neighbour& n = plan_->neighbours[i];
      std::byte* remote = window_.segment(static_cast<int>(theirs[i].node_rank));
      std::byte* slots = remote + flag_bytes() + theirs[i].offset;
      links_.push_back({n.send_offset * setup.element_bytes,
                        n.send_count * setup.element_bytes,
                        n.receive_offset * setup.element_bytes,
                        n.receive_count * setup.element_bytes,
                        {slots, slots + theirs[i].slot_bytes},
                        flag(remote, node_.rank()),
                        flag(own(), static_cast<int>(theirs[i].node_rank))});
    }
    arrived_.resize(links_.size());
    setup.communicator.barrier();  // nobody writes before all segments are cleared
  }

  void start(const std::byte* packed, const Event& ready, PhaseLog* log) override {
    uploaded_->synchronize();  // the upload of the exchange before: see the head of this file
    ++number_;
    queue_->wait(ready);  // also orders the upload below behind the last product that reads the halo
    if (plan_->send_total() > 0) {
      {
        const DevicePhase phase(log, Phase::d2h, *queue_);
        for (const Link& link : links_)
          queue_->copy(link.remote_slot[number_ % 2], packed + link.send_offset, link.send_bytes,
                       Copy::to_host);
      }
      queue_->synchronize();
    }
    if (logs(log)) log->begin(Phase::mpi);
    for (const Link& link : links_) link.remote_flag->store(number_, std::memory_order_release);
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    arrived_.assign(links_.size(), false);
    bool uploading = false;
    for (std::size_t missing = links_.size(); missing > 0;) {
      const std::size_t before = missing;
      for (std::size_t i = 0; i < links_.size(); ++i) {
        const Link& link = links_[i];
        if (arrived_[i] || link.own_flag->load(std::memory_order_acquire) < number_) continue;
        arrived_[i] = true;
        --missing;
        if (link.receive_bytes == 0) continue;
        if (!uploading && log != nullptr) log->begin(Phase::h2d, *queue_);
        uploading = true;
        queue_->copy(halo + link.receive_offset, slot(number_ % 2) + link.receive_offset, link.receive_bytes,
                     Copy::to_device);
      }
      if (missing == before) std::this_thread::yield();
    }
    if (logs(log)) log->end(Phase::mpi);
    if (plan_->ghosts == 0) return;
    if (log != nullptr) log->end(Phase::h2d, *queue_);
    queue_->record(*uploaded_);
    queue_->record(arrived);
  }

  void poison() override {
    uploaded_->synchronize();
    // The next exchange's slot may be in a neighbour's hands already; the other one was read by the last
    // upload.
    std::memset(slot(number_ % 2), 0xff, halo_bytes_);
  }

 private:
  std::size_t flag_bytes() const { return static_cast<std::size_t>(node_.size()) * line; }
  std::size_t slot_begin(unsigned index) const { return flag_bytes() + index * rounded(halo_bytes_); }
  std::byte* own() const { return window_.segment(node_.rank()); }
  std::byte* slot(unsigned index) const { return own() + slot_begin(index); }
  static Flag* flag(std::byte* segment, int node_rank) {
    return reinterpret_cast<Flag*>(segment + static_cast<std::size_t>(node_rank) * line);
  }
  /// Whether there are messages to time and a log to time them in.
  bool logs(const PhaseLog* log) const { return log != nullptr && !links_.empty(); }

  Communicator node_;
  std::shared_ptr<const HaloPlan> plan_;
  std::size_t halo_bytes_;
  SharedWindow window_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> uploaded_;
  std::vector<Link> links_;
  std::vector<bool> arrived_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::string why_no_shm(const ExchangeSetup& setup) {
  const auto apart = find_neighbour_elsewhere(setup);
  if (!apart) return {};
  return fmt::format(
      "transport shm joins the ranks of one node, but rank {} and its neighbour {} are on different ones: "
      "use "
      "--transport node_aware or staged",
      apart->rank, apart->neighbour);
}

std::unique_ptr<HaloExchange> make_shm_exchange(const ExchangeSetup& setup) {
  return std::make_unique<ShmExchange>(setup);
}

}  // namespace spmv
