#pragma once

#include "app/report/run_report.hpp"
#include "app/run/problem.hpp"
#include "comm/communicator.hpp"
#include "dist/modes.hpp"
#include "dist/product.hpp"

namespace spmv {

/// What the vectors hold before a product that is verified.
enum class OldData { poisoned, kept };  // NaN wherever the product must write, or what the last product left

/// Multiplies every x once and compares each row of y with the reference; adds what is wrong to `result`.
/// Collective.
template <class T>
void verify(const Communicator& communicator, Product<T>& product, const Mode<T>& mode,
            const Problem<T>& problem, OldData old_data, ModeResult& result);

}  // namespace spmv
