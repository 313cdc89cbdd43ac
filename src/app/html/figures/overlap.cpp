#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {

Drawing draw_overlap(const Json& run) {
  if (ranks_of(run) == 1) return left_out("one rank has no halo to hide");
  std::vector<std::vector<std::string>> rows = {
      {"mode", "halo's way hidden", "hidden", "exposed", "rank", "limited by"}};
  const Json* best = nullptr;
  constexpr std::size_t most_rows = 64;
  for (const Json* mode : timed_modes(run)) {
    const Json& overlap = member(*mode, "overlap");
    const double hidden = number_or_0(overlap, "hidden_s"), exposed = number_or_0(overlap, "exposed_s");
    if (hidden + exposed <= 0 || rows.size() > most_rows) continue;
    if (best == nullptr) best = mode;
    const double rank = number(overlap, "rank").value_or(-1);
    rows.push_back(
        {escape(mode_title(run, *mode)),
         fmt::format(
             R"(<span class="keep"><svg width="80" height="12"><rect class="frame" width="100%" height="100%"/><rect class="best" width="{}" height="100%"/></svg> {}</span>)",
             place(hidden / (hidden + exposed)), percent(hidden / (hidden + exposed))),
         "<span class=\"keep\">" + seconds(hidden) + "</span>",
         "<span class=\"keep\">" + seconds(exposed) + "</span>", rank >= 0 ? count(rank) : "–",
         text(overlap, "limited_by").empty() ? "–" : escape(text(overlap, "limited_by"))});
  }
  if (best == nullptr)
    return left_out("no mode of this run has a timeline in which a halo travels beside a product");
  const Json& overlap = member(*best, "overlap");
  const double hidden = number_or_0(overlap, "hidden_s"), all = hidden + number_or_0(overlap, "exposed_s");
  std::string says = fmt::format(
      "In {}, the fastest mode with a part that needs no halo, {} of {} of the halo's way ran beside it ({})",
      mode_title(run, *best), seconds(hidden), seconds(all), percent(hidden / all));
  const std::string limit = text(overlap, "limited_by");
  says += limit.empty() ? "." : "; " + limit + (limit.ends_with('.') ? "" : ".");
  return {table(rows), says};
}

}  // namespace spmv::html
