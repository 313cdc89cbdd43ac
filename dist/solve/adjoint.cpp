#include "dist/solve/adjoint.hpp"

#include <complex>
#include <utility>
#include <vector>

#include "core/value_types.hpp"
#include "dist/prepare/assemble.hpp"

namespace spmv {

template <class T>
RowBlock<T> adjoint(const Communicator& communicator, const RowBlock<T>& P, const RowPartition& rows) {
  std::vector<Entry<T>> entries;
  communicator.together([&] {
    entries.reserve(P.value.size());
    for (gidx row = 0; row < P.rows(); ++row)
      for (offset k = P.row_ptr[static_cast<std::size_t>(row)];
           k < P.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
        T value = P.value[static_cast<std::size_t>(k)];
        if constexpr (is_complex<T>) value = std::conj(value);
        entries.push_back({P.col[static_cast<std::size_t>(k)], P.first_row + row, value});
      }
  });
  return assemble(communicator, rows, std::move(entries));
}

SPMV_INSTANTIATE(adjoint);

}  // namespace spmv
