// The parts of exchanges, as far as one rank can test them.
#include <gtest/gtest.h>

#include "comm/halo_plan.hpp"
#include "comm/transports/awaited.hpp"
#include "comm/transports/staging/downloads.hpp"
#include "comm/transports/staging/pieces.hpp"
#include "comm/transports/staging/uploads.hpp"
#include "core/buffer.hpp"

namespace spmv::test {
namespace {

TEST(Pieces, CoverEverythingOnceInOrder) {
  constexpr std::size_t huge = std::size_t{1} << 40;
  for (const std::size_t element_bytes : {std::size_t{4}, std::size_t{16}, std::size_t{3} << 20, huge})
    for (const lidx elements : {0, 1, 2, 63, 65'536, 131'072, 131'073, 1'000'003, 2'147'483'647}) {
      lidx next = 0;
      for (const Piece& piece : cut(elements, element_bytes)) {
        EXPECT_EQ(piece.first, next);
        EXPECT_GT(piece.count, 0);
        next += piece.count;
      }
      EXPECT_EQ(next, elements);
    }
}

TEST(Pieces, OnlyWhatIsLargeIsCut) {
  EXPECT_EQ(cut(0, 8).size(), 0u);
  EXPECT_EQ(cut(131'072, 8).size(), 1u);
  EXPECT_EQ(cut(131'073, 8).size(), 3u);
  EXPECT_EQ(cut(2'000'000'000, 8).size(), 64u);
}

TEST(Pieces, EveryRankServesTheRanksAboveItFirst) {
  HaloPlan plan;
  for (const int rank : {0, 1, 3, 4}) plan.neighbours.push_back({rank, 0, 1, 0, 1});
  EXPECT_EQ(serving_order(plan, 2), (std::vector<std::size_t>{2, 3, 0, 1}));
  EXPECT_EQ(serving_order(plan, 5), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(HaloPlan, KeepsNeighboursInsideOrOutsideAGroup) {
  HaloPlan plan;
  plan.ghosts = 30;
  plan.send_index.assign(20, 0);
  for (const int rank : {0, 1, 3}) plan.neighbours.push_back({rank, 2 * rank, 2, 3 * rank, 3});
  const auto ranks = [](const HaloPlan& part) {
    std::vector<int> found;
    for (const Neighbour& n : part.neighbours) {
      found.push_back(n.rank);
      EXPECT_EQ(n.send_offset, 2 * n.rank);
      EXPECT_EQ(n.receive_offset, 3 * n.rank);
    }
    EXPECT_EQ(part.ghosts, 30);
    EXPECT_EQ(part.send_total(), 20);
    return found;
  };
  EXPECT_EQ(ranks(keep_neighbours(plan, {3, 1, 2}, true)), (std::vector<int>{1, 3}));
  EXPECT_EQ(ranks(keep_neighbours(plan, {3, 1, 2}, false)), (std::vector<int>{0}));
}

TEST(Awaited, NamesRanks) {
  EXPECT_EQ(name_ranks({}), "");
  EXPECT_EQ(name_ranks({4}), "rank 4");
  EXPECT_EQ(name_ranks({4, 1}), "ranks 4 and 1");
  EXPECT_EQ(name_ranks({1, 2, 3}), "ranks 1, 2 and 3");
  EXPECT_EQ(name_ranks({1, 2, 3, 4, 5, 6, 7, 8}), "ranks 1, 2, 3, 4, 5, 6, 7 and 8");
  EXPECT_EQ(name_ranks({1, 2, 3, 4, 5, 6, 7, 8, 9}), "ranks 1, 2, 3, 4, 5, 6, 7 and 2 more");
}

TEST(Awaited, IsMissingUntilItsLastPartHasCome) {
  Awaited messages("messages from");
  EXPECT_EQ(messages.add(3, 1), 0u);
  EXPECT_EQ(messages.add(5, 2), 1u);
  EXPECT_EQ(messages.text(), "");
  for (int exchange = 0; exchange < 2; ++exchange) {
    messages.expect_all();
    EXPECT_EQ(messages.text(), "messages from ranks 3 and 5");
    messages.came(1);
    messages.came(0);
    EXPECT_EQ(messages.text(), "messages from rank 5");
    messages.came(1);
    EXPECT_EQ(messages.text(), "");
  }
}

/// Counts copies.
class CountingQueue final : public Queue {
 public:
  explicit CountingQueue(Backend& backend) : queue_(backend.make_queue(Priority::urgent)) {}
  void record(Event& event) override { queue_->record(event); }
  void wait(const Event& event) override { queue_->wait(event); }
  void synchronize() override { queue_->synchronize(); }
  void copy(void* to, const void* from, std::size_t bytes, Copy direction) override {
    ++copies;
    queue_->copy(to, from, bytes, direction);
  }
  void fill(void* at, unsigned char byte, std::size_t bytes) override { queue_->fill(at, byte, bytes); }
  void run(std::function<void()> work) override { queue_->run(std::move(work)); }
  std::unique_ptr<Capture> capture_work(std::function<void()> work) override {
    return queue_->capture_work(std::move(work));
  }
  void replay(const Capture& capture) override { queue_->replay(capture); }
  int copies = 0;

 private:
  std::unique_ptr<Queue> queue_;
};

// Small pieces wait for each other, and adjacent ones share a copy; large ones are copied at once.
TEST(Uploads, ShareCopies) {
  const auto backend = make_host_backend({});
  CountingQueue queue(*backend);
  std::vector<std::byte> from(400'000, std::byte{1}), halo(400'000, std::byte{0});
  Uploads uploads;
  uploads.begin(halo.data(), nullptr);
  uploads.add(queue, 200, from.data() + 200, 100);
  uploads.add(queue, 400, from.data() + 400, 50);
  uploads.add(queue, 100, from.data() + 100, 100);
  EXPECT_EQ(queue.copies, 0);
  uploads.add(queue, 1000, from.data() + 1000, 100'000);
  EXPECT_EQ(queue.copies, 3);
  uploads.add(queue, 300'000, from.data(), 10);
  uploads.add(queue, 300'010, from.data() + 20, 10);  // adjacent in the halo only
  uploads.end(queue);
  EXPECT_EQ(queue.copies, 5);
  for (const auto& [at, bytes] : {std::pair{100, 200}, {400, 50}, {1000, 100'000}, {300'000, 20}}) {
    EXPECT_EQ(halo[static_cast<std::size_t>(at - 1)], std::byte{0});
    EXPECT_EQ(halo[static_cast<std::size_t>(at)], std::byte{1});
    EXPECT_EQ(halo[static_cast<std::size_t>(at + bytes - 1)], std::byte{1});
    EXPECT_EQ(halo[static_cast<std::size_t>(at + bytes)], std::byte{0});
  }
}

TEST(Downloads, ShareCopiesAndGroups) {
  const auto backend = make_host_backend({});
  CountingQueue queue(*backend);
  std::vector<std::byte> send_buffer(400'000, std::byte{1}), even(400'000, std::byte{0}), odd = even;
  Downloads downloads(backend);
  const auto add = [&](std::size_t from, std::size_t to, std::size_t bytes) {
    downloads.add(from, {even.data() + to, odd.data() + to}, bytes);
  };
  add(0, 100, 100);
  add(100, 200, 100);
  add(300, 300, 100'000);  // adjacent in host memory only
  add(200'000, 200'000, 100'000);
  downloads.queue(queue, send_buffer.data(), 1, nullptr);
  EXPECT_EQ(queue.copies, 3);
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  downloads.wait(queue, [&](std::size_t first, std::size_t count) { groups.emplace_back(first, count); });
  EXPECT_EQ(groups, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 3}, {3, 1}}));
  EXPECT_EQ(even, std::vector<std::byte>(400'000, std::byte{0}));
  EXPECT_EQ(std::count(odd.begin(), odd.end(), std::byte{1}), 200'200);
}

}  // namespace
}  // namespace spmv::test
