// Carries out a plan: measures every mode over its transports and in its layouts.
#pragma once

#include "app/run/plan.hpp"
#include "app/run/problem.hpp"
#include "app/run/recorder.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Builds the matrix in one layout after the other, and verifies and measures what the plan has in it. What
/// cannot be built, or set up, is left out where the plan allows. `tuning_bandwidth` is what format auto
/// predicts with. Collective; throws AgreedError, also where nothing could be measured.
template <class T>
void measure_plan(const Run& run, Plan plan, const Problem<T>& problem, double tuning_bandwidth,
                  Recorder& recorder);

}  // namespace spmv
