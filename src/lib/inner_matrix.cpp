// The copy of a matrix in single precision.
#include <type_traits>
#include <utility>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/prepare_matrix.hpp"
#include "dist/solve/inner.hpp"
#include "lib/workspace.hpp"

namespace spmv::lib {
namespace {

template <class T>
DistributedRows<SingleOf<T>> single_rows(const MatrixState<T>& A) {
  return A.context->communicator.together([&] { return rows_in_single(A.rows, A.matrix->magnitudes()); });
}

}  // namespace

template <class T>
void build_inner(MatrixState<T>& A) {
  using S = SingleOf<T>;
  const Communicator& all = A.context->communicator;
  all.together([&] {
    if (std::is_same_v<S, T>)
      throw Error(ExitCode::usage,
                  "option inner=float is for values in double precision, and these are in single precision");
    require_square(A);
    require_usable<S>(A.options.inner_format, *A.context->place.backend);
  });
  InnerMatrix<T> inner;
  inner.options = A.options.dist;
  inner.options.format = inner.options.nonlocal_format = A.options.inner_format;
  inner.options.tune.sums = true;
  MatrixBuilder<S> builder(all, A.context->place, inner.options,
                           {A.options.tune_cache, spmv_dist::version(),
                            [&A](const std::string& sentence) { A.notes.push_back(sentence); }});
  inner.matrix = builder.build(single_rows(A), A.matrix->layout(), {A.matrix->shared_queue(), {}, {}});
  const Mode<S>& mode = pick(modes<S>(), A.mode->name, "mode");
  TransportRequest request = inner.options.transport_request;
  request.earlier_trials = nullptr;
  const std::string& chosen = A.matrix->transport_choice().name;
  inner.matrix->use_transport(all, chosen.empty() ? A.options.transport : chosen, mode.needs_queued_exchange,
                              request);
  inner.by.emplace(*inner.matrix, mode);
  A.inner = std::make_unique<InnerMatrix<T>>(std::move(inner));
}

template <class T>
void replace_inner(MatrixState<T>& A) {
  A.inner->matrix->replace_values(A.context->communicator, single_rows(A), A.inner->options);
}

SPMV_INSTANTIATE(build_inner);
SPMV_INSTANTIATE(replace_inner);

}  // namespace spmv::lib
