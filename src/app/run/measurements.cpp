#include "app/run/measurements.hpp"

#include <algorithm>
#include <iterator>

#include "core/pick.hpp"
#include "dist/modes.hpp"
#include "dist/prepare/product_trials.hpp"

namespace spmv {
namespace {

/// One mode of the user's list.
struct PlannedMode {
  const Mode<double>* row;  // the members that are used here do not depend on the value type
  std::vector<std::string> layouts;
};

}  // namespace

Measurements list_measurements(const RunOptions& options, bool halo) {
  std::vector<PlannedMode> planned;
  std::vector<std::string> order;
  for (const std::string& name : options.modes) {
    const Mode<double>& mode = pick(modes<double>(), name, "mode");
    planned.push_back({&mode, layouts_to_measure(mode.layouts, options.layout, halo)});
    for (const std::string& layout : planned.back().layouts)
      if (!contains(order, layout)) order.push_back(layout);
  }
  const std::size_t transports = options.transports.size();
  Measurements measurements;
  for (const std::string& layout : order)
    for (std::size_t m = 0; m < planned.size(); ++m) {
      if (!contains(planned[m].layouts, layout)) continue;
      for (std::size_t t = 0; t < transports; ++t) {
        Measurement measurement;
        measurement.mode = planned[m].row->name;
        measurement.layout = layout;
        measurement.transport = options.transports[t];
        measurement.needs_queued_exchange = planned[m].row->needs_queued_exchange;
        // A user who names several transports, or all modes, wants those that work here.
        measurement.may_be_left_out =
            transports > 1 || (measurement.needs_queued_exchange && options.all_modes);
        measurement.row = m * transports + t;
        measurements.push_back(std::move(measurement));
      }
    }
  return measurements;
}

std::vector<std::string> layouts_of(const Measurements& measurements) {
  std::vector<std::string> layouts;
  for (const Measurement& measurement : measurements)
    if (!contains(layouts, measurement.layout)) layouts.push_back(measurement.layout);
  return layouts;
}

Measurements measured_in(const Measurements& measurements, const std::string& layout) {
  Measurements found;
  std::copy_if(measurements.begin(), measurements.end(), std::back_inserter(found),
               [=](const Measurement& measurement) { return measurement.layout == layout; });
  return found;
}

bool can_do_without(const Measurements& measurements, const std::string& layout) {
  return std::all_of(measurements.begin(), measurements.end(), [&](const Measurement& needed) {
    return needed.layout != layout ||
           std::any_of(measurements.begin(), measurements.end(), [&](const Measurement& other) {
             return other.mode == needed.mode && other.layout != layout;
           });
  });
}

Measurements without(const Measurements& measurements, const std::string& layout) {
  Measurements rest;
  std::copy_if(measurements.begin(), measurements.end(), std::back_inserter(rest),
               [=](const Measurement& measurement) { return measurement.layout != layout; });
  return rest;
}

}  // namespace spmv
