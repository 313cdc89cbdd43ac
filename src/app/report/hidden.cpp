#include "app/report/hidden.hpp"

namespace spmv {
namespace {

struct Measured {
  double halo = 0;  // elements of all ranks
  double low_s = 0, high_s = 0;
  double halo_alone_s = 0;
  double share = 0;
};

std::optional<double> known_share(const Measured& m) {
  const bool known = m.high_s - m.low_s <= m.halo_alone_s;
  return m.halo > 0 && m.halo_alone_s > 0 && known ? std::optional(m.share) : std::nullopt;
}

double number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

std::optional<double> hidden_share(const RunReport& report, const ModeResult& mode) {
  return known_share({static_cast<double>(report.partition.halo_total), mode.median_low_s, mode.median_high_s,
                      mode.halo_alone_s, mode.hidden_share});
}

std::optional<double> hidden_share(const Json& partition, const Json& mode) {
  return known_share({number_of(partition, "halo_total"), number_of(mode, "median_low_s"),
                      number_of(mode, "median_high_s"), number_of(mode, "halo_alone_s"),
                      number_of(mode, "hidden_share")});
}

}  // namespace spmv
