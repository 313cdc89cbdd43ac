// Every rank lends its neighbours a mailbox: a flag per rank of the node, then two halves for its halo.
// Exchange number e uses half e % 2. Between two ranks it takes a fixed number of steps each way, the pieces
// of the halo or, where nothing is sent, one; the flag counts the steps of all exchanges. A sender may write
// half e % 2 of its neighbour because
//   - it has seen all steps of the neighbour's exchange e - 1 (finish waits for every neighbour's, also where
//   nothing is received),
//   - and the neighbour took the first of them after the upload from exchange e - 2, the half's last reader,
//   was done.
// So a neighbour is never more than one exchange ahead, and what its flag counts beyond this one's steps is
// not for now. Data before flag: a piece's copy is complete (synchronize) before the flag is stored with
// release; the reader loads it with acquire before it queues the upload.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "comm/patience.hpp"
#include "comm/transports/awaited.hpp"
#include "comm/transports/make.hpp"
#include "comm/transports/peer/mailboxes.hpp"
#include "comm/transports/staging/downloads.hpp"
#include "comm/transports/staging/pieces.hpp"
#include "comm/transports/staging/uploads.hpp"

namespace spmv {
namespace {

using Flag = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free, "flags work between processes");

/// What a neighbour must know to write into this rank's mailbox, in bytes.
struct Landing {
  std::uint64_t node_rank;
  std::uint64_t half_bytes;
  std::uint64_t offset;  // in the half
};

/// A neighbour's elements on their way into this rank's half.
struct Incoming {
  std::vector<Piece> pieces;
  std::uint64_t steps;      // of an exchange
  std::size_t halo_offset;  // in bytes
  std::size_t half_offset;
  Flag* flag;          // the neighbour counts its steps here
  std::uint64_t seen;  // steps of the exchange under way
};

/// Steps of an exchange that sends these pieces.
std::uint64_t steps(const std::vector<Piece>& pieces) {
  return pieces.empty() ? 1 : pieces.size();
}

/// Of what all neighbours send this rank, in bytes: the halves hold nothing else.
std::size_t bytes_received(const ExchangeSetup& setup) {
  std::size_t count = 0;
  for (const Neighbour& n : setup.plan->neighbours) count += static_cast<std::size_t>(n.receive_count);
  return count * setup.element_bytes;
}

class ShmCopyExchange final : public HaloExchange {
 public:
  explicit ShmCopyExchange(const ExchangeSetup& setup)
      : node_(setup.node),
        bytes_(setup.element_bytes),
        half_bytes_(bytes_received(setup)),
        mailboxes_(setup, Memory::staging, half_begin(2)),
        downloads_(setup.backend) {
    const std::vector<Neighbour>& neighbours = setup.plan->neighbours;
    std::vector<Landing> mine;
    std::size_t half_offset = 0;
    for (const Neighbour& n : neighbours) {
      mine.push_back({static_cast<std::uint64_t>(node_.rank()), whole_lines(half_bytes_), half_offset});
      half_offset += in_bytes(n.receive_count);
    }
    const std::vector<Landing> theirs = tell_neighbours(setup, mine);
    setup.communicator.together([&] {
      queue_ = setup.backend->make_queue(Priority::urgent);
      uploaded_ = setup.backend->make_event();
      for (const std::size_t i : serving_order(*setup.plan, setup.communicator.rank())) {
        add_incoming(neighbours[i], static_cast<int>(theirs[i].node_rank), mine[i].offset);
        add_outgoing(neighbours[i], mailboxes_.of_neighbour(i), theirs[i]);
      }
    });
  }

  void start(const std::byte* send_buffer, const Event& ready, PhaseLog* log) override {
    own_step_.begin("the upload of the exchange before");
    uploaded_->synchronize();  // see the head of this file
    ++number_;
    queue_->wait(ready);  // also orders the uploads below after the last product that reads the halo
    own_step_.begin("the copy of its own elements to shared memory");
    from_.expect_all();
    for (Incoming& in : incoming_) in.seen = 0;
    downloads_.queue(*queue_, send_buffer, half_in_use(), log);
    if (downloads_.empty() && logs(log)) log->begin(Phase::mpi);
    for (Flag* flag : silent_) step(*flag);
    downloads_.wait(*queue_, [&](std::size_t first, std::size_t count) {
      if (first == 0 && log != nullptr) log->begin(Phase::mpi);
      for (std::size_t i = first; i < first + count; ++i) step(*step_of_[i]);
    });
    own_step_.end();
  }

