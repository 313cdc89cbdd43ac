// Makes vectors, and converts from and to the natural order.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/matrix.hpp"

namespace spmv::lib {

/// As Vector::set() and get(). Local.
template <class T>
void set(VectorState<T>& vector, const T* natural, std::int64_t count);
template <class T>
void get(VectorState<T>& vector, T* natural, std::int64_t count);

/// A vector of zeros in its own memory. Local.
template <class T>
std::shared_ptr<VectorState<T>> new_vector(const std::shared_ptr<Basis<T>>& basis);
/// A vector in the caller's memory: see Matrix::view(). Local; throws Error(usage).
template <class T>
std::shared_ptr<VectorState<T>> new_view(const std::shared_ptr<Basis<T>>& basis, T* at, std::int64_t count);

}  // namespace spmv::lib
