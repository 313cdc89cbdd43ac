#include "kernels/ellpack/ellpack.hpp"

#include <cmath>
#include <complex>

#include "kernels/analysis.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_columns<T>({"ellpack", "use format pjds, sell or csr", false}, block, plan_strided(block),
                         row_list, options, backend);
}

/// Columns of padding are read, and every warp goes through the whole width.
Cost cost(const Analysis& a, const FormatOptions& options) {
  const double padded_rows = std::ceil(static_cast<double>(a.rows) / warp_rows) * warp_rows;
  const double stored = padded_rows * a.longest;
  Cost cost = columns_cost(a, options, stored, 1);
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  cost.bytes -= lengths;
  cost.moved_bytes += (stored - static_cast<double>(a.nonzeros)) * sizeof(lidx) - lengths;
  cost.iterations = stored / warp_rows;
  return cost;
}

}  // namespace

template <class T>
Format<T> ellpack_format() {
  return {"ellpack", "rows padded to the longest, stored column-wise, no row lengths", keep_row_order<T>,
          make<T>, cost};
}

template Format<float> ellpack_format();
template Format<double> ellpack_format();
template Format<std::complex<float>> ellpack_format();
template Format<std::complex<double>> ellpack_format();

}  // namespace spmv
