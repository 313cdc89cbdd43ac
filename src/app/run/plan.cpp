#include "app/run/plan.hpp"

#include <algorithm>
#include <iterator>

#include "core/pick.hpp"
#include "dist/modes.hpp"

namespace spmv {
namespace {

bool contains(const std::vector<Layout>& layouts, Layout layout) {
  return std::find(layouts.begin(), layouts.end(), layout) != layouts.end();
}

/// One mode of the user's list.
struct PlannedMode {
  const Mode<double>* row;  // what a plan needs of it is the same for every value type
  std::vector<Layout> layouts;
};

}  // namespace

std::vector<Layout> layouts_to_measure(const std::vector<Layout>& layouts, const std::string& asked,
                                       bool halo) {
  for (const Layout layout : layouts)
    if (asked == to_string(layout)) return {layout};
  if (asked == auto_layout && halo) return layouts;
  return {layouts.front()};
}

Plan make_plan(const Options& options, bool halo) {
  std::vector<PlannedMode> planned;
  std::vector<Layout> order;
  for (const std::string& name : options.modes) {
    const Mode<double>& mode = pick(modes<double>(), name, "mode");
    planned.push_back({&mode, layouts_to_measure(mode.layouts, options.layout, halo)});
    for (const Layout layout : planned.back().layouts)
      if (!contains(order, layout)) order.push_back(layout);
  }
  const std::size_t transports = options.transports.size();
  Plan plan;
  for (const Layout layout : order)
    for (std::size_t m = 0; m < planned.size(); ++m) {
      if (!contains(planned[m].layouts, layout)) continue;
      for (std::size_t t = 0; t < transports; ++t) {
        Measurement measurement;
        measurement.mode = planned[m].row->name;
        measurement.layout = layout;
        measurement.transport = options.transports[t];
        measurement.needs_queued_exchange = planned[m].row->needs_queued_exchange;
        // Of several transports, and of all modes, the user wants those that work here.
        measurement.may_be_left_out =
            transports > 1 || (measurement.needs_queued_exchange && options.all_modes);
        measurement.slot = m * transports + t;
        plan.push_back(std::move(measurement));
      }
    }
  return plan;
}

std::vector<Layout> layouts_of(const Plan& plan) {
  std::vector<Layout> layouts;
  for (const Measurement& measurement : plan)
    if (!contains(layouts, measurement.layout)) layouts.push_back(measurement.layout);
  return layouts;
}

Plan measured_in(const Plan& plan, Layout layout) {
  Plan found;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(found),
               [=](const Measurement& measurement) { return measurement.layout == layout; });
  return found;
}

bool can_do_without(const Plan& plan, Layout layout) {
  return std::all_of(plan.begin(), plan.end(), [&](const Measurement& needed) {
    return needed.layout != layout || std::any_of(plan.begin(), plan.end(), [&](const Measurement& other) {
             return other.mode == needed.mode && other.layout != layout;
           });
  });
}

Plan without(const Plan& plan, Layout layout) {
  Plan rest;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(rest),
               [=](const Measurement& measurement) { return measurement.layout != layout; });
  return rest;
}

}  // namespace spmv
