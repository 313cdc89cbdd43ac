#include "kernels/sell/sell.hpp"

#include <complex>

#include "kernels/analysis.hpp"
#include "kernels/columns/columns.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<lidx> row_order(const Csr<T>& block, const FormatOptions& options) {
  return sorted_rows(block, options.sigma);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_columns<T>({"sell", "use format csr"}, block, plan_sliced(block, options.chunk_rows), row_list,
                         options, backend);
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  return columns_cost(a, options, static_cast<double>(a.iterations(options.sigma)) * warp_rows,
                      options.sigma);
}

}  // namespace

template <class T>
Format<T> sell_format() {
  return {"sell", "SELL-C-sigma: slices of C rows, sorted within windows of sigma", row_order<T>, make<T>,
          cost};
}

template Format<float> sell_format();
template Format<double> sell_format();
template Format<std::complex<float>> sell_format();
template Format<std::complex<double>> sell_format();

}  // namespace spmv
