#include "kernels/jad/jad.hpp"

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
  return make_columns<T>({"jad", "use format csr"}, block, plan_jagged(block, 1), row_list, options, backend);
}

Cost cost(const Analysis& a, const FormatOptions& options) {
  return columns_cost(a, options, static_cast<double>(a.nonzeros), a.rows);
}

}  // namespace

template <class T>
Format<T> jad_format() {
  return {"jad", "all rows sorted by length, stored as jagged diagonals without padding", row_order<T>,
          make<T>, cost};
}

template Format<float> jad_format();
template Format<double> jad_format();
template Format<std::complex<float>> jad_format();
template Format<std::complex<double>> jad_format();

}  // namespace spmv
