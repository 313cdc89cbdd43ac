// The orders of x and y of a matrix, for vectors and for multivectors.
#include <tuple>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/row_order.hpp"
#include "lib/matrix.hpp"

namespace spmv::lib {
namespace {

/// The positions of all columns of elements that are at these positions. Pure.
std::vector<lidx> in_columns(const std::vector<lidx>& order, int columns) {
  std::vector<lidx> all;
  all.reserve(order.size() * static_cast<std::size_t>(columns));
  for (const lidx i : order)
    for (int j = 0; j < columns; ++j) all.push_back(i * columns + j);
  return all;
}

/// For as many columns as the matrix has now. Local.
template <class T>
std::shared_ptr<Basis<T>> new_basis(const MatrixState<T>& state, lidx size, lidx capacity,
                                    const std::vector<lidx>& order) {
  DistMatrix<T>& matrix = *state.matrix;
  auto basis = std::make_shared<Basis<T>>();
  basis->backend = matrix.backend();
  basis->threads = state.threads;
  basis->columns = matrix.columns();
  basis->size = size * basis->columns;
  basis->capacity = capacity * basis->columns;
  basis->own_queue = matrix.backend()->make_queue(Priority::normal);
  basis->products = &matrix.compute_queue();
  if (!order.empty()) {
    basis->to_basis = std::make_unique<Gather<T>>(in_columns(order, basis->columns), matrix.backend());
    basis->from_basis =
        std::make_unique<Gather<T>>(in_columns(inverse(order), basis->columns), matrix.backend());
  }
  return basis;
}

/// Those of x and of y. Collective.
template <class T>
std::pair<std::shared_ptr<Basis<T>>, std::shared_ptr<Basis<T>>> new_bases(const MatrixState<T>& state) {
  const DistMatrix<T>& matrix = *state.matrix;
  return state.context->communicator.together([&] {
    auto x = new_basis(state, matrix.owned(), matrix.owned() + matrix.ghosts(), matrix.operators().x_order);
    auto y = state.rows.square()
                 ? x
                 : new_basis(state, matrix.rows(), matrix.rows(), matrix.operators().row_order);
    return std::pair{std::move(x), std::move(y)};
  });
}

/// Collective; throws AgreedError.
template <class T>
SeveralColumns<T> set_up(MatrixState<T>& state, int columns) {
  const Communicator& all = state.context->communicator;
  const Scope scope(*state.context->place.backend, state.threads);
  SeveralColumns<T> made;
  state.matrix->swap_columns(made.put_away);
  try {
    state.matrix->use_columns(all, columns);
    state.matrix->use_transport(all, state.options.transport, state.mode->needs_queued_exchange,
                                state.options.dist.transport_request);
    std::tie(made.x, made.y) = new_bases(state);
  } catch (...) {
    state.matrix->swap_columns(made.put_away);
    throw;
  }
  state.matrix->swap_columns(made.put_away);
  const auto follow = [](Basis<T>& basis, const std::shared_ptr<Basis<T>>& of_vectors) {
    basis.of_vectors = of_vectors;
    basis.follows_stream = of_vectors->follows_stream;
    basis.stream = of_vectors->stream;
  };
  follow(*made.x, state.x);
  follow(*made.y, state.y);
  return made;
}

}  // namespace

template <class T>
void make_bases(MatrixState<T>& state) {
  std::tie(state.x, state.y) = new_bases(state);
}

template <class T>
const std::shared_ptr<Basis<T>>& basis_of_columns(MatrixState<T>& state, spmv_dist::Side side, int columns) {
  auto found = state.several.find(columns);
  if (found == state.several.end()) found = state.several.emplace(columns, set_up(state, columns)).first;
  return side == spmv_dist::Side::x ? found->second.x : found->second.y;
}

SPMV_INSTANTIATE(make_bases);
SPMV_INSTANTIATE(basis_of_columns);

}  // namespace spmv::lib
