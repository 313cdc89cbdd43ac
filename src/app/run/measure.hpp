#pragma once

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "dist/product.hpp"

namespace spmv {

/// Runs a mode until the median of the whole product is settled, then a few products with their phases timed.
/// Fills everything of ModeResult but the verification. Collective.
template <class T>
ModeResult measure(const Communicator& communicator, Product<T>& product, const Mode<T>& mode,
                   const Options& options, Watchdog& watchdog);

}  // namespace spmv
