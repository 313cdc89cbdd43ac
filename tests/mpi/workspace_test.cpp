// One workspace and several matrices.
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/small_system.hpp"

namespace spmv::test {
namespace {

/// Whole numbers, so that everything is exact.
std::vector<double> start(gidx rows) {
  std::vector<double> x;
  for (gidx i = 0; i < rows; ++i) x.push_back(static_cast<double>(1 + i % 5));
  return x;
}

constexpr int rounds = 5, products = 4;

/// x = A x several times from the same start in every round, and all of these x added up. On a device, with a queue of its own.
class Chain {
 public:
  Chain(const SmallSystem<double>& system, const std::shared_ptr<Backend>& device, const char* format)
      : made_(system, product_backends().front(), mode(), "staged"),
        matrix_(world(), made_.request().rows, options(format), device),
        A(matrix_, mode()) {
    for (Vector<double>* vector : {&first, &x, &y, &all}) *vector = A.make_vector();
    upload(*device, first, matrix_.to_basis(mine(start(system.rows))));
    upload(*device, all, std::vector<double>(static_cast<std::size_t>(A.rows()), 0));
  }
  /// This rank's elements of a vector that all ranks have.
  std::vector<double> mine(const std::vector<double>& whole) {
    std::vector<double> elements;
    for (const gidx row : made_.request().rows.original_row)
      elements.push_back(whole[static_cast<std::size_t>(row)]);
    return elements;
  }
  std::vector<double> sum() const {
    std::vector<double> elements(static_cast<std::size_t>(A.rows()));
    download(*matrix_.backend(), elements.data(), all.data(), elements.size());
    return matrix_.from_basis(elements);
  }

 private:
  static const Mode<double>& mode() { return pick(modes<double>(), "vector", "mode"); }
  static DistOptions options(const char* format) {
    DistOptions chosen;
    chosen.layout = mode().layouts.front();
    chosen.format = chosen.nonlocal_format = format;
    chosen.transport = "staged";
    return chosen;
  }
  Solved<double> made_;
  DistMatrix<double> matrix_;

 public:
  Operator<double> A;
  Vector<double> first, x, y, all;
};

struct Expected {
  explicit Expected(const SmallSystem<double>& system) {
    const std::vector<double> from = start(system.rows);
    all.assign(from.size(), 0);
    std::vector<long double> x(from.begin(), from.end());
    for (int i = 0; i < products; ++i) {
      const std::vector<long double> y = system.product(x);
      xy = static_cast<double>(wide_dot<double>(x, y));
      yy = static_cast<double>(wide_dot<double>(y, y));
      x = y;
      for (std::size_t k = 0; k < x.size(); ++k) all[k] += rounds * static_cast<double>(x[k]);
    }
  }
  std::vector<double> all;
  double xy = 0, yy = 0;  // of the last product
};

/// Each has a queue of its own: nothing is read before it is there, and sums are those of the matrix that leaves them.
TEST_F(BackendsTest, WorkspacesTakeMatricesInTurn) {
  const SmallSystem<double> a = grid<double>("one", 6, 5, 1, false),
                            b = grid<double>("other", 5, 4, 2, false);
  const Expected of_a(a), of_b(b);
  for (const TestBackend& backend : product_backends()) {
    SCOPED_TRACE(backend.name);
    const std::shared_ptr<Backend> device = backend.make(world());
    Chain first(a, device, "pjds"), second(b, device, "csr");
    Workspace<double> on(world(), device, first.A.matrix().compute_queue(), "staged", TransportRequest{});
    for (int round = 0; round < rounds; ++round) {
      for (Chain* chain : {&first, &second}) on.run(Combination<double>().set(chain->x, chain->first));
      for (int i = 0; i < products; ++i) {
        on.multiply(first.A, first.x, first.y, {0, 1});
        on.multiply(second.A, second.x, second.y, {2, 3});
        for (Chain* chain : {&first, &second}) {
          Combination<double> next;
          on.run(next.set(chain->x, chain->y).set(chain->all, chain->all + chain->y));
        }
      }
    }
    on.add_up();
    EXPECT_EQ(on.read(0), of_a.xy);
    EXPECT_EQ(on.read(1), of_a.yy);
    EXPECT_EQ(on.read(2), of_b.xy);
    EXPECT_EQ(on.read(3), of_b.yy);
    EXPECT_EQ(first.sum(), first.mine(of_a.all));
    EXPECT_EQ(second.sum(), second.mine(of_b.all));
  }
}

/// y = alpha A x + beta w in the product's kernel or after it, with every layout of y: y's old elements play no part.
TEST_F(BackendsTest, ProductsTakeAnotherVectorAlong) {
  const SmallSystem<double> system = grid<double>("one", 9, 7, 1, false);
  const std::vector<double> from = start(system.rows);
  const std::vector<long double> wide(from.begin(), from.end());
  const std::vector<long double> once = system.product(wide), twice = system.product(once);
  for (const TestBackend& backend : product_backends())
    for (const char* format : {"csr", "pjds", "sell_packed", "sell_blocked"}) {
      SCOPED_TRACE(std::string(backend.name) + ", " + format);
      const std::shared_ptr<Backend> device = backend.make(world());
      Chain chain(system, device, format);
      Workspace<double> on(world(), device, chain.A.matrix().compute_queue(), "staged", TransportRequest{});
      std::vector<double> expected;
      for (std::size_t i = 0; i < from.size(); ++i)  // w is x first, and another vector then
        expected.push_back(static_cast<double>(-2 * (3 * twice[i] + 5 * once[i]) + 7 * wide[i]));
      on.queue().fill(chain.x.data(), 0xff, chain.x.bytes());
      on.queue().fill(chain.y.data(), 0xff, chain.y.bytes());
      on.multiply(chain.A, chain.first, chain.x, 3, 5, chain.first);
      on.multiply(chain.A, chain.x, chain.y, -2, 7, chain.first);
      on.run(Combination<double>().set(chain.all, chain.y));
      on.queue().synchronize();
      EXPECT_EQ(chain.sum(), chain.mine(expected));
    }
}

/// Rank 0 multiplies while the others are late. Its workspace says whom the newest matrix waits for, until it is forgotten.
TEST_F(BackendsTest, WorkspacesLookAtNoMatrixThatTheyForget) {
  const SmallSystem<double> system = grid<double>("one", 6, 5, 1, false);
  Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"), "p2p");
  Workspace<double>& on = solved.on();
  const Operator<double>& A = solved.A();
  Vector<double> x = A.make_vector(), y = A.make_vector();
  on.queue().fill(x.data(), 0, x.bytes());
  const auto multiply = [&] {
    A.queue_product(x.data(), y.data(), {});
    on.queue().synchronize();
  };
  const auto waits = [](const std::string& text) { return text.find("waits for") != std::string::npos; };
  for (const bool forgotten : {false, true}) {
    on.multiply(A, x, y);
    on.queue().synchronize();
    if (forgotten) on.forget_matrices();
    if (world().rank() != 0) {
      world().barrier();  // rank 0 comes here once it waits for the others
      multiply();
      continue;
    }
    std::thread early(multiply);
    while (world().size() > 1 && !waits(A.matrix().waiting_for())) std::this_thread::yield();
    EXPECT_EQ(waits(on.waiting_for()), !forgotten && world().size() > 1);
    world().barrier();
    early.join();
  }
}

}  // namespace
}  // namespace spmv::test
