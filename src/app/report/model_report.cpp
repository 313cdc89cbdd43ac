#include "app/report/model_report.hpp"

#include <fmt/format.h>

#include "app/report/report_parts.hpp"
#include "app/report/wrap.hpp"
#include "core/printable.hpp"
#include "dist/machine/product_time.hpp"

namespace spmv {
namespace {

/// How many times as fast as PCIe the GPU's memory is.
double over_pcie(const ModelReport& r) {
  return r.pcie > 0 ? r.gpu.bandwidth / r.pcie : 0;
}

double product_bytes(const ModelReport& r, const DeviceModel& device) {
  return memory_bytes(static_cast<double>(r.shape.rows), static_cast<double>(r.nonzeros),
                      balance_bytes(r.value_bytes, device.alpha));
}

/// How many times as fast as on the host a product is that takes so long.
double gain(const ModelReport& r, double seconds) {
  return seconds > 0 ? product_seconds(r, r.host) / seconds : 0;
}

std::string verdict(const ModelReport& r) {
  constexpr double worth = 1.5;
  const double resident = gain(r, product_seconds(r, r.gpu));
  const double crossing = gain(r, product_seconds(r, r.gpu) + transfer_seconds(r));
  const char* word = "Not worth a GPU";
  if (resident >= worth) word = "Worth a GPU if x and y stay in its memory";
  if (crossing >= worth) word = "Worth a GPU";
  return fmt::format(
      "{}: on this host a product takes {:.3g} times as long as on that GPU, and {:.3g} times as long as there with x and "
      "y over PCIe in every product.",
      word, resident, crossing);
}

std::string line(const char* name, const ModelReport& r, const DeviceModel& device) {
  return fmt::format("{:<8}{:>10.4g} GB/s {:>7.4g} MB {:>7.3f} {:>12.2f} {:>13.1f}\n", name,
                     device.bandwidth * 1e-9, device.cache_bytes * 1e-6, device.alpha,
                     code_balance(r, device), product_seconds(r, device) * 1e6);
}

Json device_json(const ModelReport& r, const DeviceModel& device) {
  return {{"bandwidth_bytes_per_s", device.bandwidth},
          {"cache_bytes", device.cache_bytes},
          {"alpha", device.alpha},
          {"code_balance", code_balance(r, device)},
          {"t_mvm_s", product_seconds(r, device)}};
}

}  // namespace

double code_balance(const ModelReport& r, const DeviceModel& device) {
  return r.nonzeros > 0 ? product_bytes(r, device) / (static_cast<double>(r.nonzeros) * r.flops_per_nonzero)
                        : 0;
}

double product_seconds(const ModelReport& r, const DeviceModel& device) {
  return device.bandwidth > 0 ? product_bytes(r, device) / device.bandwidth : 0;
}

double transfer_seconds(const ModelReport& r) {
  const double elements = static_cast<double>(r.shape.rows) + static_cast<double>(r.shape.cols);
  return r.pcie > 0 ? r.value_bytes * elements / r.pcie : 0;
}

double most_in_vain(const ModelReport& r) {
  return 2 * r.value_bytes * (over_pcie(r) - 1) / balance_bytes(r.value_bytes, r.gpu.alpha).nonzero;
}

double least_worthwhile(const ModelReport& r) {
  return 2 * r.value_bytes * (10 * over_pcie(r) - 1) / balance_bytes(r.value_bytes, r.gpu.alpha).nonzero;
}

std::string to_text(const ModelReport& r) {
  constexpr std::size_t longest_name = 48;
  std::string text =
      wrapped("matrix   ", fmt::format("{}: {} x {}, {} nonzeros, N_nzr {:.2f}, {}",
                                       shortened(printable(r.matrix), longest_name), r.shape.rows,
                                       r.shape.cols, r.nonzeros, r.nonzeros_per_row(), r.value));
  text += fmt::format("\n{:<8}{:>15} {:>10} {:>7} {:>12} {:>13}\n", "", "bandwidth", "cache", "alpha",
                      "bytes/flop", "T_MVM us");
  text += line("here", r, r.host) + line("GPU", r, r.gpu) + "\n";
  text += wrapped("PCIe     ", fmt::format("at {:.3g} GB/s: T_PCI {:.1f} us for x and y (Eq. 2)",
                                           r.pcie * 1e-9, transfer_seconds(r) * 1e6));
  text +=
      wrapped("         ",
              fmt::format("takes longer than the product up to {:.1f} nonzeros per row (Eq. 3), and costs "
                          "less than a tenth of it from {:.1f} on (Eq. 4)",
                          most_in_vain(r), least_worthwhile(r)));
  return text + wrapped("verdict  ", verdict(r));
}

std::string to_json(const ModelReport& r) {
  Json json;
  json["matrix"] = matrix_json(r);
  json["nonzeros_per_row"] = r.nonzeros_per_row();
  json["host"] = device_json(r, r.host);
  json["gpu"] = device_json(r, r.gpu);
  json["pcie_bytes_per_s"] = r.pcie;
  json["t_pci_s"] = transfer_seconds(r);
  json["most_nonzeros_per_row_in_vain"] = most_in_vain(r);
  json["least_nonzeros_per_row_worthwhile"] = least_worthwhile(r);
  json["verdict"] = verdict(r);
  return text_of(std::move(json), 2);
}

}  // namespace spmv
