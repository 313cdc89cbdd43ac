#include "kernels/packed/dictionary.hpp"

#include "core/value_types.hpp"
#include "kernels/parts/device_arrays.hpp"
#include "kernels/parts/launch/build_step.hpp"

namespace spmv {
namespace {

/// The dictionary of a part of the values, spread evenly over all.
template <class T>
std::vector<T> sampled_dictionary(const std::vector<T>& values, bool holes) {
  constexpr offset most_parts = 1024, part_size = 16;
  const auto count = static_cast<offset>(values.size());
  const offset stride = std::max<offset>(part_size, (count + most_parts - 1) / most_parts);
  return sorted_dictionary(
      few_values_of_parts<T>(
          (count + stride - 1) / stride,
          [&](offset part) {
            const T* const first = values.data() + part * stride;
            return ValueRange<T>{first, first + std::min(part_size, count - part * stride)};
          }),
      holes);
}

/// Whether the dictionary has all of so many values, which the device reads, as it reads the dictionary.
template <class T>
bool has_all(const T* dictionary, int size, const T* values, offset count, Queue& queue,
             const std::shared_ptr<Backend>& backend) {
  DeviceArrays arrays(backend);
  auto* const missing = arrays.allocate<unsigned>(1);
  queue.fill(missing, 0, sizeof(unsigned));
  run_step(queue, FindMissing<T>{count, values, dictionary, size, missing}, [](const FindMissing<T>& step) {
    bool found = false;
#pragma omp parallel for schedule(static) reduction(|| : found)
    for (offset k = 0; k < step.count; ++k) {
      if (k > 0 && same_bits(step.value[k], step.value[k - 1])) continue;  // runs of one value are frequent
      found = found || !dictionary_has(step.dictionary, step.size, step.value[k]);
    }
    *step.missing = found ? 1 : 0;
  });
  unsigned found = 0;
  download(*backend, &found, missing, 1);
  return found == 0;
}

}  // namespace

template <class T>
std::vector<T> find_dictionary(const std::vector<T>& values, bool holes, const T* on_device, offset count,
                               const std::shared_ptr<Backend>& backend) {
  std::vector<T> guess = sampled_dictionary(values, holes);
  if (guess.empty()) return {};  // a part of them are too many
  const auto queue = backend->make_queue(Priority::normal);
  DeviceArrays arrays(backend);
  if (has_all(arrays.add(guess), static_cast<int>(guess.size()), on_device, count, *queue, backend))
    return guess;
  return make_dictionary(values, holes);
}

SPMV_INSTANTIATE(find_dictionary);

}  // namespace spmv
