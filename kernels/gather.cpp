#include "kernels/gather.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"

namespace spmv {
namespace {

lidx checked_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<lidx>::max()))
    throw Error(ExitCode::input, fmt::format("one rank would gather {} elements: use more ranks", count));
  return static_cast<lidx>(count);
}

}  // namespace

template <class T>
Gather<T>::Gather(const std::vector<lidx>& index, const std::shared_ptr<Backend>& backend)
    : count_(checked_count(index.size())), index_(upload(backend, index.data(), index.size())) {}

template <class T>
void Gather<T>::apply(Queue& queue, const T* x, T* send_buffer) const {
  if (count_ == 0) return;
  const lidx* index = index_.data();
  if (queue.takes_cuda_kernels()) return launch_gather_cuda(count_, index, x, send_buffer, queue.stream());
  queue.run([count = count_, index, x, send_buffer] {
#pragma omp parallel for simd schedule(static)
    for (lidx k = 0; k < count; ++k) send_buffer[k] = x[index[k]];
  });
}

SPMV_INSTANTIATE_CLASS(Gather);

}  // namespace spmv
