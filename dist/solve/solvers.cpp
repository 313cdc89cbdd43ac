#include "core/value_types.hpp"
#include "dist/solve/methods.hpp"

namespace spmv {
namespace {

constexpr const char* positive_definite = "hermitian and positive definite";
constexpr const char* not_positive_definite =
    "(p, A p) or (r, M^-1 r) is not positive: the matrix or the preconditioner is not positive definite";

}  // namespace

template <class T>
const std::vector<SolverRow<T>>& solvers() {
  static const std::vector<SolverRow<T>> table = {
      {"cg", "conjugate gradients that predict and recompute (r, r): one reduction an iteration",
       positive_definite, true, true, not_positive_definite, 1, 1, false, 7, make_cg<T>},
      {"cg_classical", "conjugate gradients as in textbooks: two reductions an iteration", positive_definite,
       true, true, not_positive_definite, 1, 2, false, 8, make_cg_classical<T>},
      {"cg_pipelined",
       "conjugate gradients that hide one reduction beside the product, for twice the passes; less accurate",
       positive_definite, true, true, not_positive_definite, 1, 1, true, 14, make_cg_pipelined<T>},
      {"minres", "for hermitian matrices that are indefinite: the smallest residual in each iteration",
       "hermitian", true, false, "(r, M^-1 r) is not positive: the preconditioner is not positive definite",
       1, 2, false, 13, make_minres<T>},
      {"bicgstab", "for matrices that are not hermitian: two products and two reductions an iteration",
       "square", false, false,
       "(r0, r), (r0, v) or omega is 0: start from another guess, or use a preconditioner", 2, 2, false, 16,
       make_bicgstab<T>},
      {"bicgstab_2",
       "the same for real matrices with eigenvalues that are far from real: four products and five reductions",
       "square", false, false, "(r0, r) or (r0, v) is 0: start from another guess, or use a preconditioner",
       4, 5, false, 41, make_bicgstab_2<T>},
  };
  return table;
}

SPMV_INSTANTIATE(solvers);

}  // namespace spmv
