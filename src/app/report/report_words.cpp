#include "app/report/report_words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spmv {

std::string verdict(const ModeResult& mode) {
  if (!mode.verified) return "unchecked";
  return mode.rows_wrong == 0 ? "correct" : "WRONG";
}

std::optional<double> hidden_share(const RunReport& report, const ModeResult& mode) {
  const bool known = mode.median_high_s - mode.median_low_s <= mode.halo_alone_s;
  return report.partition.halo_total > 0 && mode.halo_alone_s > 0 && known ? std::optional(mode.hidden_share)
                                                                           : std::nullopt;
}

std::string hidden_percent(const RunReport& r, const ModeResult& mode) {
  const auto share = hidden_share(r, mode);
  return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

bool transports_differ(const RunReport& r) {
  return std::any_of(r.modes.begin(), r.modes.end(),
                     [&](const ModeResult& mode) { return mode.transport != r.modes[0].transport; });
}

bool several_transports(const RunReport& r) {
  for (std::size_t i = 1; i < r.modes.size(); ++i)
    if (std::any_of(r.modes.begin(), r.modes.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const ModeResult& earlier) { return earlier.mode == r.modes[i].mode; }))
      return true;
  return false;
}

std::string transports_taken(const RunReport& r) {
  const TransportChoice &choice = r.transport_choice, &queued = r.queued_exchange_choice;
  const auto with_reason = [](const TransportChoice& c) { return fmt::format("{} ({})", c.name, c.reason); };
  if (queued.name.empty() || queued.name == choice.name)
    return choice.name.empty() ? r.transport : with_reason(choice);
  if (choice.name.empty()) return with_reason(queued);
  return fmt::format("{}; for queued products {}", with_reason(choice), with_reason(queued));
}

std::string what_is_wrong(const RunReport& r, const ModeResult& mode) {
  return fmt::format(
      "WRONG: mode {}{}: {} rows differ from the reference by more than rounding; "
      "worst is row {}, {:.3g} times the bound{}",
      mode.mode, transports_differ(r) ? " over " + mode.transport : "", mode.rows_wrong, mode.worst_row + 1,
      mode.worst_ratio, mode.other_layouts.empty() ? "" : fmt::format(" (layout {})", mode.layout));
}

std::string not_in_turns(const RunReport& r) {
  return r.turns.size() < 2
             ? ""
             : "Layouts were measured one after the other: memory has no room for all of them at once.";
}

std::string why_incomplete(const RunReport& r) {
  return fmt::format("INCOMPLETE: {}; above is what had been measured before.", r.incomplete);
}

}  // namespace spmv
