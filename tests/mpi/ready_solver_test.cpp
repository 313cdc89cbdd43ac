// A solver for several right-hand sides: it works in the memory that it got at first.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/function_preconditioner.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

/// The host backend, which counts allocations.
class CountingBackend final : public Backend {
 public:
  std::unique_ptr<Queue> make_queue(Priority priority) override { return host_->make_queue(priority); }
  std::unique_ptr<Event> make_event() override { return host_->make_event(); }
  void* allocate(std::size_t bytes, Memory memory) override {
    ++allocations_;
    return host_->allocate(bytes, memory);
  }
  void release(void* at, Memory memory) noexcept override { host_->release(at, memory); }
  MemoryInfo memory() const override { return host_->memory(); }
  std::string describe() const override { return host_->describe(); }
  const char* name() const override { return host_->name(); }
  int allocations() const { return allocations_; }

 private:
  std::shared_ptr<Backend> host_ = make_host_backend({});
  int allocations_ = 0;
};

std::shared_ptr<Backend> make_counting_backend(const Communicator&) {
  return std::make_shared<CountingBackend>();
}

template <class T>
class ReadySolvers : public testing::Test {
 protected:
  Solved<T> solved_{
      system_, {"host", make_counting_backend}, pick(modes<T>(), "vector", "mode"), "staged", "pjds"};
  int allocations() { return dynamic_cast<const CountingBackend&>(solved_.on().backend()).allocations(); }
  static inline const SmallSystem<T> system_ = grid<T>("grid", 9, 7, 0.3, true);
};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ReadySolvers, ValueTypes);

/// Of other right-hand sides, and in other vectors than before.
TYPED_TEST(ReadySolvers, SolveAgainAsNewOnes) {
  using T = TypeParam;
  Workspace<T>& on = this->solved_.on();
  std::vector<T> other;
  for (gidx i = 0; i < this->system_.rows; ++i) other.push_back(x_value<T>(i, 5));
  const Operator<T>& A = this->solved_.A();
  const Vector<T> b = A.make_vector(), x = A.make_vector(), second_b = A.make_vector(),
                  second_x = A.make_vector(), fresh_x = A.make_vector();
  this->solved_.set(b, this->system_.right_hand_side());
  this->solved_.set(second_b, other);
  const SolveOptions options{.tolerance = 1e-3};
  SolveOptions again = options;
  again.check = false;
  for (const SolverRow<T>& row : solvers<T>())
    for (const PreconditionerRow<T>& preconditioner : preconditioners<T>()) {
      SCOPED_TRACE(std::string(row.name) + ", " + preconditioner.name);
      const auto m = preconditioner.make(this->solved_.request());
      ReadySolver<T> solver(row, on, A, *m);
      for (const Vector<T>* from : {&x, &second_x, &fresh_x}) on.queue().fill(from->data(), 0, from->bytes());
      solver.solve(x, b, options);
      const int before = this->allocations();
      const SolveResult second = solver.solve(second_x, second_b, again);
      EXPECT_EQ(this->allocations(), before);
      const SolveResult fresh = solve(row, on, A, *m, fresh_x, second_b, options);
      EXPECT_EQ(second.stop, Stop::converged) << second.reason;
      EXPECT_EQ(second.history, fresh.history);
      EXPECT_EQ(this->solved_.whole(second_x), this->solved_.whole(fresh_x));
    }
}

/// A solve that breaks off leaves numbers that are not finite behind.
TYPED_TEST(ReadySolvers, ForgetABadSolve) {
  using T = TypeParam;
  Workspace<T>& on = this->solved_.on();
  const Operator<T>& A = this->solved_.A();
  const Vector<T> b = A.make_vector(), x = A.make_vector(), fresh_x = A.make_vector();
  this->solved_.set(b, this->system_.right_hand_side());
  for (const SolverRow<T>& row : solvers<T>()) {
    SCOPED_TRACE(row.name);
    bool bad = true;
    const auto diagonal = this->solved_.make("jacobi", this->solved_.request());
    FunctionPreconditioner<T> m([&](const VectorRef<T>& r, const VectorRef<T>& z) {
      diagonal->apply(r, z);
      if (bad) on.queue().fill(z.at, 0xff, static_cast<std::size_t>(z.count) * sizeof(T));
    });
    ReadySolver<T> solver(row, on, A, m);
    on.queue().fill(x.data(), 0, x.bytes());
    on.queue().fill(fresh_x.data(), 0, x.bytes());
    EXPECT_EQ(solver.solve(x, b, {}).stop, Stop::not_finite);
    bad = false;
    on.queue().fill(x.data(), 0, x.bytes());
    const SolveResult again = solver.solve(x, b, {.tolerance = 1e-3});
    EXPECT_EQ(again.stop, Stop::converged) << again.reason;
    EXPECT_EQ(again.history, solve(row, on, A, m, fresh_x, b, {.tolerance = 1e-3}).history);
  }
}

}  // namespace
}  // namespace spmv::test
