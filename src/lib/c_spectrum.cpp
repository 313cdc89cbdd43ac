// spectrum.h, over the C++ interface.
#include <algorithm>

#include "lib/c_handles.hpp"
#include "spmv_dist/spectrum.h"
#include "spmv_dist/spectrum.hpp"

namespace {

using namespace spmv_dist::c;

static_assert(SPMV_DIST_HIGHEST == static_cast<int>(spmv_dist::Which::highest),
              "both enumerations have the same order");

spmv_dist::EigenOptions eigen_options_of(const spmv_dist_eigen_options& given) {
  spmv_dist::EigenOptions options;
  options.count = given.count;
  options.which = static_cast<spmv_dist::Which>(given.which);
  options.tolerance = given.tolerance;
  options.subspace = given.subspace;
  options.max_restarts = given.max_restarts;
  options.copies = given.copies != 0;
  if (given.watch != nullptr)
    options.watch = [watch = given.watch, data = given.watch_data](int products, double residual) {
      return watch(products, residual, data) != 0;
    };
  return options;
}

template <class T>
void hand_over(const spmv_dist::EigenResult<T>& from, spmv_dist_eigen_result& to) {
  to.stop = static_cast<int>(from.stop);
  to.found = static_cast<int>(from.values.size());
  to.norm = from.norm;
  to.subspace = from.subspace;
  to.products = from.products;
  to.restarts = from.restarts;
  to.seconds = from.seconds;
  const std::size_t length = std::min(from.reason.size(), sizeof to.reason - 1);
  std::copy_n(from.reason.data(), length, to.reason);
  to.reason[length] = '\0';
}

}  // namespace

void spmv_dist_eigen_options_init(spmv_dist_eigen_options* options) {
  if (options == nullptr) return;
  const spmv_dist::EigenOptions defaults;
  *options = {defaults.count,
              static_cast<int>(defaults.which),
              defaults.tolerance,
              defaults.subspace,
              defaults.max_restarts,
              defaults.copies ? 1 : 0,
              nullptr,
              nullptr};
}

int spmv_dist_eigen(spmv_dist_matrix* A, const spmv_dist_eigen_options* options, double* values,
                    double* residuals, spmv_dist_vector** vectors, spmv_dist_eigen_result* result,
                    spmv_dist_status* status) {
  spmv_dist_eigen_options given;
  spmv_dist_eigen_options_init(&given);
  if (options != nullptr) given = *options;
  return guarded(status, [&] {
    spmv_dist_eigen_result& out = deref(result, "result");
    out = {};
    deref(values, "values");
    std::visit(
        [&](auto& matrix) {
          const auto found = eigen(matrix, eigen_options_of(given));
          hand_over(found, out);
          std::copy(found.values.begin(), found.values.end(), values);
          if (residuals != nullptr) std::copy(found.residuals.begin(), found.residuals.end(), residuals);
          if (vectors == nullptr) return;
          for (const auto& vector : found.vectors) *vectors++ = new spmv_dist_vector{vector};
        },
        deref(A, "A").matrix);
  });
}
