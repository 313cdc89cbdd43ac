// The public moments() and evolve().
#include <utility>

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/value_types.hpp"
#include "dist/spectrum/evolve.hpp"
#include "dist/spectrum/kpm_density.hpp"
#include "lib/guarded_watch.hpp"
#include "lib/workspace.hpp"
#include "spmv_dist/spectrum.hpp"

namespace spmv::lib {
namespace {

std::optional<Bounds> bounds_of(const spmv_dist::Bounds& bounds) {
  if (bounds.low == 0 && bounds.high == 0) return std::nullopt;
  return Bounds{bounds.low, bounds.high};
}

std::string text_of_bounds(const spmv_dist::Bounds& bounds) {
  return fmt::format("{}, {}", bounds.low, bounds.high);
}

/// Why a call ended that does all it is asked for unless `watch` stops it.
spmv_dist::Stop stop_if(bool asked) {
  return asked ? spmv_dist::Stop::asked : spmv_dist::Stop::converged;
}

spmv_dist::Moments as_public(Moments&& from) {
  spmv_dist::Moments result;
  result.bounds = {from.range.bounds.low, from.range.bounds.high};
  result.bounds_from = std::move(from.range.from);
  result.of_vector = std::move(from.of_vector);
  result.norm = from.norm;
  result.products = from.products;
  result.seconds = from.seconds;
  result.stop = stop_if(from.asked);
  return result;
}

/// `v`: nullptr for random vectors.
template <class T>
spmv_dist::Moments moments_of_matrix(MatrixState<T>& A, VectorState<T>* v,
                                     const spmv_dist::MomentsOptions& options,
                                     GuardedWatch<std::int64_t>& watch) {
  const Communicator& all = A.context->communicator;
  require_same(all, {{"the number of moments", fmt::format("{}", options.moments)},
                     {"the number of start vectors", fmt::format("{}", options.vectors)},
                     {"the seed", fmt::format("{}", options.seed)},
                     {"the bounds", text_of_bounds(options.bounds)}});
  all.together([&] {
    require_complete(A);
    operator_of_solvers(A);
    if (v != nullptr) require_vector(A, *v);
  });
  Call<T> call(A);
  const OwnWorkspace<T> on(A);
  const Operator<T>& by = operator_of_solvers(A);
  MomentsOptions wanted{options.moments, options.vectors, options.seed, bounds_of(options.bounds)};
  wanted.watch = watch.function_if_any(all);
  if (v != nullptr) v->fetch();
  Moments result = v != nullptr ? moments_of(*on, by, elements_of(*v), wanted)
                                : moments_of_random(*on, by, A.ids[1], wanted);
  call.end();
  return as_public(std::move(result));
}

template <class T>
spmv_dist::EvolveResult evolve_vector(MatrixState<T>& A, VectorState<T>& x, double t,
                                      const spmv_dist::EvolveOptions& options,
                                      GuardedWatch<std::int64_t>& watch) {
  const Communicator& all = A.context->communicator;
  require_same(all, {{"the time", fmt::format("{}", t)},
                     {"the tolerance", fmt::format("{}", options.tolerance)},
                     {"imaginary_time", options.imaginary_time ? "true" : "false"},
                     {"the bounds", text_of_bounds(options.bounds)}});
  all.together([&] {
    require_complete(A);
    operator_of_solvers(A);
    require_vector(A, x);
  });
  Call<T> call(A);
  const OwnWorkspace<T> on(A);
  const Operator<T>& by = operator_of_solvers(A);
  x.fetch();
  EvolveOptions wanted{options.imaginary_time ? Time::imaginary : Time::real, options.tolerance,
                       bounds_of(options.bounds)};
  wanted.watch = watch.function_if_any(all);
  EvolveResult from = spmv::evolve(*on, by, elements_of(x), t, wanted);
  x.bring();
  call.end();
  call.queue().synchronize();
  return {{from.range.bounds.low, from.range.bounds.high},
          std::move(from.range.from),
          from.terms,
          from.products,
          from.norm_before,
          from.norm_after,
          from.seconds,
          stop_if(from.asked)};
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::MatrixState;
using spmv::lib::VectorState;

namespace {

/// What work(watch) returns. Throws what the caller's function has thrown.
template <class Options, class Work>
auto watched(const Options& options, const Work& work) {
  spmv::lib::GuardedWatch watch(options.watch);
  auto result = translated([&] { return work(watch); });
  watch.rethrow();
  return result;
}

}  // namespace

template <class T>
Moments moments(Matrix<T>& A, const MomentsOptions& options) {
  return watched(options, [&](auto& watch) {
    return spmv::lib::moments_of_matrix<T>(*Access::state<MatrixState<T>>(A), nullptr, options, watch);
  });
}

template <class T>
Moments moments_of(Matrix<T>& A, const Vector<T>& v, const MomentsOptions& options) {
  return watched(options, [&](auto& watch) {
    return spmv::lib::moments_of_matrix<T>(*Access::state<MatrixState<T>>(A),
                                           Access::state<VectorState<T>>(v).get(), options, watch);
  });
}

template <class T>
EvolveResult evolve(Matrix<T>& A, Vector<T>& x, double t, const EvolveOptions& options) {
  return watched(options, [&](auto& watch) {
    return spmv::lib::evolve_vector(*Access::state<MatrixState<T>>(A), *Access::state<VectorState<T>>(x), t,
                                    options, watch);
  });
}

Density density_of_states(const Moments& moments, int energies) {
  return translated([&] {
    if (moments.of_vector.empty() || moments.of_vector.front().empty() || energies < 1)
      throw spmv::Error(spmv::ExitCode::usage,
                        "a density of states needs at least one moment and one energy");
    for (const auto& mu : moments.of_vector)
      if (mu.size() != moments.of_vector.front().size())
        throw spmv::Error(spmv::ExitCode::usage, "the start vectors have different numbers of moments");
    spmv::Moments from;
    from.range.bounds = {moments.bounds.low, moments.bounds.high};
    from.of_vector = moments.of_vector;
    spmv::Density density = spmv::density_of_states(from, energies);
    return Density{std::move(density.energy), std::move(density.density), std::move(density.error),
                   density.integral};
  });
}

SPMV_INSTANTIATE(moments);
SPMV_INSTANTIATE(moments_of);
SPMV_INSTANTIATE(evolve);

}  // namespace spmv_dist
