#include "dist/solve/preconditioners.hpp"

#include "core/value_types.hpp"

namespace spmv {

template <class T>
const std::vector<PreconditionerRow<T>>& preconditioners() {
  static const std::vector<PreconditionerRow<T>> table = {
      {"none", "no preconditioner", make_no_preconditioner<T>},
      {"jacobi", "the diagonal", make_jacobi<T>},
  };
  return table;
}

SPMV_INSTANTIATE(preconditioners);

}  // namespace spmv