  void finish(std::byte* halo, Event& arrived, PhaseLog* log) override {
    uploads_.begin(halo, log);
    Patience patience;
    for (std::size_t missing = incoming_.size(); missing > 0;) {
      bool fruitless = true;
      for (std::size_t i = 0; i < incoming_.size(); ++i) {
        Incoming& in = incoming_[i];
        if (in.seen == in.steps || !take(in)) continue;
        fruitless = false;
        if (in.seen < in.steps) continue;
        from_.came(i);
        --missing;
      }
      fruitless ? patience.pause() : patience.renew();
    }
    if (logs(log)) log->end(Phase::mpi);
    uploads_.end(*queue_);
    if (half_bytes_ == 0) return;
    queue_->record(*uploaded_);
    queue_->record(arrived);
  }

  void poison() override {
    uploaded_->synchronize();
    // The next exchange's half may be in a neighbour's hands already; the other one was read by the last
    // upload.
    std::memset(half(half_in_use()), 0xff, half_bytes_);
  }

  std::string waiting_for() const override {
    const std::string own = own_step_.text();
    return own.empty() ? from_.text() : own;
  }

 private:
  void add_incoming(const Neighbour& n, int node_rank, std::size_t half_offset) {
    const std::vector<Piece> pieces = cut(n.receive_count, bytes_);
    incoming_.push_back(
        {pieces, steps(pieces), in_bytes(n.receive_offset), half_offset, flag(own(), node_rank), 0});
    from_.add(n.rank, 1);
  }

  /// One download for each piece, and a step of the flag for each download.
  void add_outgoing(const Neighbour& n, std::byte* remote, const Landing& landing) {
    std::byte* halves = remote + flag_bytes() + landing.offset;
    const std::vector<Piece> pieces = cut(n.send_count, bytes_);
    for (const Piece& piece : pieces) {
      std::byte* at = halves + in_bytes(piece.first);
      downloads_.add(in_bytes(n.send_offset + piece.first), {at, at + landing.half_bytes},
                     in_bytes(piece.count));
      step_of_.push_back(flag(remote, node_.rank()));
    }
    if (pieces.empty()) silent_.push_back(flag(remote, node_.rank()));
  }

  /// Only this rank writes the flag.
  static void step(Flag& flag) {
    flag.store(flag.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// Takes the steps that are new; returns whether there were any.
  bool take(Incoming& in) {
    const std::uint64_t before = (number_ - 1) * in.steps;
    const std::uint64_t all = in.flag->load(std::memory_order_acquire);
    const std::uint64_t now = std::min(std::max(all, before) - before, in.steps);
    if (now <= in.seen) return false;
    for (std::uint64_t i = in.seen; i < now && i < in.pieces.size(); ++i) {
      const Piece& piece = in.pieces[i];
      uploads_.add(*queue_, in.halo_offset + in_bytes(piece.first),
                   half(half_in_use()) + in.half_offset + in_bytes(piece.first), in_bytes(piece.count));
    }
    in.seen = now;
    return true;
  }

  unsigned half_in_use() const { return static_cast<unsigned>(number_ % 2); }
  std::size_t in_bytes(lidx count) const { return static_cast<std::size_t>(count) * bytes_; }
  std::size_t flag_bytes() const { return static_cast<std::size_t>(node_.size()) * mailbox_line; }
  std::size_t half_begin(unsigned index) const { return flag_bytes() + index * whole_lines(half_bytes_); }
  std::byte* own() const { return mailboxes_.own(); }
  std::byte* half(unsigned index) const { return own() + half_begin(index); }
  static Flag* flag(std::byte* mailbox, int node_rank) {
    return reinterpret_cast<Flag*>(mailbox + static_cast<std::size_t>(node_rank) * mailbox_line);
  }
  /// Whether there are messages to time and a log to time them in.
  bool logs(const PhaseLog* log) const { return log != nullptr && !incoming_.empty(); }

  Communicator node_;
  std::size_t bytes_;       // of an element
  std::size_t half_bytes_;  // used; halves lie whole_lines() apart
  Mailboxes mailboxes_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> uploaded_;
  Downloads downloads_;
  Uploads uploads_;
  std::vector<Flag*> step_of_;  // by download
  std::vector<Flag*> silent_;   // of neighbours that nothing is sent to
  std::vector<Incoming> incoming_;
  std::uint64_t number_ = 0;
  OwnStep own_step_;
  Awaited from_{"flags of"};
};

}  // namespace

std::string why_no_shm_copy(const ExchangeSetup& setup) {
  return why_no_mailboxes(setup, Memory::staging, "shm_copy", "node_aware or staged");
}

std::unique_ptr<HaloExchange> make_shm_copy_exchange(const ExchangeSetup& setup) {
  return std::make_unique<ShmCopyExchange>(setup);
}

}  // namespace spmv
