// The protocol of transports p2p and shm with all ranks in one process and a thread each, where
// ThreadSanitizer sees every store of one rank into another's memory. Ranks have devices of their own and
// share nothing but the mailboxes, so that no lock orders what only the flags may order.
#include "comm/transports/peer/peer_exchange.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "support/plan_of_counts.hpp"

namespace spmv::test {
namespace {

/// The unit of elements.
using Word = std::uint32_t;

/// A word that encodes its sender, receiver, index and exchange.
Word label(int source, int target, std::size_t k, unsigned exchange) {
  return static_cast<Word>(source) + 8u * static_cast<Word>(target) + 64u * (exchange % 4096) +
         262'144u * static_cast<Word>(k);
}

/// Value of halo words that must not be written; no label has it.
constexpr Word untouched = 0xffffffff;

struct PlanCase {
  const char* name;
  lidx (*counts)(int source, int target, int ranks);  // elements that `source` sends `target`
  unsigned exchanges;
};

const std::vector<PlanCase> plan_cases = {
    {"nothing", [](int, int, int) { return 0; }, 10},
    {"both ways round the ring",
     [](int s, int t, int n) { return lidx{(s + 1) % n == t || (t + 1) % n == s}; }, 150},
    {"to the right only", [](int s, int t, int n) { return t == (s + 1) % n ? 3 : 0; }, 150},
    {"down the line, ends open", [](int s, int t, int) { return t == s + 1 ? 600 : 0; }, 150},
    {"everyone to everyone, all different", [](int s, int t, int) { return 1 + 37 * ((5 * s + 3 * t) % 7); },
     120},
    {"rank 0 to all", [](int s, int, int) { return s == 0 ? 700 : 0; }, 150},
    {"all to rank 0", [](int, int t, int) { return t == 0 ? 700 : 0; }, 150},
    {"several pieces to the right, one to the left",
     [](int s, int t, int n) {
       if (t == (s + 1) % n) return 5'001;
       return s == (t + 1) % n ? 900 : 0;
     },
     100},
};

const PlanCase large = {"hundreds of pieces", [](int s, int t, int) { return s == 0 ? 270'001 + t : 1'025; },
                        12};

/// Random delays of a rank's host thread: mostly short, sometimes so long that the others run ahead as far as
/// they can.
class Lateness {
 public:
  explicit Lateness(unsigned seed) : random_(seed) {}
  void pass() {
    const unsigned us = random_() % 16 == 0 ? 2'000 : random_() % 100;
    if (random_() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
  }

 private:
  std::minstd_rand random_;
};

/// One rank: its device, its mailbox and a compute queue that packs and judges what comes.
class Rank {
 public:
  Rank(const HaloPlan& plan, int me, std::size_t element_bytes, unsigned jitter_us, Memory where,
       const std::vector<int>& flags)
      : plan_(std::make_shared<const HaloPlan>(plan)),
        me_(me),
        words_(element_bytes / sizeof(Word)),
        backend_(make_debug_backend({me, 1, jitter_us})),
        send_buffer_(backend_, words_ * plan.send_index.size(), Memory::device),
        halo_(backend_, words_ * static_cast<std::size_t>(plan.ghosts), Memory::device),
        index_(upload(backend_, backwards().data(), plan.send_index.size())),
        ready_(backend_->make_event()),
        arrived_(backend_->make_event()) {
    int all = 0;
    for (const int count : flags) all += count;
    const std::size_t bytes = mailbox_parts(all, element_bytes * static_cast<std::size_t>(plan.ghosts)).bytes;
    if (where == Memory::device) {
      on_device_ = backend_->allocate_shared(bytes);
      mailbox_ = on_device_->data();
    } else {
      on_host_ = Buffer<std::byte>(backend_, bytes, Memory::staging);
      mailbox_ = on_host_.data();
      std::memset(mailbox_, 0, bytes);
    }
    exchange_ = std::make_unique<PeerExchange>(plan_, backend_, element_bytes, mailbox_, where, flags);
    compute_ = backend_->make_queue(Priority::normal);
    compute_->fill(halo_.data(), 0xff, halo_.bytes());
  }

