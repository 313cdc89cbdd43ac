#include "kernels/tune/search_reason.hpp"

#include <cmath>

#include <fmt/format.h>

namespace spmv {
namespace {

/// Rounded to two digits: what is predicted is no more certain.
double two_digits(double number) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(number, 10.0))) - 1);
  return std::round(number / unit) * unit;
}

std::string name_of(const FormatTrial& trial) {
  const std::string options = describe(trial.options);
  return options.empty() ? trial.format : fmt::format("{} ({})", trial.format, options);
}

std::string name_and_time(const FormatTrial& t, const char* between) {
  return name_of(t) + between + microseconds(product_seconds(t)) +
         (t.measured_s > 0 ? " measured" : " predicted");
}

/// The fastest other format: csr, or what was measured beside csr. `best` itself if there is none.
std::size_t rival(const std::vector<FormatTrial>& trials, std::size_t best) {
  if (trials[best].format != "csr") return 0;
  std::size_t rival = best;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (i != best && trials[i].measured_s > 0 &&
        (rival == best || trials[i].measured_s < trials[rival].measured_s))
      rival = i;
  return rival;
}

/// From how many products on another format would be the better choice, as far as is known; empty if none is.
std::string outlook(const SearchRequest& request, const std::vector<FormatTrial>& trials,
                    const FormatTrial& best, const Budget& budget) {
  double least = 0;
  const FormatTrial* next = nullptr;
  for (const FormatTrial& t : trials) {
    const bool out = t.measured_s == 0 && (!fits(request, t) || t.refused);
    if (out || t.format == best.format || product_seconds(t) >= product_seconds(best)) continue;
    const double products =
        (budget.building_s(t) - budget.building_s(best)) / (product_seconds(best) - product_seconds(t));
    if (products <= request.products || (next != nullptr && products >= least)) continue;
    least = products;
    next = &t;
  }
  if (next == nullptr) return {};
  return fmt::format("; from {:.10g} products on, {} would be faster", two_digits(least), name_of(*next));
}

}  // namespace

std::string microseconds(double seconds) {
  return seconds < 1e-4 ? fmt::format("{:.1f} us", seconds * 1e6) : fmt::format("{:.0f} us", seconds * 1e6);
}

std::string of_columns(int columns) {
  return columns == 1 ? std::string() : fmt::format(" of {} columns", columns);
}

std::string products_are(double products, int columns) {
  return fmt::format("{:.10g} product{}{} {}", products, products == 1 ? "" : "s", of_columns(columns),
                     products == 1 ? "is" : "are");
}

std::string explain(const SearchRequest& request, const std::vector<FormatTrial>& trials, std::size_t best,
                    const Budget& budget) {
  const FormatTrial& chosen = trials[best];
  const std::size_t other = rival(trials, best);
  const std::string paces =
      trials[0].predicted.calibrated
          ? "predictions calibrated on this machine"
          : "predictions by built-in paces (spmv_dist calibrate fits them to this machine)";
  const std::string end = paces + outlook(request, trials, chosen, budget);
  if (other == best)
    return fmt::format("{}; {} not worth another format; {}", name_and_time(chosen, ": "),
                       products_are(request.products, request.columns), end);
  const std::string bytes =
      fmt::format("predicted from {:.3g} MB against {:.3g} MB", chosen.cost.moved_bytes * 1e-6,
                  trials[other].cost.moved_bytes * 1e-6);
  const std::string tuning =
      budget.spent_s() > 0
          ? fmt::format("{:.2f} s of {:.2f} s budget for {:.10g} products{}", budget.used_s(),
                        budget.total_s(), request.products, of_columns(request.columns))
          : products_are(request.products, request.columns) + " not worth a trial";
  return fmt::format("{}, {}; {}; {}; {}", name_and_time(chosen, ": "), name_and_time(trials[other], " "),
                     tuning, bytes, end);
}

}  // namespace spmv
