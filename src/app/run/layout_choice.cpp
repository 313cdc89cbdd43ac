#include "app/run/layout_choice.hpp"

#include <algorithm>
#include <utility>

namespace spmv {

std::vector<Layout> layouts_to_measure(const std::vector<Layout>& layouts, const std::string& asked,
                                       bool halo) {
  const auto named =
      std::find_if(layouts.begin(), layouts.end(), [&](Layout layout) { return asked == to_string(layout); });
  if (named != layouts.end()) return {*named};
  if (asked == auto_layout && halo) return layouts;
  return {layouts.front()};
}

ModeResult faster_layout(ModeResult earlier, ModeResult later) {
  const bool wrong[2] = {earlier.rows_wrong > 0, later.rows_wrong > 0};
  const bool keep = wrong[0] != wrong[1] ? wrong[0] : earlier.median_s <= later.median_s;
  ModeResult& kept = keep ? earlier : later;
  const ModeResult& other = keep ? later : earlier;
  std::vector<OtherLayout> others = std::move(earlier.other_layouts);
  others.push_back({other.layout, other.median_s, other.rows_wrong});
  kept.other_layouts = std::move(others);
  return std::move(kept);
}

}  // namespace spmv