  const HaloPlan& plan() const { return *plan_; }
  PeerExchange& exchange() { return *exchange_; }
  Queue& compute() { return *compute_; }
  PeerTarget target(std::size_t i) const { return {mailbox_, exchange_->landing(i)}; }
  void take_apart() { exchange_.reset(); }

  /// Queues one product's share: pack, exchange, read the halo. Does not wait.
  void queue_one() {
    compute_->run([this] { gather(); });
    compute_->record(*ready_);
    const auto* from = reinterpret_cast<const std::byte*>(send_buffer_.data());
    if (gathers())
      exchange_->start_gathering(from, index_.data(), *ready_, nullptr);
    else
      exchange_->start(from, *ready_, nullptr);
    exchange_->finish(reinterpret_cast<std::byte*>(halo_.data()), *arrived_, nullptr);
    compute_->wait(*arrived_);
    compute_->run([this] { consume(); });
  }

  // After compute().synchronize():
  unsigned done() const { return done_; }
  std::size_t wrong() const { return wrong_; }

 private:
  /// On every other rank the exchange gathers, from the last element to the first.
  bool gathers() const { return me_ % 2 == 1; }
  std::vector<lidx> backwards() const {
    std::vector<lidx> index(plan_->send_index.size());
    std::iota(index.rbegin(), index.rend(), 0);
    return index;
  }
  void gather() {
    for (const Neighbour& n : plan_->neighbours)
      for (std::size_t k = 0; k < words(n.send_count); ++k) {
        const std::size_t element = words(n.send_offset) / words_ + k / words_;
        const std::size_t at = gathers() ? plan_->send_index.size() - 1 - element : element;
        send_buffer_.data()[at * words_ + k % words_] = label(me_, n.rank, k, done_);
      }
  }
  /// Counts words that are not from this exchange, and clears them all, so that the next exchange cannot
  /// mistake them for its own.
  void consume() {
    std::size_t next = 0;
    const auto expect_untouched = [&](std::size_t end) {
      for (; next < end; ++next) wrong_ += halo_.data()[next] != untouched;
    };
    for (const Neighbour& n : plan_->neighbours) {
      expect_untouched(words(n.receive_offset));
      for (std::size_t k = 0; k < words(n.receive_count); ++k)
        wrong_ += halo_.data()[next++] != label(n.rank, me_, k, done_);
    }
    expect_untouched(halo_.size());
    std::fill_n(halo_.data(), halo_.size(), untouched);
    ++done_;
  }
  std::size_t words(lidx elements) const { return words_ * static_cast<std::size_t>(elements); }

