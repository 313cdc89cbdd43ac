#include "kernels/pjds/pjds.hpp"

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
  return make_columns<T>({"pjds", "use fewer block rows, or format csr"}, block,
                         plan_jagged(block, options.block_rows), row_list, options, backend);
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  return columns_cost(a, options, static_cast<double>(a.iterations(a.rows)) * warp_rows, a.rows);
}

}  // namespace

template <class T>
Format<T> pjds_format() {
  return {"pjds", "rows sorted by length, padded in blocks, stored column-wise", row_order<T>, make<T>, cost};
}

template Format<float> pjds_format();
template Format<double> pjds_format();
template Format<std::complex<float>> pjds_format();
template Format<std::complex<double>> pjds_format();

}  // namespace spmv
