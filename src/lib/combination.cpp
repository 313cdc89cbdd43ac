// The public Number and Combination, in terms of those of kernels/combine.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "lib/workspace.hpp"

namespace spmv::lib {
namespace {

static_assert(most_sums == 4 && most_vectors == 6 && most_changes == 6 && most_slots == 32 &&
                  record_width == 4 && Formula::most_steps == 64,
              "spmv_dist/solve.hpp names these limits");
static_assert(static_cast<int>(Number::Operation::where) ==
                  static_cast<int>(spmv_dist::Number::Operation::where),
              "both enumerations have the same order");

const Number& number_of(const spmv_dist::Number& number) {
  return *spmv_dist::internal::Access::state<const Number>(number);
}

std::shared_ptr<const void> state_of(const Number& number) {
  return std::make_shared<const Number>(number);
}

template <class T>
class CombinationState {
 public:
  explicit CombinationState(std::shared_ptr<MatrixState<T>> A) : A_(std::move(A)) {}

  void set(const std::shared_ptr<VectorState<T>>& target, const std::vector<spmv_dist::Term<T>>& terms);
  void multiply(const std::shared_ptr<VectorState<T>>& target, const std::shared_ptr<VectorState<T>>& a,
                const std::shared_ptr<VectorState<T>>& b) {
    const VectorRef<T> first = used(a), second = used(b);
    built_.multiply(changed(target), first, second);
  }
  void sum(int slot, const std::shared_ptr<VectorState<T>>& a, const std::shared_ptr<VectorState<T>>& b) {
    const VectorRef<T> first = used(a);
    built_.sum(require_summed(slot), first, used(b));
    sums_ = true;
  }
  void store(int slot, const Number& number) {
    require_slot(slot, most_sums, most_slots, "slot for a stored number");
    built_.store(slot, number);
    stored_.insert(slot);
    require_unread();
  }
  void record(int column, const Number& number) {
    built_.record(require_slot(column, 0, record_width, "column"), number);
    require_unread();
  }
  void require(const Number& condition) {
    built_.require(condition);
    require_unread();
  }
  void run(WorkspaceState<T>& on);

 private:
  VectorRef<T> used(const std::shared_ptr<VectorState<T>>& vector);
  VectorRef<T> changed(const std::shared_ptr<VectorState<T>>& target) {
    const VectorRef<T> elements = used(target);
    for (Used& used : vectors_)
      if (used.vector->data == target->data) used.changes = true;
    return elements;
  }
  void require_unread() const {
    for (const int slot : stored_)
      if (built_.slots().contains(slot))
        throw Error(ExitCode::usage,
                    fmt::format("a combination both stores and reads slot {}: read it in another one", slot));
  }

