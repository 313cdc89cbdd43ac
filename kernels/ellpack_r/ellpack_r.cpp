#include "kernels/ellpack_r/ellpack_r.hpp"

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
  return make_columns<T>({"ellpack_r", "use format pjds, sell or csr"}, block, plan_strided(block), row_list,
                         options, backend);
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  const double padded_rows = std::ceil(static_cast<double>(a.rows) / warp_rows) * warp_rows;
  return columns_cost(a, options, padded_rows * a.longest, 1);
}

}  // namespace

template <class T>
Format<T> ellpack_r_format() {
  return {"ellpack_r", "ELLPACK with row lengths: for rows of like length", keep_row_order<T>, make<T>, cost};
}

template Format<float> ellpack_r_format();
template Format<double> ellpack_r_format();
template Format<std::complex<float>> ellpack_r_format();
template Format<std::complex<double>> ellpack_r_format();

}  // namespace spmv
