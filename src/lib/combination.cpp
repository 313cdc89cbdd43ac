// The public Number and Combination: formulas and steps on vectors, as kernels/combine takes them.
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "lib/workspace.hpp"

namespace spmv::lib {
namespace {

static_assert(most_sums == 4 && most_vectors == 6 && most_changes == 6 && most_slots == 32 &&
                  record_width == 4 && Formula::most_steps == 40,
              "spmv_dist/solve.hpp names these limits");

using Operation = spmv_dist::Number::Operation;

/// A step of a formula that belongs to no combination yet.
struct Node {
  Operation operation;
  double constant = 0;
  int slot = 0;
  std::shared_ptr<const Node> a, b;
};

std::shared_ptr<const Node> node_of(const spmv_dist::Number& number) {
  return spmv_dist::internal::Access::state<const Node>(number);
}

template <class T>
class CombinationState {
 public:
  explicit CombinationState(std::shared_ptr<MatrixState<T>> A)
      : A_(std::move(A)), built_(A_->matrix->rows()) {}

  void set(const std::shared_ptr<VectorState<T>>& target, const std::vector<spmv_dist::Term<T>>& terms);
  void multiply(const std::shared_ptr<VectorState<T>>& target, const std::shared_ptr<VectorState<T>>& a,
                const std::shared_ptr<VectorState<T>>& b) {
    built_.multiply(changed(target), name(a), name(b));
  }
  void sum(int slot, const std::shared_ptr<VectorState<T>>& a, const std::shared_ptr<VectorState<T>>& b) {
    built_.sum(require_summed(slot), name(a), name(b));
    sums_ = true;
  }
  void store(int slot, const std::shared_ptr<const Node>& number) {
    require_slot(slot, most_sums, most_slots, "slot for a stored number");
    built_.formula.store(slot, value(number));
    stored_.insert(slot);
    require_unread();
  }
  void record(int column, const std::shared_ptr<const Node>& number) {
    built_.formula.record(require_slot(column, 0, record_width, "column"), value(number));
  }
  void run(WorkspaceState<T>& on);

 private:
  VectorName name(const std::shared_ptr<VectorState<T>>& vector);
  VectorName changed(const std::shared_ptr<VectorState<T>>& target) {
    const VectorName named = name(target);
    vectors_[static_cast<std::size_t>(named.number)].changes = true;
    return named;
  }
  Value value(const std::shared_ptr<const Node>& node);
  Value added(const Node& node);
  void require_unread() const {
    for (const int slot : stored_)
      if (read_.contains(slot))
        throw Error(ExitCode::usage,
                    fmt::format("a combination both stores and reads slot {}: read it in another one", slot));
  }

  struct Used {
    std::shared_ptr<VectorState<T>> vector;
    bool changes = false;
  };
  std::shared_ptr<MatrixState<T>> A_;
  spmv::Combination<T> built_;
  std::vector<Used> vectors_;                            // by VectorName::number
  std::map<std::shared_ptr<const Node>, Value> values_;  // steps that are there already
  std::set<int> read_, stored_;                          // slots
  bool sums_ = false;
};

template <class T>
VectorName CombinationState<T>::name(const std::shared_ptr<VectorState<T>>& vector) {
  require_vector(*A_, *vector);
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    const VectorState<T>& used = *vectors_[i].vector;
    if (&used == vector.get() || (used.data == vector->data && used.data != nullptr))
      return {static_cast<int>(i)};
    if (overlap(used.begin(), used.count(), vector->begin(), vector->count()))
      throw Error(
          ExitCode::usage,
          "two vectors of a combination overlap in memory: give each memory of its own, that of the halo "
          "included");
  }
  const VectorName named = built_.vector(vector->data);
  vectors_.push_back({vector});
  return named;
}

template <class T>
Value CombinationState<T>::value(const std::shared_ptr<const Node>& node) {
  const auto found = values_.find(node);
  if (found != values_.end()) return found->second;
  const Value made = added(*node);
  values_.emplace(node, made);
  return made;
}

template <class T>
Value CombinationState<T>::added(const Node& node) {
  Formula& f = built_.formula;
  if (node.operation == Operation::constant) return f.constant(node.constant);
  if (node.operation == Operation::slot) {
    read_.insert(node.slot);
    require_unread();
    return f.slot(node.slot);
  }
  const Value a = value(node.a), b = value(node.b);
  switch (node.operation) {
    case Operation::plus:
      return a + b;
    case Operation::minus:
      return a - b;
    case Operation::times:
      return a * b;
    case Operation::over:
      return a / b;
    case Operation::root:
      return f.root(a);
    case Operation::conjugate:
      return f.conjugate(a);
    case Operation::less:
      return a < b;
    default:
      return f.where(a, b);
  }
}

template <class T>
void CombinationState<T>::run(WorkspaceState<T>& on) {
  if (on.A != A_)
    throw Error(ExitCode::usage, "a combination of another matrix was to be run: make it for this workspace");
  Call<T> call(*A_);
  if (!read_.empty() && *read_.begin() < most_sums) on.add_up();
  for (const Used& used : vectors_) used.vector->fetch();
  on.newest_line = on.on->combine(built_);
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

template <class T>
void CombinationState<T>::set(const std::shared_ptr<VectorState<T>>& target,
                              const std::vector<spmv_dist::Term<T>>& terms) {
  std::optional<LinearForm> form;
  for (const spmv_dist::Term<T>& term : terms) {
    const VectorName named = name(vector_of(term.vector));
    const auto coefficient = node_of(term.coefficient);
    const bool one = coefficient->operation == Operation::constant && coefficient->constant == 1;
    const LinearForm added = one ? LinearForm(named) : value(coefficient) * named;
    if (!form) {
      form.emplace(added);
      form->term[0].negative = term.negative;
    } else {
      form = term.negative ? *form - added : *form + added;
    }
  }
  built_.set(changed(target), *form);
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
using spmv::lib::node_of;
using spmv::lib::vector_of;
using spmv::lib::WorkspaceState;

Number::Number(double constant)
    : state_(std::make_shared<const spmv::lib::Node>(
          spmv::lib::Node{Operation::constant, constant, 0, nullptr, nullptr})) {}

Number::Number(Operation operation, const Number& a, const Number& b)
    : state_(translated([&] {
        return std::make_shared<const spmv::lib::Node>(
            spmv::lib::Node{operation, 0, 0, node_of(a), node_of(b)});
      })) {}

Number slot(int number) {
  return Number(translated([&]() -> std::shared_ptr<const void> {
    spmv::lib::require_slot(number, 0, spmv::most_slots, "slot");
    return std::make_shared<const spmv::lib::Node>(
        spmv::lib::Node{Number::Operation::slot, 0, number, nullptr, nullptr});
  }));
}

template <class T>
Combination<T>::Combination(const Workspace<T>& on) {
  state_ = translated(
      [&] { return std::make_shared<CombinationState<T>>(Access::state<WorkspaceState<T>>(on)->A); });
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
  return spmv::lib::extend(*this, [&](auto& state) { state.store(slot, node_of(number)); });
}

template <class T>
Combination<T>& Combination<T>::record(int column, const Number& number) {
  return spmv::lib::extend(*this, [&](auto& state) { state.record(column, node_of(number)); });
}

SPMV_INSTANTIATE_CLASS(Combination);

}  // namespace spmv_dist
