#include "kernels/pellr/pellr.hpp"

#include <cmath>
#include <complex>

#include "kernels/analysis.hpp"
#include "kernels/columns/columns.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<lidx> row_order(const Csr<T>& block, const FormatOptions&) {
  return sorted_rows(block, block.rows);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_columns<T>({"pellr", "use format pjds, sell or csr"}, block, plan_strided(block), row_list,
                         options, backend);
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  const double padded_rows = std::ceil(static_cast<double>(a.rows) / warp_rows) * warp_rows;
  return columns_cost(a, options, padded_rows * a.longest, a.rows);
}

}  // namespace

template <class T>
Format<T> pellr_format() {
  return {"pellr", "ELLPACK-R with all rows sorted by length", row_order<T>, make<T>, cost};
}

template Format<float> pellr_format();
template Format<double> pellr_format();
template Format<std::complex<float>> pellr_format();
template Format<std::complex<double>> pellr_format();

}  // namespace spmv
