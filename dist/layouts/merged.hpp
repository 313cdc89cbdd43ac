// Layout merged: all rows of the rank in one product, which waits for the halo.
#pragma once

#include <memory>

#include "core/backend.hpp"
#include "dist/dist_options.hpp"
#include "dist/operators.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// See Layout::build.
template <class T>
Operators<T> build_merged(const DistributedRows<T>& rows, const DistOptions& options,
                          const std::shared_ptr<Backend>& backend);

}  // namespace spmv
