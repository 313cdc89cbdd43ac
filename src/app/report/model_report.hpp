// spmv_dist model: the model of [Kreutzer 2012] for a matrix, without a product.
#pragma once

#include <string>

#include "app/report/report_parts.hpp"
#include "core/csr.hpp"

namespace spmv {

/// A device in the model. Bandwidths in bytes per second.
struct DeviceModel {
  double bandwidth = 0;
  double cache_bytes = 0;
  double alpha = 0;  // of the pattern in this cache
};

struct ModelReport : MatrixFacts {
  double value_bytes = 8;
  double flops_per_nonzero = 2;
  DeviceModel host;
  DeviceModel gpu;
  double pcie = 0;  // bandwidth, each way

  double nonzeros_per_row() const {
    return shape.rows > 0 ? static_cast<double>(nonzeros) / static_cast<double>(shape.rows) : 0;
  }
};

/// Bytes per flop [Kreutzer 2012, Eq. 1], for any value type. Pure, as all of these.
double code_balance(const ModelReport& report, const DeviceModel& device);
/// T_MVM and T_PCI [Eq. 2], seconds.
double product_seconds(const ModelReport& report, const DeviceModel& device);
double transfer_seconds(const ModelReport& report);
/// Nonzeros per row up to which x and y take longer over PCIe than the product takes on the GPU [Eq. 3].
double most_in_vain(const ModelReport& report);
/// Nonzeros per row from which x and y over PCIe cost less than a tenth of the product [Eq. 4].
double least_worthwhile(const ModelReport& report);

/// For people, in 80 columns.
std::string to_text(const ModelReport& report);
/// Everything, as one JSON object.
std::string to_json(const ModelReport& report);

}  // namespace spmv
