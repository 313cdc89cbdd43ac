#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

std::vector<std::pair<double, std::string>> tick_texts(const Scale& scale) {
  std::vector<std::pair<double, std::string>> ticks;
  for (const double tick : scale.ticks()) ticks.emplace_back(tick, fmt::format("{:g}", tick));
  return ticks;
}

/// Flops of a product for each byte that it moves at least; 0: not known.
double intensity(const Json& run, const Json& mode) {
  const double moved = number_or_0(member(run, "format"), "moved_bytes");
  const double gflops = number_or_0(mode, "gflops"), median = number_or_0(mode, "median_s");
  if (moved > 0) return gflops * 1e9 * median / moved;
  const double rate = number_or_0(mode, "effective_gbytes_per_s");
  return rate > 0 ? gflops / rate : 0;
}

}  // namespace

Drawing draw_roofline(const Json& run) {
  const double bandwidth = number_or_0(member(run, "bandwidth"), "copy_bytes_per_s") * 1e-9;  // GB/s
  if (bandwidth <= 0) return left_out("these results have no measured bandwidth");
  std::vector<const Json*> modes;
  double least_x = 0, most_x = 0, least_y = 0, most_y = 0;
  constexpr std::size_t most_points = 64;
  for (const Json* mode : timed_modes(run)) {
    const double x = intensity(run, *mode), y = number_or_0(*mode, "gflops");
    if (x <= 0 || y <= 0 || modes.size() >= most_points) continue;
    least_x = modes.empty() ? x : std::min(least_x, x);
    least_y = modes.empty() ? y : std::min(least_y, y);
    most_x = std::max(most_x, x);
    most_y = std::max(most_y, y);
    modes.push_back(mode);
  }
  if (modes.empty()) return left_out("no mode of this run has a rate");
  constexpr double room = 4;
  const double allowed = bandwidth * intensity(run, *modes.front());
  Axis x{Scale::logarithmic(least_x, most_x, room), "flop for each byte moved", {}};
  Axis y{Scale::logarithmic(std::min(least_y, bandwidth * least_x / room) / 2,
                            std::max(most_y, bandwidth * most_x * room)),
         "GF/s",
         {}};
  x.ticks = tick_texts(x.scale);
  y.ticks = tick_texts(y.scale);
  const double left = x.scale.least(), right = x.scale.largest();
  Chart chart(x, y, 260);
  chart.line(left, bandwidth * left, right, bandwidth * right, "roof",
             fmt::format("memory: {} GB/s", digits(bandwidth)));
  const Json& model = member(run, "model");
  for (const char* key : {"code_balance_best", "code_balance_worst"})
    if (const double balance = number_or_0(model, key);
        balance > 0 && 1 / balance >= left && 1 / balance <= right)
      chart.line(1 / balance, y.scale.least(), 1 / balance, std::min(y.scale.largest(), bandwidth / balance),
                 "bound",
                 fmt::format("plain CSR moves {} bytes per flop {} [Kreutzer 2012, Eq. 1]", digits(balance),
                             key == std::string("code_balance_best") ? "if x is loaded once"
                                                                     : "if x is loaded for every nonzero"));
  std::vector<std::pair<std::string, std::string>> words;
  for (std::size_t i = modes.size(); i-- > 0;) {
    const Json& mode = *modes[i];
    chart.point(intensity(run, mode), number_or_0(mode, "gflops"), series_class(i),
                fmt::format("{}: {} GF/s at {} flop per byte", mode_title(run, mode),
                            digits(number_or_0(mode, "gflops")), digits(intensity(run, mode))));
    words.emplace_back(series_class(i), mode_title(run, mode));
  }
  std::reverse(words.begin(), words.end());
  const double reached = number_or_0(*modes.front(), "gflops");
  std::string says = fmt::format(
      "Memory was measured at {} GB/s, of all ranks together; at {} flop for each byte it allows {} GF/s, and {}, the fastest mode, reaches {} GF/s: {} of it.",
      digits(bandwidth), digits(intensity(run, *modes.front())), digits(allowed),
      mode_title(run, *modes.front()), digits(reached), percent(reached / allowed));
  if (reached > allowed) says += " More than memory allows: caches serve part of what was counted as moved.";
  if (number_or_0(member(run, "format"), "moved_bytes") <= 0)
    says += " Bytes are those of values, columns, row lengths and vectors, whatever the format stores.";
  return {
      legend(words) + chart.html("Operations per second over operations per byte, with the limit of memory"),
      says};
}

}  // namespace spmv::html