  std::shared_ptr<const HaloPlan> plan_;
  int me_;
  std::size_t words_;  // of an element
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<SharedMemory> on_device_;  // the mailbox, or
  Buffer<std::byte> on_host_;
  std::byte* mailbox_;
  Buffer<Word> send_buffer_, halo_;
  Buffer<lidx> index_;
  unsigned done_ = 0;  // like wrong_, only used by work on the compute queue
  std::size_t wrong_ = 0;
  std::unique_ptr<Event> ready_, arrived_;
  std::unique_ptr<PeerExchange> exchange_;
  std::unique_ptr<Queue> compute_;
};

/// Connected ranks.
class Ranks {
 public:
  Ranks(const std::vector<HaloPlan>& plans, std::size_t element_bytes, unsigned jitter_us, Memory where) {
    const auto size = static_cast<int>(plans.size());
    // The flags that rank r raises for its neighbour t.
    const auto raised = [&](int r, int t) {
      const HaloPlan& plan = plans[static_cast<std::size_t>(r)];
      return peer_pieces(plan.neighbours[index_of(plan, t)].send_count, plan.send_total());
    };
    for (int r = 0; r < size; ++r) {
      const HaloPlan& plan = plans[static_cast<std::size_t>(r)];
      std::vector<int> flags;
      for (const Neighbour& n : plan.neighbours) flags.push_back(raised(n.rank, r));
      ranks_.push_back(std::make_unique<Rank>(plan, r, element_bytes, jitter_us, where, flags));
    }
    for (int r = 0; r < size; ++r) {
      std::vector<PeerTarget> targets;
      for (const Neighbour& n : (*this)[r].plan().neighbours)
        targets.push_back((*this)[n.rank].target(index_of((*this)[n.rank].plan(), r)));
      (*this)[r].exchange().connect(targets);
    }
  }
  Ranks(const PlanCase& plan_case, int size, std::size_t element_bytes, unsigned jitter_us, Memory where)
      : Ranks(plans_of(plan_case, size), element_bytes, jitter_us, where) {}
  ~Ranks() {
    for (const auto& rank : ranks_) rank->take_apart();  // before any mailbox goes
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  static std::vector<HaloPlan> plans_of(const PlanCase& plan_case, int size) {
    std::vector<HaloPlan> plans;
    for (int r = 0; r < size; ++r) plans.push_back(plan_of_counts(plan_case.counts, r, size));
    return plans;
  }
  int size() const { return static_cast<int>(ranks_.size()); }
  Rank& operator[](int r) { return *ranks_[static_cast<std::size_t>(r)]; }

  /// Runs every rank's `work` in its own thread; then each must have done `exchanges` exchanges, without
  /// errors.
  template <class Work>
  void run(unsigned exchanges, const Work& work) {
    std::vector<std::thread> threads;
    for (int r = 0; r < size(); ++r)
      threads.emplace_back([this, r, &work] {
        work((*this)[r], r);
        (*this)[r].compute().synchronize();
      });
    for (std::thread& thread : threads) thread.join();
    for (int r = 0; r < size(); ++r) {
      EXPECT_EQ((*this)[r].done(), exchanges) << "rank " << r;
      EXPECT_EQ((*this)[r].wrong(), 0u) << "rank " << r;
    }
  }

 private:
  static std::size_t index_of(const HaloPlan& plan, int rank) {
    const auto at = std::find_if(plan.neighbours.begin(), plan.neighbours.end(),
                                 [=](const Neighbour& n) { return n.rank == rank; });
    return static_cast<std::size_t>(at - plan.neighbours.begin());
  }
  std::vector<std::unique_ptr<Rank>> ranks_;
};

void run_back_to_back(Ranks& ranks, unsigned exchanges) {
  ranks.run(exchanges, [=](Rank& rank, int r) {
    Lateness lateness(17u + static_cast<unsigned>(r));
    for (unsigned e = 0; e < exchanges; ++e) {
      lateness.pass();
      rank.queue_one();
    }
  });
}

/// By the memory where mailboxes lie.
class PeerExchangeIn : public testing::TestWithParam<Memory> {};
INSTANTIATE_TEST_SUITE_P(EveryMemory, PeerExchangeIn, testing::Values(Memory::device, Memory::staging),
                         [](const auto& where) { return where.param == Memory::device ? "Device" : "Host"; });

TEST_P(PeerExchangeIn, BringsEveryExchangesOwnDataBackToBack) {
  std::size_t element_bytes = 4;
  for (const int size : {2, 3, 4})
    for (const PlanCase& plan_case : plan_cases) {
      SCOPED_TRACE(std::string(plan_case.name) + ", " + std::to_string(size) + " ranks, elements of " +
                   std::to_string(element_bytes) + " bytes");
      Ranks ranks(plan_case, size, element_bytes, 60, GetParam());
      run_back_to_back(ranks, plan_case.exchanges);
      element_bytes = element_bytes == 16 ? 4 : 2 * element_bytes;
    }
}

TEST_P(PeerExchangeIn, BringsHalosOfManyPieces) {
  Ranks ranks(large, 2, 8, 60, GetParam());
  run_back_to_back(ranks, large.exchanges);
}

// One of two transports that share the neighbours: the other neighbours' elements must not change.
TEST_P(PeerExchangeIn, LeavesTheRestOfTheHaloAlone) {
  for (const PlanCase* plan_case : {&plan_cases[4], &plan_cases[7]}) {
    SCOPED_TRACE(plan_case->name);
    std::vector<HaloPlan> plans = Ranks::plans_of(*plan_case, 4);
    for (std::size_t r = 0; r < plans.size(); ++r) {
      const bool odd = r % 2 == 1;
      plans[r] = keep_neighbours(plans[r], odd ? std::vector<int>{1, 3} : std::vector<int>{0, 2}, true);
    }
    Ranks ranks(plans, 8, 60, GetParam());
    run_back_to_back(ranks, 100);
  }
}

// poison() must not overwrite a half into which a neighbour may already have stored.
TEST_P(PeerExchangeIn, MayBePoisonedWhileNeighboursRunAhead) {
  for (const PlanCase* plan_case : {&plan_cases[1], &plan_cases[2], &plan_cases[4]}) {
    SCOPED_TRACE(plan_case->name);
    Ranks ranks(*plan_case, 3, 8, 60, GetParam());
    constexpr unsigned exchanges = 100;
    ranks.run(exchanges, [](Rank& rank, int r) {
      Lateness lateness(5u + static_cast<unsigned>(r));
      for (unsigned e = 0; e < exchanges; ++e) {
        if ((e + static_cast<unsigned>(r)) % 3 == 0) rank.exchange().poison();
        lateness.pass();
        rank.queue_one();
      }
    });
  }
}

TEST_P(PeerExchangeIn, CanBeRecorded) {
  for (const PlanCase* plan_case : {&plan_cases[1], &plan_cases[5], &plan_cases[7]}) {
    SCOPED_TRACE(plan_case->name);
    Ranks ranks(*plan_case, 3, 8, 60, GetParam());
    constexpr unsigned before = 3, replays = 50;
    ranks.run(before + 2 * replays, [](Rank& rank, int r) {
      for (unsigned e = 0; e < before; ++e) rank.queue_one();
      const auto two = rank.compute().capture_work([&rank] {
        rank.queue_one();
        rank.queue_one();
      });
      Lateness lateness(3u + static_cast<unsigned>(r));
      for (unsigned e = 0; e < replays; ++e) {
        lateness.pass();
        rank.compute().replay(*two);
      }
    });
  }
}

TEST_P(PeerExchangeIn, SaysWhoseFlagsItWaitsFor) {
  constexpr int size = 4, late = 1;
  const std::string waiting = "flags from rank 1";
  for (const PlanCase* plan_case : {&plan_cases[1], &plan_cases[4]}) {
    SCOPED_TRACE(plan_case->name);
    const bool ring = plan_case == &plan_cases[1];
    Ranks ranks(*plan_case, size, 8, 0, GetParam());
    constexpr unsigned rounds = 4;
    for (unsigned round = 0; round < rounds; ++round) {
      // The ranks that rank 1 delays, as another thread sees them during exchanges.
      std::atomic<bool> seen{false};
      ranks.run(2 * (round + 1), [&](Rank& rank, int r) {
        rank.queue_one();
        if (r == late)
          while (!seen) std::this_thread::yield();
        rank.queue_one();
        if (r != 0) return;
        rank.exchange().waiting_for();  // allowed at any moment
        const auto enough = std::chrono::steady_clock::now() + std::chrono::minutes(10);
        const auto are_stuck = [&] {
          for (int other = 0; other < size; ++other)
            if (ranks[other].exchange().waiting_for() !=
                (other == late || (ring && other == 3) ? "" : waiting))
              return false;
          return true;
        };
        // Once is enough: rank 1 may still be in its first exchange then, after which the others continue.
        bool stuck = are_stuck();
        while (!stuck && std::chrono::steady_clock::now() < enough) {
          std::this_thread::yield();
          stuck = are_stuck();
        }
        EXPECT_TRUE(stuck);
        seen = true;
      });
      for (int r = 0; r < size; ++r) EXPECT_EQ(ranks[r].exchange().waiting_for(), "") << "rank " << r;
    }
  }
}

}  // namespace
}  // namespace spmv::test
