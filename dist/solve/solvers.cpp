#include "core/value_types.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {

template <class T>
const std::vector<SolverRow<T>>& solvers() {
  static const std::vector<SolverRow<T>> table = {
      {"cg", "conjugate gradients that predict and recompute (r, r): one reduction an iteration",
       "hermitian and positive definite", "(p, A p) is not positive: the matrix is not positive definite", 1,
       1, 7, make_cg<T>},
  };
  return table;
}

SPMV_INSTANTIATE(solvers);

}  // namespace spmv
