#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/parts/row_product.hpp"

namespace spmv {
namespace {

/// First nonzero of part `part` of `parts`: parts meet where a row begins, so that no row has two writers.
template <class T>
offset first_of_rows(const CooView<T>& a, int part, int parts) {
  offset at = a.nonzeros / parts * part + a.nonzeros % parts * part / parts;
  while (at > 0 && at < a.nonzeros && a.row[at] == a.row[at - 1]) ++at;
  return at;
}

}  // namespace

template <class T>
void multiply_host(const CooView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    if (update == Update::assign) {
#pragma omp for schedule(static) nowait
      for (offset i = 0; i < a.empty_rows; ++i) y[a.empty[i]] = T{};
    }
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset last = first_of_rows(a, part + 1, parts);
    for (offset begin = first_of_rows(a, part, parts); begin < last;) {
      offset end = begin + 1;
      while (end < last && a.row[end] == a.row[begin]) ++end;
      const T sum = row_product(a.value + begin, a.col + begin, end - begin, x);
      T& target = y[a.row[begin]];
      target = update == Update::add ? target + sum : sum;
      begin = end;
    }
  }
}

SPMV_INSTANTIATE(multiply_host);

}  // namespace spmv
