// The public eigen().
#include "dist/spectrum/eigen.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/value_types.hpp"
#include "lib/guarded_watch.hpp"
#include "lib/workspace.hpp"
#include "spmv_dist/spectrum.hpp"

namespace spmv::lib {
namespace {

static_assert(static_cast<int>(Which::highest) == static_cast<int>(spmv_dist::Which::highest),
              "both enumerations have the same order");

void require_same_search(const Communicator& all, const spmv_dist::EigenOptions& options) {
  require_same(all, {{"the count of eigenvalues", fmt::format("{}", options.count)},
                     {"the end of the spectrum", fmt::format("{}", static_cast<int>(options.which))},
                     {"the tolerance", fmt::format("{}", options.tolerance)},
                     {"the size of the subspace", fmt::format("{}", options.subspace)},
                     {"max_restarts", fmt::format("{}", options.max_restarts)},
                     {"copies", options.copies ? "true" : "false"}});
}

void require_possible(const spmv_dist::EigenOptions& options) {
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance) || options.max_restarts < 0)
    throw Error(ExitCode::usage,
                fmt::format("tolerance is {} and max_restarts {}: both must be finite and not negative",
                            options.tolerance, options.max_restarts));
  if (options.which != spmv_dist::Which::lowest && options.which != spmv_dist::Which::highest)
    throw Error(ExitCode::usage,
                fmt::format("{} names no end of the spectrum: use Which::lowest or Which::highest",
                            static_cast<int>(options.which)));
}

EigenOptions search_of(const spmv_dist::EigenOptions& options) {
  EigenOptions search;
  search.count = options.count;
  search.which = static_cast<Which>(options.which);
  search.tolerance = options.tolerance;
  search.subspace = options.subspace;
  search.max_restarts = options.max_restarts;
  search.copies = options.copies;
  return search;
}

/// A vector of a matrix in memory that is there already. Local.
template <class T>
spmv_dist::Vector<T> as_public(MatrixState<T>& A, Vector<T>&& found) {
  auto vector = std::make_shared<VectorState<T>>();
  vector->basis = A.x;
  vector->own = found.release();
  vector->data = vector->own.data();
  return spmv_dist::internal::Access::make_vector<T>(vector);
}

template <class T>
spmv_dist::EigenResult<T> as_public(MatrixState<T>& A, EigenResult<T>&& found) {
  spmv_dist::EigenResult<T> result;
  result.stop = static_cast<spmv_dist::Stop>(found.stop);
  result.values = std::move(found.values);
  for (Vector<T>& vector : found.vectors) result.vectors.push_back(as_public(A, std::move(vector)));
  result.residuals = std::move(found.residuals);
  result.norm = found.norm;
  result.subspace = found.subspace;
  result.products = found.products;
  result.restarts = found.restarts;
  result.history = std::move(found.history);
  result.seconds = found.seconds;
  result.reason = std::move(found.reason);
  return result;
}

template <class T>
spmv_dist::EigenResult<T> eigen_of(MatrixState<T>& A, const spmv_dist::EigenOptions& options,
                                   GuardedWatch<int, double>& watch) {
  const Communicator& all = A.context->communicator;
  require_same_search(all, options);
  all.together([&] {
    require_complete(A);
    require_possible(options);
    operator_of_solvers(A);
  });
  EigenOptions search = search_of(options);
  search.watch = watch.function_if_any(all);
  Call<T> call(A);
  const OwnWorkspace<T> on(A);
  EigenResult<T> found = spmv::eigen(*on, operator_of_solvers(A), search);
  call.end();
  return as_public(A, std::move(found));
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

template <class T>
EigenResult<T> eigen(Matrix<T>& A, const EigenOptions& options) {
  spmv::lib::GuardedWatch watch(options.watch);
  EigenResult<T> result = internal::translated([&] {
    return spmv::lib::eigen_of(*internal::Access::state<spmv::lib::MatrixState<T>>(A), options, watch);
  });
  watch.rethrow();
  return result;
}

SPMV_INSTANTIATE(eigen);

}  // namespace spmv_dist
