// The moments and time evolution of spectrum.h, over the C++ interface.
#include <algorithm>
#include <cstdint>
#include <functional>

#include "lib/c_handles.hpp"
#include "spmv_dist/spectrum.h"
#include "spmv_dist/spectrum.hpp"

namespace {

using namespace spmv_dist::c;

/// Calls work(A, x), both of one value type.
template <class Work>
void with_matrix_and_vector(spmv_dist_matrix* A, spmv_dist_vector* x, const char* x_name, const Work& work) {
  auto& of_x = deref(x, x_name).vector;
  std::visit(
      [&](auto& matrix) {
        using Vector = spmv_dist::Vector<typename std::decay_t<decltype(matrix)>::Value>;
        auto* const vector = std::get_if<Vector>(&of_x);
        if (vector == nullptr)
          throw spmv_dist::Error(
              spmv_dist::Code::usage,
              std::string(x_name) + " is a vector of another matrix, of another value type");
        work(matrix, *vector);
      },
      deref(A, "A").matrix);
}

/// Of the functions of both options.
std::function<bool(std::int64_t)> watch_of(int (*watch)(std::int64_t, void*), void* data) {
  if (watch == nullptr) return {};
  return [=](std::int64_t done) { return watch(done, data) != 0; };
}

spmv_dist::MomentsOptions moments_options_of(const spmv_dist_moments_options& given) {
  return {given.moments,
          given.vectors,
          given.seed,
          {given.bounds[0], given.bounds[1]},
          watch_of(given.watch, given.watch_data)};
}

spmv_dist::Moments moments_by(spmv_dist_matrix* A, spmv_dist_vector* v,
                              const spmv_dist::MomentsOptions& options) {
  spmv_dist::Moments result;
  if (v == nullptr)
    std::visit([&](auto& matrix) { result = spmv_dist::moments(matrix, options); }, deref(A, "A").matrix);
  else
    with_matrix_and_vector(A, v, "v",
                           [&](auto& matrix, auto& vector) { result = moments_of(matrix, vector, options); });
  return result;
}

}  // namespace

void spmv_dist_moments_options_init(spmv_dist_moments_options* options) {
  if (options == nullptr) return;
  const spmv_dist::MomentsOptions defaults;
  *options = {defaults.moments, defaults.vectors, defaults.seed, {0, 0}, nullptr, nullptr};
}

int spmv_dist_moments(spmv_dist_matrix* A, spmv_dist_vector* v, const spmv_dist_moments_options* options,
                      double* moments, spmv_dist_moments_result* result, spmv_dist_status* status) {
  spmv_dist_moments_options given;
  spmv_dist_moments_options_init(&given);
  if (options != nullptr) given = *options;
  return guarded(status, [&] {
    spmv_dist_moments_result& out = deref(result, "result");
    out = {};
    deref(moments, "moments");
    const spmv_dist::Moments found = moments_by(A, v, moments_options_of(given));
    double* to = moments;
    for (const auto& mu : found.of_vector) to = std::copy(mu.begin(), mu.end(), to);
    const bool widened = found.bounds_from.rfind("widened", 0) == 0;
    out = {{found.bounds.low, found.bounds.high},
           widened ? 1 : 0,
           static_cast<int>(found.of_vector.size()),
           found.norm,
           found.products,
           found.seconds,
           found.of_vector.empty() ? 0 : static_cast<int>(found.of_vector.front().size()),
           static_cast<int>(found.stop)};
  });
}

int spmv_dist_density_of_states(const spmv_dist_moments_options* options, const double* moments,
                                const spmv_dist_moments_result* result, int energies, double* energy,
                                double* density, double* error, spmv_dist_status* status) {
  spmv_dist_moments_options given;
  spmv_dist_moments_options_init(&given);
  if (options != nullptr) given = *options;
  return guarded(status, [&] {
    deref(energy, "energy");
    deref(density, "density");
    const double* from = &deref(moments, "moments");
    const spmv_dist_moments_result& of = deref(result, "result");
    if (given.moments < 1)
      throw spmv_dist::Error(spmv_dist::Code::usage,
                             "options->moments is " + std::to_string(given.moments) +
                                 ": pass the options that the moments were computed with");
    if (of.moments < 0 || of.moments > given.moments)
      throw spmv_dist::Error(spmv_dist::Code::usage, "result->moments is " + std::to_string(of.moments) +
                                                         " and options->moments " +
                                                         std::to_string(given.moments) +
                                                         ": pass what spmv_dist_moments() got and returned");
    spmv_dist::Moments all;
    all.bounds = {of.bounds[0], of.bounds[1]};
    for (int i = 0; i < of.vectors; ++i, from += given.moments)
      all.of_vector.emplace_back(from, from + of.moments);
    const spmv_dist::Density found = spmv_dist::density_of_states(all, energies);
    std::copy(found.energy.begin(), found.energy.end(), energy);
    std::copy(found.density.begin(), found.density.end(), density);
    if (error == nullptr) return;
    std::fill_n(error, energies, 0.0);
    std::copy(found.error.begin(), found.error.end(), error);
  });
}

void spmv_dist_evolve_options_init(spmv_dist_evolve_options* options) {
  if (options == nullptr) return;
  const spmv_dist::EvolveOptions defaults;
  *options = {defaults.tolerance, defaults.imaginary_time ? 1 : 0, {0, 0}, nullptr, nullptr};
}

int spmv_dist_evolve(spmv_dist_matrix* A, spmv_dist_vector* x, double t,
                     const spmv_dist_evolve_options* options, spmv_dist_evolve_result* result,
                     spmv_dist_status* status) {
  spmv_dist_evolve_options given;
  spmv_dist_evolve_options_init(&given);
  if (options != nullptr) given = *options;
  return guarded(status, [&] {
    spmv_dist_evolve_result& out = deref(result, "result");
    out = {};
    spmv_dist::EvolveOptions wanted;
    wanted.tolerance = given.tolerance;
    wanted.imaginary_time = given.imaginary_time != 0;
    wanted.bounds = {given.bounds[0], given.bounds[1]};
    wanted.watch = watch_of(given.watch, given.watch_data);
    with_matrix_and_vector(A, x, "x", [&](auto& matrix, auto& vector) {
      const spmv_dist::EvolveResult done = evolve(matrix, vector, t, wanted);
      out = {{done.bounds.low, done.bounds.high},
             done.terms,
             done.products,
             done.norm_before,
             done.norm_after,
             done.seconds,
             static_cast<int>(done.stop)};
    });
  });
}
