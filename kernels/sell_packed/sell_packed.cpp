#include "kernels/sell_packed/sell_packed.hpp"

#include <complex>

#include "kernels/analysis.hpp"
#include "kernels/packed/packed.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<lidx> row_order(const Csr<T>& block, const FormatOptions& options) {
  return packed_row_order(block, 1, options.sigma);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_packed("sell_packed", block, 1, row_list, options, backend);
}

Cost cost(const Analysis& analysis, const FormatOptions& options) {
  return packed_cost(analysis, options, 1);
}

}  // namespace

template <class T>
Format<T> sell_packed_format() {
  return {"sell_packed", "SELL-32 with columns as short distances and values by number or in half their size",
          row_order<T>,  make<T>,
          cost,          nullptr,
          false,         true};
}

template Format<float> sell_packed_format();
template Format<double> sell_packed_format();
template Format<std::complex<float>> sell_packed_format();
template Format<std::complex<double>> sell_packed_format();

}  // namespace spmv
