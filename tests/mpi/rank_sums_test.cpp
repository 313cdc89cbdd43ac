// Sums over ranks in one round and in several, over every transport: right, and the same bits on all ranks.
#include "dist/solve/rank_sums.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/mpi_test.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

template <class T>
class RankSumsTest : public BackendsTest {};
using ValueTypes = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(RankSumsTest, ValueTypes);

constexpr SummedSlots slots{0, 3};

/// Part `part` of sum `number`, of all slots and columns, of this rank: of such different sizes that another order of adding gives
/// other bits.
template <class S>
S part_of(int rank, int number, int part, int turn) {
  const double size = ((rank + part) % 3 == 0 ? 1e10 : 1) / (3.0 + rank + 5 * number + 7 * part + 11 * turn);
  if constexpr (std::is_same_v<S, double>)
    return size;
  else
    return {size, -size / 3};
}

std::string bits_of(const void* data, std::size_t bytes) {
  return {static_cast<const char*>(data), bytes};
}

/// Returns the bits of all sums.
template <class T>
std::string check_sums(const std::shared_ptr<Backend>& backend, const std::vector<int>& node, RoundLimits limits,
                const std::string& transport, int columns) {
  using S = ScalarOf<T>;
  const Communicator& all = world();
  Scalars<T> scalars(backend, columns);
  RankSums<T> sums(all, backend, scalars, slots, sum_rounds(node, all.rank(), limits), transport, {});
  const auto queue = backend->make_queue(Priority::normal);
  std::string bits;
  constexpr int parts = 5;
  for (int turn = 0; turn < 4; ++turn) {
    const int numbers = slots.count * columns;
    for (int number = 0; number < numbers; ++number) {
      const int slot = number % slots.count, column = number / slots.count;
      std::vector<S> mine;
      for (int part = 0; part < parts; ++part) mine.push_back(part_of<S>(all.rank(), number, part, turn));
      backend->upload(scalars.partial(slot) + column * parts_apart, mine.data(), mine.size() * sizeof(S));
      scalars.parts(slot) = parts;
      const double nan = std::numeric_limits<double>::quiet_NaN();
      const std::vector<double> poison(sizeof(S) / sizeof(double), nan);
      backend->upload(scalars.slot(slot, column), poison.data(), sizeof(S));
    }
    sums.start(*queue);
    sums.finish(*queue);
    queue->synchronize();
    std::vector<S> found(static_cast<std::size_t>(numbers));
    for (int number = 0; number < numbers; ++number) {
      S& one_found = found[static_cast<std::size_t>(number)];
      download(*backend, &one_found, scalars.slot(number % slots.count, number / slots.count), 1);
      long double expected = 0, size = 0;
      for (int rank = 0; rank < all.size(); ++rank)
        for (int part = 0; part < parts; ++part) {
          const long double one = real_part(part_of<S>(rank, number, part, turn));
          expected += one;
          size += one;
        }
      EXPECT_NEAR(real_part(one_found), static_cast<double>(expected), 1e-14 * static_cast<double>(size));
    }
    bits += bits_of(found.data(), found.size() * sizeof(S));
  }
  for (const std::string& other : all.all_gather(bits)) EXPECT_EQ(other, bits);
  return bits;
}

TYPED_TEST(RankSumsTest, AreTheSameOnAllRanksOverEveryTransport) {
  const int ranks = world().size();
  std::vector<int> one_node(static_cast<std::size_t>(ranks), 0), pairs, in_turns;
  for (int rank = 0; rank < ranks; ++rank) {
    pairs.push_back(rank / 2);
    in_turns.push_back(rank % 2);
  }
  for (const TestBackend& row : product_backends()) {
    const std::shared_ptr<Backend> backend = row.make(world());
    for (const Transport* transport : usable_transports(world(), backend))
      for (const auto& node : {one_node, pairs, in_turns})
        for (const RoundLimits limits : {RoundLimits{}, {2, 2}}) {
          SCOPED_TRACE(std::string(row.name) + " " + transport->name);
          for (const int columns : {1, 3})
            check_sums<TypeParam>(backend, node, limits, transport->name, columns);
        }
  }
}

/// Neighbours are added in pairs, so it makes no difference which rounds do it.
TYPED_TEST(RankSumsTest, AreTheSameOnOneNodeAndOnSeveral) {
  std::vector<int> one_node(static_cast<std::size_t>(world().size()), 0), pairs, fours;
  for (int rank = 0; rank < world().size(); ++rank) {
    pairs.push_back(rank / 2);
    fours.push_back(rank / 4);
  }
  const std::shared_ptr<Backend> backend = product_backends().front().make(world());
  const auto sums = [&](const std::vector<int>& node, RoundLimits limits) {
    return check_sums<TypeParam>(backend, node, limits, "staged", 1);
  };
  const std::string expected = sums(one_node, {});
  EXPECT_EQ(sums(one_node, {2, 2}), expected);
  EXPECT_EQ(sums(pairs, {}), expected);
  EXPECT_EQ(sums(pairs, {2, 2}), expected);
  EXPECT_EQ(sums(fours, {}), expected);
}

}  // namespace
}  // namespace spmv::test
