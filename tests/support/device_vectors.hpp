// Vectors and numbers of combinations on a device, and their values in long double.
#pragma once

#include <complex>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/combine/combine.hpp"

namespace spmv::test {

template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

template <class T>
Wide<T> wide(const T& value) {
  return Wide<T>(value);
}
template <class T>
Wide<T> wide_conjugate(const Wide<T>& value) {
  if constexpr (is_complex<T>)
    return std::conj(value);
  else
    return value;
}

/// Vectors of `count` elements on a device, and one element after each that nothing may change.
template <class T>
class DeviceVectors {
 public:
  DeviceVectors(const std::shared_ptr<Backend>& backend, lidx count, int vectors)
      : backend_(backend), count_(count) {
    for (int v = 0; v < vectors; ++v) {
      host.emplace_back(static_cast<std::size_t>(count) + 1);
      for (std::size_t i = 0; i < host.back().size(); ++i)
        host.back()[i] = x_value<T>(static_cast<gidx>(i), static_cast<unsigned>(v + 1));
      device_.push_back(upload(backend, host.back().data(), host.back().size()));
    }
  }
  T* at(int v) { return device_[static_cast<std::size_t>(v)].data(); }
  VectorRef<T> operator[](int v) { return {at(v), count_}; }
  std::vector<T> now(int v) const {
    std::vector<T> values(host[0].size());
    download(*backend_, values.data(), device_[static_cast<std::size_t>(v)].data(), values.size());
    return values;
  }
  std::vector<std::vector<T>> host;

 private:
  std::shared_ptr<Backend> backend_;
  lidx count_;
  std::vector<Buffer<T>> device_;
};

template <class T>
void put_in_slots(const std::shared_ptr<Backend>& backend, Scalars<T>& scalars,
                  const std::vector<double>& numbers, int column = 0) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = scalar_of<ScalarOf<T>>(numbers[i]);
    backend->upload(scalars.slot(static_cast<int>(i), column), &number, sizeof(number));
  }
}

template <class T>
ScalarOf<T> slot_now(const std::shared_ptr<Backend>& backend, Scalars<T>& scalars, int slot, int column = 0) {
  ScalarOf<T> number{};
  download(*backend, &number, scalars.slot(slot, column), 1);
  return number;
}

}  // namespace spmv::test
