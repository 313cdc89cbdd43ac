// A step of building a format, on the device that the format is built for.
#pragma once

#include "core/backend.hpp"
#include "cuda_launch.hpp"

namespace spmv {

/// Runs a step, a plain struct of device pointers, and waits for it: its kernel on CUDA, elsewhere on_host(step).
template <class Step, class OnHost>
void run_step(Queue& queue, const Step& step, OnHost on_host) {
  if (queue.takes_cuda_kernels())
    launch_build_cuda(step, queue.stream());
  else
    queue.run([step, on_host] { on_host(step); });
  queue.synchronize();
}

}  // namespace spmv
