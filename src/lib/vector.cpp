// Vectors: memory in a matrix's basis, and conversion from and to the natural order.
#include "lib/vector.hpp"

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "kernels/combine/kernel_text.hpp"
#include "lib/caller_rows.hpp"
#include "lib/context.hpp"
#include "lib/translate.hpp"

namespace spmv::lib {

template <class T>
Queue& ready_queue(const Basis<T>& basis) {
  Queue& queue = basis.queue();
  if (basis.follows_stream) queue.wait_for_stream(basis.stream);
  return queue;
}

namespace {

template <class T>
T* natural_memory(Basis<T>& basis) {
  if (basis.natural.size() == 0)
    basis.natural = Buffer<T>(basis.backend, static_cast<std::size_t>(basis.size), Memory::device);
  return basis.natural.data();
}

template <class T>
void require_array(const VectorState<T>& vector, const T* natural, std::int64_t count) {
  const lidx size = vector.basis->size;
  if (count != size)
    throw Error(ExitCode::usage,
                fmt::format("{} elements were given for a vector that has {} on this rank", count, size));
  if (natural == nullptr && count > 0) throw Error(ExitCode::usage, "natural is a null pointer");
  if (natural != vector.begin() && overlap(natural, count, vector.begin(), size))
    throw Error(ExitCode::usage, "natural overlaps the memory of the vector: give it memory of its own");
}

/// How the caller's array is copied from or to device memory. `host_way`: if it is host memory. Throws as on_device().
template <class T>
Copy way_of(const Basis<T>& basis, const T* natural, Copy host_way) {
  const bool device = on_device(*basis.backend, natural, spmv_dist::Where::automatic, "natural");
  return device ? Copy::on_device : host_way;
}

std::size_t bytes_of(lidx count, std::size_t element_bytes) {
  return static_cast<std::size_t>(count) * element_bytes;
}

}  // namespace

template <class T>
VectorState<T>::~VectorState() {
  if (!basis || own.size() == 0) return;
  try {
    const Scope scope(*basis->backend, basis->threads);
    const auto reached =
        basis->backend->make_event();  // synchronize() would take errors from those who ask for them
    basis->queue().record(*reached);
    reached->synchronize();
  } catch (...) {  // a destructor must not throw
  }
}

template <class T>
void VectorState<T>::fetch() {
  if (copied())
    basis->queue().copy(data, callers, bytes_of(basis->size, sizeof(T)),
                        callers_on_device ? Copy::on_device : Copy::to_device);
}

template <class T>
void VectorState<T>::bring() {
  if (copied())
    basis->queue().copy(callers, data, bytes_of(basis->size, sizeof(T)),
                        callers_on_device ? Copy::on_device : Copy::to_host);
}

template <class T>
void set(VectorState<T>& vector, const T* natural, std::int64_t count) {
  Basis<T>& basis = *vector.basis;
  require_array<T>(vector, natural, count);
  if (count == 0) return;
  const Scope scope(*basis.backend, basis.threads);
  Queue& queue = ready_queue(basis);
  T* to = basis.to_basis ? natural_memory(basis) : vector.data;
  queue.copy(to, natural, bytes_of(basis.size, sizeof(T)), way_of(basis, natural, Copy::to_device));
  if (basis.to_basis) basis.to_basis->apply(queue, to, vector.data);
  vector.bring();
  queue.synchronize();
}

template <class T>
void get(VectorState<T>& vector, T* natural, std::int64_t count) {
  Basis<T>& basis = *vector.basis;
  require_array<T>(vector, natural, count);
  const Scope scope(*basis.backend, basis.threads);
  Queue& queue = ready_queue(basis);
  if (count > 0) {
    vector.fetch();
    T* from = basis.from_basis ? natural_memory(basis) : vector.data;
    if (basis.from_basis) basis.from_basis->apply(queue, vector.data, from);
    queue.copy(natural, from, bytes_of(basis.size, sizeof(T)), way_of(basis, natural, Copy::to_host));
  }
  queue.synchronize();
}

template <class T>
std::shared_ptr<VectorState<T>> new_vector(const std::shared_ptr<Basis<T>>& basis) {
  const Scope scope(*basis->backend, basis->threads);
  auto vector = std::make_shared<VectorState<T>>();
  vector->basis = basis;
  vector->own = Buffer<T>(basis->backend, static_cast<std::size_t>(basis->capacity), Memory::device);
  vector->data = vector->own.data();
  basis->queue().fill(vector->data, 0, vector->own.bytes());
  basis->queue().synchronize();
  return vector;
}

template <class T>
std::shared_ptr<VectorState<T>> new_view(const std::shared_ptr<Basis<T>>& basis, T* at, std::int64_t count) {
  if (count < basis->size)
    throw Error(ExitCode::usage,
                fmt::format("a view of {} elements was asked for, but this rank has {}", count, basis->size));
  if (at == nullptr && basis->size > 0)
    throw Error(ExitCode::usage, "a view of a null pointer was asked for: pass the address of the elements");
  const bool host = basis->backend->shares_memory_with_host();
  bool reached = host;
  {
    const Scope scope(*basis->backend, basis->threads);
    reached = host || at == nullptr || on_device(*basis->backend, at, spmv_dist::Where::automatic, "at");
  }
  const bool begins_a_pack = host || reinterpret_cast<std::uintptr_t>(at) % (pack_size<T> * sizeof(T)) == 0;
  const bool used_as_it_is = reached && begins_a_pack && count >= basis->capacity;
  auto vector = used_as_it_is ? std::make_shared<VectorState<T>>() : new_vector(basis);
  vector->basis = basis;
  vector->callers = at;
  vector->callers_on_device = reached;
  if (used_as_it_is) vector->data = at;
  return vector;
}

SPMV_INSTANTIATE(ready_queue);
SPMV_INSTANTIATE(set);
SPMV_INSTANTIATE(get);
SPMV_INSTANTIATE(new_vector);
SPMV_INSTANTIATE(new_view);
SPMV_INSTANTIATE_CLASS(VectorState);

}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::VectorState;

template <class T>
std::int64_t Vector<T>::size() const {
  return translated([&] { return Access::state<VectorState<T>>(*this)->basis->size; });
}

template <class T>
T* Vector<T>::data() {
  return translated([&] {
    const auto state = Access::state<VectorState<T>>(*this);
    return state->callers != nullptr ? state->callers : state->data;
  });
}

template <class T>
const T* Vector<T>::data() const {
  return const_cast<Vector<T>*>(this)->data();
}

template <class T>
void Vector<T>::set(const T* natural, std::int64_t count) {
  translated([&] { spmv::lib::set(*Access::state<VectorState<T>>(*this), natural, count); });
}

template <class T>
void Vector<T>::get(T* natural, std::int64_t count) const {
  translated([&] { spmv::lib::get(*Access::state<VectorState<T>>(*this), natural, count); });
}

template <class T>
bool Vector<T>::is_copied() const {
  return translated([&] { return Access::state<VectorState<T>>(*this)->copied(); });
}

SPMV_INSTANTIATE_CLASS(Vector);

}  // namespace spmv_dist
