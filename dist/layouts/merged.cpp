#include "dist/layouts/merged.hpp"

#include <complex>
#include <utility>

#include "dist/layouts/build_block.hpp"

namespace spmv {

template <class T>
Operators<T> build_merged(const DistributedRows<T>& rows, const DistOptions& options,
                          const std::shared_ptr<Backend>& backend) {
  Operators<T> built;
  built.rows = rows.block.rows;
  const BlockRequest request{options.format, options.tune, options.known, backend};
  Choice<T> all = build_block<T>(rows.block, rows.square(), {}, request);
  built.merged = {std::move(all.op), std::move(all.decision)};
  built.row_order = std::move(all.row_order);
  if (rows.square()) built.x_order = built.row_order;
  return built;
}

template Operators<float> build_merged(const DistributedRows<float>&, const DistOptions&,
                                       const std::shared_ptr<Backend>&);
template Operators<double> build_merged(const DistributedRows<double>&, const DistOptions&,
                                        const std::shared_ptr<Backend>&);
template Operators<std::complex<float>> build_merged(const DistributedRows<std::complex<float>>&,
                                                     const DistOptions&, const std::shared_ptr<Backend>&);
template Operators<std::complex<double>> build_merged(const DistributedRows<std::complex<double>>&,
                                                      const DistOptions&, const std::shared_ptr<Backend>&);

}  // namespace spmv
