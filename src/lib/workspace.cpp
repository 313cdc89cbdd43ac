// The public Workspace.
#include "lib/workspace.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "kernels/combine/combine.hpp"
#include "lib/translate.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::lib {

int require_slot(int slot, int first, int end, const char* what) {
  if (slot < first || slot >= end)
    throw Error(ExitCode::usage,
                fmt::format("{} {} was named, but they are {} to {}", what, slot, first, end - 1));
  return slot;
}
int require_summed(int slot) {
  return require_slot(slot, 0, most_sums, "slot for a sum");
}

template <class T>
void require_vector(const MatrixState<T>& A, const VectorState<T>& v) {
  if (v.basis != A.x)
    throw Error(ExitCode::usage,
                "a vector of another matrix was given: make it by make_x(), make_y() or view()");
}

template <class T>
void require_same_basis(const VectorState<T>& a, const VectorState<T>& b) {
  if (a.basis != b.basis)
    throw Error(ExitCode::usage,
                "vectors of two matrices were given, which may keep their elements in different orders: make "
                "both by the same matrix");
}

SPMV_INSTANTIATE(require_vector);
SPMV_INSTANTIATE(require_same_basis);

namespace {

template <class T>
std::shared_ptr<WorkspaceState<T>> new_workspace(const std::shared_ptr<MatrixState<T>>& A) {
  Call<T> call(*A);
  auto state = std::make_shared<WorkspaceState<T>>(A);
  state->on = make_workspace(*A);
  state->of_dots =
      A->context->communicator.together([&] { return std::make_unique<Scalars<T>>(A->matrix->backend()); });
  call.end();
  return state;
}

template <class T>
void multiply_and_sum(WorkspaceState<T>& on, MatrixState<T>& A, VectorState<T>& x, VectorState<T>& y, int xy,
                      int yy, VectorState<T>* weight) {
  require_square(A);
  require_vectors(A, x, y, false);
  require_summed(xy);
  require_summed(yy);
  if (xy == yy) throw Error(ExitCode::usage, fmt::format("(x, y) and (y, y) cannot both be in slot {}", xy));
  if (weight != nullptr) {
    require_vector(A, *weight);
    if (overlap(weight->begin(), weight->count(), y.begin(), y.count()))
      throw Error(ExitCode::usage, "weight and y overlap in memory: give each memory of its own");
  }
  Call<T> call(A);
  x.fetch();
  if (weight != nullptr) weight->fetch();
  on.on->multiply(operator_as_given(A), elements_of(x), elements_of(y),
                  {xy, yy, weight == nullptr ? nullptr : weight->data});
  y.bring();
  on.sums_wait = true;
  call.end();
}

/// y = A x, also of a matrix that is not square.
template <class T>
void multiply(WorkspaceState<T>& on, MatrixState<T>& A, VectorState<T>& x, VectorState<T>& y) {
  require_vectors(A, x, y, false);
  Call<T> call(A);
  x.fetch();
  on.on->multiply(operator_as_given(A), elements_of(x), elements_of(y));
  y.bring();
  call.end();
}

/// (a, b) of all ranks. Waits. Collective.
template <class T>
ScalarOf<T> dot(WorkspaceState<T>& on, VectorState<T>& a, VectorState<T>& b) {
  MatrixState<T>& A = *on.A;
  require_same_basis(a, b);
  Call<T> call(A);
  a.fetch();
  if (&a != &b) b.fetch();
  Combination<T> c;
  c.sum(0, elements_of(a), elements_of(b));
  Scalars<T>& scalars = *on.of_dots;
  queue_combination(call.queue(), c, scalars, 0);
  queue_own_sums(call.queue(), scalars, {0, 1});
  call.queue().synchronize();
  ScalarOf<T> mine{};
  download(*A.matrix->backend(), &mine, scalars.slot(0), 1);
  ScalarOf<T> total{};
  for (const ScalarOf<T>& part : A.context->communicator.all_gather(mine)) total = total + part;
  return total;
}

template <class T>
ScalarOf<T> value_of(WorkspaceState<T>& on, int slot) {
  require_slot(slot, 0, most_slots, "slot");
  Call<T> call(*on.A);
  if (slot < most_sums) on.add_up();
  return on.on->read(slot);
}

template <class T>
spmv_dist::Line line_of(WorkspaceState<T>& on) {
  const Scope scope(*on.A->context->place.backend, on.A->threads);
  spmv_dist::Line line;
  line.column.fill(std::numeric_limits<double>::infinity());
  const std::uint64_t behind = on.on->lines_ahead();
  if (on.newest_line <= behind) return line;
  line.number = static_cast<std::int64_t>(on.newest_line - behind);
  line.column = on.on->line(on.newest_line - behind);
  return line;
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::MatrixState;
using spmv::lib::vector_of;
using spmv::lib::WorkspaceState;

template <class T>
Workspace<T>::Workspace(Matrix<T>& A) {
  state_ = translated([&] { return spmv::lib::new_workspace(Access::state<MatrixState<T>>(A)); });
}

template <class T>
void Workspace<T>::multiply(Matrix<T>& A, Vector<T>& x, Vector<T>& y) {
  translated([&] {
    spmv::lib::multiply<T>(*Access::state<WorkspaceState<T>>(*this), *Access::state<MatrixState<T>>(A),
                           *vector_of(x), *vector_of(y));
  });
}

template <class T>
void Workspace<T>::begin_loop() {
  translated([&] {
    const auto state = Access::state<WorkspaceState<T>>(*this);
    const spmv::lib::Scope scope(*state->A->context->place.backend, state->A->threads);
    state->on->begin_loop();
  });
}

template <class T>
void Workspace<T>::end_loop() {
  translated([&] { Access::state<WorkspaceState<T>>(*this)->on->end_loop(); });
}

template <class T>
void Workspace<T>::multiply_and_sum(Matrix<T>& A, Vector<T>& x, Vector<T>& y, int xy, int yy) {
  translated([&] {
    spmv::lib::multiply_and_sum<T>(*Access::state<WorkspaceState<T>>(*this),
                                   *Access::state<MatrixState<T>>(A), *vector_of(x), *vector_of(y), xy, yy,
                                   nullptr);
  });
}

template <class T>
void Workspace<T>::multiply_and_sum(Matrix<T>& A, Vector<T>& x, Vector<T>& y, int xy, int yy,
                                    const Vector<T>& weight) {
  translated([&] {
    spmv::lib::multiply_and_sum<T>(*Access::state<WorkspaceState<T>>(*this),
                                   *Access::state<MatrixState<T>>(A), *vector_of(x), *vector_of(y), xy, yy,
                                   vector_of(weight).get());
  });
}

template <class T>
void Workspace<T>::run(const Combination<T>& combination) {
  translated([&] { spmv::lib::run_combination(*Access::state<WorkspaceState<T>>(*this), combination); });
}

template <class T>
Line Workspace<T>::line() const {
  return translated([&] { return spmv::lib::line_of(*Access::state<WorkspaceState<T>>(*this)); });
}

template <class T>
Scalar<T> Workspace<T>::value(int slot) {
  return translated(
      [&] { return spmv::to_standard(spmv::lib::value_of(*Access::state<WorkspaceState<T>>(*this), slot)); });
}

template <class T>
Scalar<T> Workspace<T>::dot(const Vector<T>& a, const Vector<T>& b) const {
  return translated([&] {
    return spmv::to_standard(
        spmv::lib::dot(*Access::state<WorkspaceState<T>>(*this), *vector_of(a), *vector_of(b)));
  });
}

template <class T>
double Workspace<T>::norm(const Vector<T>& a) const {
  return std::sqrt(std::real(dot(a, a)));
}

template <class T>
std::string Workspace<T>::transport() const {
  return translated([&] {
    const auto state = Access::state<WorkspaceState<T>>(*this);
    return fmt::format("{}", fmt::join(state->on->sums_transports(), ", then "));
  });
}

SPMV_INSTANTIATE_CLASS(Workspace);

}  // namespace spmv_dist
