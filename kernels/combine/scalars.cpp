#include "kernels/combine/scalars.hpp"

#include <algorithm>
#include <atomic>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
Scalars<T>::Scalars(const std::shared_ptr<Backend>& backend)
    : slots_(backend, most_slots, Memory::device),
      partial_(backend, std::size_t{most_summed_slots} * most_parts, Memory::device),
      record_(backend, record_lines, Memory::staging),
      stopped_(backend, 1, Memory::device) {
  std::fill_n(record_.data(), record_.size(), RecordLine{});
  const auto queue = backend->make_queue(Priority::normal);
  queue->fill(slots_.data(), 0, slots_.bytes());
  queue->fill(partial_.data(), 0, partial_.bytes());
  forget_stop(*queue);
  queue->synchronize();
}

template <class T>
bool Scalars<T>::has_line(std::uint64_t number) {
  return std::atomic_ref<std::uint64_t>(line_at(number).line).load(std::memory_order_acquire) == number;
}

template <class T>
std::array<double, record_width> Scalars<T>::line(std::uint64_t number) {
  std::array<double, record_width> numbers{};
  std::copy_n(line_at(number).number, record_width, numbers.begin());
  return numbers;
}

SPMV_INSTANTIATE_CLASS(Scalars);

}  // namespace spmv
