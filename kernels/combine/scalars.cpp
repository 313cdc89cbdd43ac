#include "kernels/combine/scalars.hpp"

#include <algorithm>
#include <atomic>

#include "core/value_types.hpp"

namespace spmv {

template <class T>
Scalars<T>::Scalars(const std::shared_ptr<Backend>& backend, int columns)
    : columns_(columns),
      slots_(backend, static_cast<std::size_t>(columns * slots_apart), Memory::device),
      partial_(backend, static_cast<std::size_t>(columns * parts_apart), Memory::device),
      record_(backend, static_cast<std::size_t>(columns) * record_lines, Memory::staging),
      stopped_(backend, static_cast<std::size_t>(columns), Memory::device) {
  std::fill_n(record_.data(), record_.size(), RecordLine{});
  const auto queue = backend->make_queue(Priority::normal);
  queue->fill(slots_.data(), 0, slots_.bytes());
  queue->fill(partial_.data(), 0, partial_.bytes());
  forget_stop(*queue);
  queue->synchronize();
}

template <class T>
bool Scalars<T>::has_line(std::uint64_t number, int column) {
  return std::atomic_ref<std::uint64_t>(line_at(number, column).line).load(std::memory_order_acquire) == number;
}

template <class T>
std::array<double, record_width> Scalars<T>::line(std::uint64_t number, int column) {
  std::array<double, record_width> numbers{};
  std::copy_n(line_at(number, column).number, record_width, numbers.begin());
  return numbers;
}

SPMV_INSTANTIATE_CLASS(Scalars);

}  // namespace spmv
