// Kernels that are compiled for one combination, when it is queued first.
#pragma once

#include <string>

#include "kernels/combine/kernel_text.hpp"

namespace spmv {

/// Queues the combination in a kernel of its own on a CUDA stream of the current device, and returns the parts of its sums; 0
/// where it has none: see why_no_own_kernels(). May be called by several threads at once. Throws Error when the launch fails.
template <class T>
int launch_own_kernel(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                      std::uint64_t line, void* stream);

/// Why combinations on GPUs share one kernel, which is several times slower, such as "libnvrtc.so.13 was not found: ..."; empty
/// where each has its own. Local, may be called by several threads at once.
std::string why_no_own_kernels();

}  // namespace spmv
