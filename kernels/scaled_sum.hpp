// y = alpha a + beta y, element by element: what makes a product with factors of a product without.
#pragma once

#include "core/backend.hpp"
#include "core/types.hpp"

namespace spmv {

/// Queues y[i] = alpha * a[i] + beta * y[i] for i < count. Where beta is 0, y is not read, and may hold
/// anything. Device memory; a and y do not overlap. Local; returns when queued.
template <class T>
void queue_scaled_sum(Queue& queue, lidx count, T alpha, const T* a, T beta, T* y);

}  // namespace spmv
