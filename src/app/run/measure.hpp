#pragma once

#include "app/report/run_report.hpp"
#include "app/run/run.hpp"
#include "dist/modes.hpp"
#include "dist/product.hpp"

namespace spmv {

/// Runs a mode until the median of the whole product is settled, then a few products with their phases timed.
/// Fills the times, phases, timeline and overlap of `result`, whose comm_thread is given. Collective.
template <class T>
void measure(const Run& run, Product<T>& product, const Mode<T>& mode, ModeResult& result);

}  // namespace spmv
