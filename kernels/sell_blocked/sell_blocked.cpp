#include "kernels/sell_blocked/sell_blocked.hpp"

#include <complex>

#include "kernels/analysis.hpp"
#include "kernels/packed/packed.hpp"

namespace spmv {
namespace {

/// Depends on the pattern alone, and not on the order of the rows that row_order() returns.
template <class T>
int entry_block(const Csr<T>& block, const FormatOptions& options) {
  return options.entry_block > 0 ? options.entry_block : best_entry_block(block_covers(block), sizeof(T));
}

template <class T>
std::vector<lidx> row_order(const Csr<T>& block, const FormatOptions& options) {
  if (options.sigma <= 1) return {};
  return packed_row_order(block, entry_block(block, options), options.sigma);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions& options,
                                       const std::shared_ptr<Backend>& backend) {
  return make_packed("sell_blocked", block, entry_block(block, options), row_list, options, backend);
}

Cost cost(const Analysis& analysis, const FormatOptions& options) {
  const int b = options.entry_block > 0 ? options.entry_block
                                        : best_entry_block(analysis.block_covers, analysis.value_bytes);
  return packed_cost(analysis, options, b);
}

}  // namespace

template <class T>
Format<T> sell_blocked_format() {
  return {"sell_blocked", "SELL-32 of dense b x b blocks with one column index each",
          row_order<T>,   make<T>,
          cost,           nullptr,
          false,          true};
}

template Format<float> sell_blocked_format();
template Format<double> sell_blocked_format();
template Format<std::complex<float>> sell_blocked_format();
template Format<std::complex<double>> sell_blocked_format();

}  // namespace spmv
