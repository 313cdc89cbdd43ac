// The state of spmv_dist::Vector: makes vectors, and converts from and to the natural order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/types.hpp"
#include "kernels/gather.hpp"

namespace spmv::lib {

/// The order of x or y on this rank: what vectors have in common with their matrix. Holds nothing of MPI,
/// so that vectors may go when they like. A multivector has one of its own for its number of columns, and is a vector of all
/// their elements.
template <class T>
struct Basis {
  std::shared_ptr<Backend> backend;
  int threads = 1;
  int columns = 1;
  std::shared_ptr<Basis<T>> of_vectors;  // of one column: that of the matrix's vectors; nullptr: this one
  lidx size = 0;                         // in all columns
  lidx capacity = 0;                     // size and the halo
  std::unique_ptr<Gather<T>> to_basis;   // nullptr: the natural order
  std::unique_ptr<Gather<T>> from_basis;
  Buffer<T> natural;                 // for conversions; empty: none yet
  std::unique_ptr<Queue> own_queue;  // for when the matrix has gone
  Queue* products = nullptr;         // the matrix's; nullptr: it has gone
  bool follows_stream = false;       // see Matrix::order_with()
  void* stream = nullptr;

  Queue& queue() const { return products != nullptr ? *products : *own_queue; }
};

/// Whether two arrays have memory in common. Pure.
template <class T>
bool overlap(const T* a, std::int64_t a_count, const T* b, std::int64_t b_count) {
  const std::less<> before;
  return a_count > 0 && b_count > 0 && before(a, b + b_count) && before(b, a + a_count);
}

template <class T>
struct VectorState {
  VectorState() = default;
  /// Waits for queued work, which may still use the vector.
  ~VectorState();
  VectorState(const VectorState&) = delete;
  VectorState& operator=(const VectorState&) = delete;
  std::shared_ptr<Basis<T>> basis;
  Buffer<T> own;         // empty: a view that is used as it is
  T* data = nullptr;     // what products use: basis->capacity elements
  T* callers = nullptr;  // of a view
  bool callers_on_device = false;
  bool copied() const { return callers != nullptr && callers != data; }
  /// The caller's memory, or that of a vector that has its own.
  const T* begin() const { return callers != nullptr ? callers : data; }
  /// How many elements there belong to it: those of the halo, too, unless it is copied.
  lidx count() const { return copied() ? basis->size : basis->capacity; }
  /// To and from the caller's memory, where it is copied. Queued.
  void fetch();
  void bring();
};

/// As Vector::set() and get(). Local.
template <class T>
void set(VectorState<T>& vector, const T* natural, std::int64_t count);
template <class T>
void get(VectorState<T>& vector, T* natural, std::int64_t count);

/// The queue, which waits for the work in the caller's stream if there is one. Local.
template <class T>
Queue& ready_queue(const Basis<T>& basis);

/// A vector of zeros in its own memory. Local.
template <class T>
std::shared_ptr<VectorState<T>> new_vector(const std::shared_ptr<Basis<T>>& basis);
/// A vector in the caller's memory: see Matrix::view(). Local; throws Error(usage).
template <class T>
std::shared_ptr<VectorState<T>> new_view(const std::shared_ptr<Basis<T>>& basis, T* at, std::int64_t count);

}  // namespace spmv::lib
