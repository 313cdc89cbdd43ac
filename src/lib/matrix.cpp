// The public Matrix without its products.
#include "lib/matrix.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "lib/translate.hpp"
#include "lib/vector.hpp"

namespace spmv::lib {
namespace {

template <class T>
std::shared_ptr<MatrixState<T>> new_matrix(const std::shared_ptr<ContextState>& context,
                                           const spmv_dist::Rows<T>& rows, const Named& named) {
  const Communicator& all = context->communicator;
  require_same_options(all, named, {{"the value type", value_name<T>()}});
  MatrixOptions options = all.together([&] {
    Settings settings(named);
    return read_options(settings);
  });
  const Scope scope(*context->place.backend, context->place.threads);
  auto state = std::make_shared<MatrixState<T>>(context, std::move(options));
  take_matrix(*state, rows);
  build_matrix(*state);
  make_bases(*state);
  if (state->options.inner) build_inner(*state);
  drop_values(*state);
  if (!state->options.updates) state->rows.block = {};
  return state;
}

template <class T>
void update_values(MatrixState<T>& state, const T* values, std::int64_t count, spmv_dist::Where where) {
  const Communicator& all = state.context->communicator;
  const Scope scope(*state.context->place.backend, state.context->place.threads);
  std::vector<T> placed = all.together([&] {
    if (!state.options.updates)
      throw Error(
          ExitCode::usage,
          "values cannot be replaced in a matrix that was made with option updates=off: use updates=on");
    if (count != state.elements)
      throw Error(ExitCode::usage,
                  fmt::format("{} values were given on rank {}, but the matrix was made from {} there", count,
                              all.rank(), state.elements));
    return place_values(state.place, state.callers_row_ptr.back(),
                        to_host(state.context->place.backend, values, count, where, "values"));
  });
  state.rows.block.value =
      state.moves ? state.moves->rows.carry(state.callers_row_ptr, placed) : std::move(placed);
  ++state.updates;  // whatever fails from here on, what was made of the earlier values is out of date
  state.is_complete = false;
  state.matrix->replace_values(all, state.rows, state.options.dist);
  if (state.inner != nullptr) replace_inner(state);
  drop_values(state);
  state.is_complete = true;
}

/// Elements of x or y in the matrix's distribution, or `back` in the caller's. Collective.
template <class T>
std::vector<T> carried(const MatrixState<T>& state, spmv_dist::Side side, const std::vector<T>& values,
                       bool back) {
  const Move* move = !state.moves                 ? nullptr
                     : side == spmv_dist::Side::x ? &state.moves->cols
                                                  : &state.moves->rows;
  const auto callers =
      static_cast<std::size_t>(move != nullptr ? move->new_ids().size() : state.basis(side)->size);
  const auto expected = back ? static_cast<std::size_t>(state.basis(side)->size) : callers;
  state.context->communicator.together([&] {
    if (values.size() != expected)
      throw Error(ExitCode::usage, fmt::format("{} elements were given on rank {}, but {} are expected there",
                                               values.size(), state.context->communicator.rank(), expected));
  });
  if (move == nullptr) return values;
  return back ? move->carry_back(values) : move->carry(values);
}

template <class T>
void finish(MatrixState<T>& state) {
  const Scope scope(*state.context->place.backend, state.threads);
  state.matrix->compute_queue().synchronize();
}

template <class T>
void follow(MatrixState<T>& state, bool follows, void* stream) {
  const Scope scope(*state.context->place.backend, state.threads);
  if (follows) state.matrix->compute_queue().wait_for_stream(stream);  // throws if the backend has no streams
  for (Basis<T>* basis : state.all_bases()) {
    basis->follows_stream = follows;
    basis->stream = stream;
  }
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::MatrixState;

namespace {

template <class T>
std::shared_ptr<MatrixState<T>> state_of(const Matrix<T>& matrix) {
  return Access::state<MatrixState<T>>(matrix);
}

}  // namespace

template <class T>
Matrix<T>::Matrix(const Context& context, const Rows<T>& rows, const Options& options) {
  state_ = translated([&] {
    return spmv::lib::new_matrix(Access::state<spmv::lib::ContextState>(context), rows,
                                 Access::settings(options));
  });
}

template <class T>
std::int64_t Matrix<T>::global_rows() const {
  return translated([&] { return state_of(*this)->rows.shape.rows; });
}

template <class T>
std::int64_t Matrix<T>::global_cols() const {
  return translated([&] { return state_of(*this)->rows.shape.cols; });
}

template <class T>
std::int64_t Matrix<T>::global_elements() const {
  return translated([&] { return state_of(*this)->global_elements; });
}

template <class T>
std::int64_t Matrix<T>::size(Side side) const {
  return translated([&] { return state_of(*this)->basis(side)->size; });
}

template <class T>
std::int64_t Matrix<T>::capacity(Side side) const {
  return translated([&] { return state_of(*this)->basis(side)->capacity; });
}

template <class T>
std::vector<std::int64_t> Matrix<T>::ids(Side side) const {
  return translated([&] { return state_of(*this)->ids[static_cast<std::size_t>(side)]; });
}

template <class T>
bool Matrix<T>::keeps_distribution() const {
  return translated([&] { return !state_of(*this)->moves.has_value(); });
}

template <class T>
std::vector<T> Matrix<T>::to_matrix(Side side, const std::vector<T>& callers) const {
  return translated([&] { return spmv::lib::carried(*state_of(*this), side, callers, false); });
}

template <class T>
std::vector<T> Matrix<T>::to_caller(Side side, const std::vector<T>& matrixs) const {
  return translated([&] { return spmv::lib::carried(*state_of(*this), side, matrixs, true); });
}

template <class T>
Vector<T> Matrix<T>::make(Side side) const {
  return translated(
      [&] { return Access::make_vector<T>(spmv::lib::new_vector(state_of(*this)->basis(side))); });
}

template <class T>
Vector<T> Matrix<T>::view(Side side, T* at, std::int64_t count) const {
  return translated(
      [&] { return Access::make_vector<T>(spmv::lib::new_view(state_of(*this)->basis(side), at, count)); });
}

template <class T>
void Matrix<T>::update_values(const T* values, std::int64_t count, Where where) {
  translated([&] { spmv::lib::update_values(*state_of(*this), values, count, where); });
}

template <class T>
void Matrix<T>::order_with(void* cuda_stream) {
  translated([&] { spmv::lib::follow(*state_of(*this), true, cuda_stream); });
}

template <class T>
void Matrix<T>::order_with_none() {
  translated([&] { spmv::lib::follow(*state_of(*this), false, nullptr); });
}

template <class T>
void Matrix<T>::synchronize() {
  translated([&] { spmv::lib::finish(*state_of(*this)); });
}

template <class T>
std::string Matrix<T>::mode() const {
  return translated([&] { return std::string(state_of(*this)->mode->name); });
}

template <class T>
std::string Matrix<T>::layout() const {
  return translated([&] { return state_of(*this)->matrix->layout(); });
}

template <class T>
std::string Matrix<T>::transport() const {
  return translated([&] { return state_of(*this)->matrix->transport_choice().name; });
}

template <class T>
std::string Matrix<T>::format() const {
  return translated([&] { return state_of(*this)->matrix->operators().blocks().front()->decision.format; });
}

template <class T>
std::string Matrix<T>::describe() const {
  return translated([&] { return spmv::lib::describe(*state_of(*this)); });
}

SPMV_INSTANTIATE_CLASS(Matrix);

}  // namespace spmv_dist
