#include "dist/solve/preconditioners.hpp"

#include "core/value_types.hpp"
#include "dist/solve/hypre/levels.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<PreconditionerRow<T>> all_rows() {
  std::vector<PreconditionerRow<T>> table = {
      {"none", "no preconditioner", make_no_preconditioner<T>},
      {"jacobi", "the diagonal", make_jacobi<T>},
      {"block_jacobi", "dense blocks on the diagonal", make_block_jacobi<T>},
      {"chebyshev", "a polynomial in the matrix, without reductions: for hermitian, positive definite ones",
       make_chebyshev<T>},
  };
  if constexpr (!is_complex<T>)
    if (hypre::is_there())
      table.push_back({.name = "multigrid",
                       .summary =
                           "an algebraic multigrid cycle: for symmetric, positive definite matrices of "
                           "elliptic problems; hypre makes its levels",
                       .make = make_multigrid<T>,
                       .needs_all_values = true});
  return table;
}

}  // namespace

template <class T>
const std::vector<PreconditionerRow<T>>& preconditioners() {
  static const std::vector<PreconditionerRow<T>> table = all_rows<T>();
  return table;
}

SPMV_INSTANTIATE(preconditioners);

}  // namespace spmv