  struct Used {
    std::shared_ptr<VectorState<T>> vector;
    bool changes = false;
  };
  std::shared_ptr<MatrixState<T>> A_;  // of its workspace, which keeps the device
  Combination<T> built_;
  std::vector<Used> vectors_;
  std::set<int> stored_;
  bool sums_ = false;
};

template <class T>
VectorRef<T> CombinationState<T>::used(const std::shared_ptr<VectorState<T>>& vector) {
  if (!vectors_.empty()) require_same_basis(*vectors_.front().vector, *vector);
  for (const Used& used : vectors_) {
    const VectorState<T>& other = *used.vector;
    if (&other == vector.get() || (other.data == vector->data && other.data != nullptr))
      return elements_of(*vector);
    if (overlap(other.begin(), other.count(), vector->begin(), vector->count()))
      throw Error(
          ExitCode::usage,
          "two vectors of a combination overlap in memory: give each memory of its own, that of the halo "
          "included");
  }
  vectors_.push_back({vector});
  return elements_of(*vector);
}

template <class T>
void CombinationState<T>::set(const std::shared_ptr<VectorState<T>>& target,
                              const std::vector<spmv_dist::Term<T>>& terms) {
  std::optional<LinearForm<T>> form;
  for (const spmv_dist::Term<T>& term : terms) {
    const LinearForm<T> added({used(vector_of(term.vector)), number_of(term.coefficient), term.negative});
    form = form ? *form + added : added;
  }
  built_.set(changed(target), *form);
  require_unread();
}

template <class T>
void CombinationState<T>::run(WorkspaceState<T>& on) {
  if (on.A->context->place.backend != A_->context->place.backend)
    throw Error(ExitCode::usage,
                "a combination of another context was to be run: make it for this workspace");
  Call<T> call(*on.A);
  if (!built_.slots().empty() && *built_.slots().begin() < most_sums) on.add_up();
  Queue& of_vectors = vectors_.empty() ? call.queue() : vectors_.front().vector->basis->queue();
  for (const Used& used : vectors_) used.vector->fetch();
  on.on->wait_for(of_vectors);
  on.newest_line = on.on->run(built_);
  on.on->hold(of_vectors);
  for (const Used& used : vectors_)
    if (used.changes) used.vector->bring();
  if (sums_) on.sums_wait = true;
  call.end();
}

/// Calls add(state) to add something to a combination. What does not fit in is a mistake of the caller.
template <class T, class Add>
spmv_dist::Combination<T>& extend(spmv_dist::Combination<T>& combination, const Add& add) {
  spmv_dist::internal::translated([&] {
    const auto state = spmv_dist::internal::Access::state<CombinationState<T>>(combination);
    try {
      add(*state);
    } catch (const Error& error) {
      if (error.code() != ExitCode::internal) throw;
      throw Error(ExitCode::usage,
                  fmt::format("{}: at most {} vectors, {} changes, {} sums and {} steps of formulas "
                              "fit in; use several combinations",
                              error.what(), most_vectors, most_changes, most_sums, Formula::most_steps));
    }
  });
  return combination;
}

}  // namespace

template <class T>
void run_combination(WorkspaceState<T>& on, const spmv_dist::Combination<T>& combination) {
  spmv_dist::internal::Access::state<CombinationState<T>>(combination)->run(on);
}

SPMV_INSTANTIATE(run_combination);

}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::CombinationState;
using spmv::lib::number_of;
using spmv::lib::state_of;
using spmv::lib::vector_of;
using spmv::lib::WorkspaceState;

Number::Number(double constant) : state_(state_of(constant)) {}

Number::Number(Operation operation, const Number& a, const Number& b)
    : state_(translated([&] {
        return state_of({static_cast<spmv::Number::Operation>(operation), number_of(a), number_of(b)});
      })) {}

Number slot(int number) {
  return Number(translated([&] {
    spmv::lib::require_slot(number, 0, spmv::most_slots, "slot");
    return state_of(spmv::slot(number));
  }));
}

template <class T>
Combination<T>::Combination(const Workspace<T>& on) {
  state_ = translated(
      [&] { return std::make_shared<CombinationState<T>>(Access::state<WorkspaceState<T>>(on)->A); });
}

template <class T>
Combination<T>& Combination<T>::require(const Number& condition) {
  return spmv::lib::extend(*this, [&](auto& state) { state.require(number_of(condition)); });
}

template <class T>
Combination<T>& Combination<T>::set(const Vector<T>& target, const LinearForm<T>& form) {
  return spmv::lib::extend(*this, [&](auto& state) { state.set(vector_of(target), form.terms()); });
}

template <class T>
Combination<T>& Combination<T>::multiply(const Vector<T>& target, const Vector<T>& a, const Vector<T>& b) {
  return spmv::lib::extend(
      *this, [&](auto& state) { state.multiply(vector_of(target), vector_of(a), vector_of(b)); });
}

template <class T>
Combination<T>& Combination<T>::sum(int slot, const Vector<T>& a, const Vector<T>& b) {
  return spmv::lib::extend(*this, [&](auto& state) { state.sum(slot, vector_of(a), vector_of(b)); });
}

template <class T>
Combination<T>& Combination<T>::store(int slot, const Number& number) {
  return spmv::lib::extend(*this, [&](auto& state) { state.store(slot, number_of(number)); });
}

template <class T>
Combination<T>& Combination<T>::record(int column, const Number& number) {
  return spmv::lib::extend(*this, [&](auto& state) { state.record(column, number_of(number)); });
}

SPMV_INSTANTIATE_CLASS(Combination);

}  // namespace spmv_dist
