// Value types on the device: std::complex as a two-element vector, so that one element is one load.
#pragma once

#include <complex>

#include <cuda_runtime.h>

#include "core/types.hpp"

namespace spmv {

template <class T>
struct DeviceValueOf {
  using Type = T;
};
template <>
struct DeviceValueOf<std::complex<float>> {
  using Type = float2;
};
template <>
struct DeviceValueOf<std::complex<double>> {
  using Type = double2;
};

template <class T>
using DeviceValue = typename DeviceValueOf<T>::Type;

/// The same memory, seen as device values. It must be aligned to sizeof(T).
template <class T>
__host__ __device__ __forceinline__ const DeviceValue<T>* as_device(const T* at) {
  return reinterpret_cast<const DeviceValue<T>*>(at);
}
template <class T>
__host__ __device__ __forceinline__ DeviceValue<T>* as_device(T* at) {
  return reinterpret_cast<DeviceValue<T>*>(at);
}

/// sum + a * b, rounded once for every real operation.
__device__ __forceinline__ float multiply_add(float a, float b, float sum) {
  return fmaf(a, b, sum);
}
__device__ __forceinline__ double multiply_add(double a, double b, double sum) {
  return fma(a, b, sum);
}
__device__ __forceinline__ float2 multiply_add(float2 a, float2 b, float2 sum) {
  return {fmaf(a.x, b.x, fmaf(-a.y, b.y, sum.x)), fmaf(a.x, b.y, fmaf(a.y, b.x, sum.y))};
}
__device__ __forceinline__ double2 multiply_add(double2 a, double2 b, double2 sum) {
  return {fma(a.x, b.x, fma(-a.y, b.y, sum.x)), fma(a.x, b.y, fma(a.y, b.x, sum.y))};
}

__device__ __forceinline__ float add(float a, float b) {
  return a + b;
}
__device__ __forceinline__ double add(double a, double b) {
  return a + b;
}
__device__ __forceinline__ float2 add(float2 a, float2 b) {
  return {a.x + b.x, a.y + b.y};
}
__device__ __forceinline__ double2 add(double2 a, double2 b) {
  return {a.x + b.x, a.y + b.y};
}

/// The value that the thread `distance` lanes further in its group of `width` holds.
__device__ __forceinline__ float from_lane_down(float value, int distance, int width) {
  return __shfl_down_sync(0xffffffffu, value, distance, width);
}
__device__ __forceinline__ double from_lane_down(double value, int distance, int width) {
  return __shfl_down_sync(0xffffffffu, value, distance, width);
}
template <class Pair>
__device__ __forceinline__ Pair from_lane_down(Pair value, int distance, int width) {
  return {from_lane_down(value.x, distance, width), from_lane_down(value.y, distance, width)};
}

/// Writes the sum of one row where it belongs; y is read for add only, and not kept in a cache.
template <class D>
__device__ __forceinline__ void store_row(D* y, const lidx* row_list, offset row, D sum, bool add_to_y) {
  D* target = y + (row_list != nullptr ? row_list[row] : row);
  __stcs(target, add_to_y ? add(sum, *target) : sum);
}

}  // namespace spmv
