// Carries the measurements out: every mode over its transports and in its layouts.
#pragma once

#include "app/run/measurements.hpp"
#include "app/run/problem.hpp"
#include "app/run/recorder.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Builds the matrix in one layout after another, and verifies and measures what is to be measured in it. Layouts that cannot
/// be built and transports that cannot be set up are left out where the measurements allow it. `tuning_bandwidth`: for the
/// predictions of format auto. Collective; throws AgreedError, also if nothing could be measured.
template <class T>
void measure_all(const Run& run, Measurements measurements, const Problem<T>& problem,
                 double tuning_bandwidth, Recorder& recorder);

}  // namespace spmv
