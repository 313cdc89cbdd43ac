#include "app/report/hidden.hpp"

namespace spmv {

std::optional<double> hidden_share(const RunReport& report, const ModeResult& mode) {
  const bool known = mode.median_high_s - mode.median_low_s <= mode.halo_alone_s;
  return report.partition.halo_total > 0 && mode.halo_alone_s > 0 && known ? std::optional(mode.hidden_share)
                                                                           : std::nullopt;
}

}  // namespace spmv
