// multivector.h, over the C++ interface.
#include <type_traits>
#include <variant>

#include "lib/c_handles.hpp"

namespace {

using namespace spmv_dist::c;

template <class Product>
int with_columns(spmv_dist_matrix* A, spmv_dist_multivector* X, spmv_dist_multivector* Y,
                 spmv_dist_status* status, const Product& product) {
  return guarded(status, [&] {
    std::visit(
        [&](auto& matrix) {
          using T = typename std::decay_t<decltype(matrix)>::Value;
          product(matrix, multivector_of<T>(X, "X"), multivector_of<T>(Y, "Y"));
        },
        deref(A, "A").matrix);
  });
}

}  // namespace

int spmv_dist_multivector_create(spmv_dist_matrix* A, int side, int columns, spmv_dist_multivector** X,
                                 spmv_dist_status* status) {
  return guarded(status, [&] {
    deref(X, "X") = nullptr;
    *X = std::visit(
        [&](auto& matrix) {
          using T = typename std::decay_t<decltype(matrix)>::Value;
          return new spmv_dist_multivector{spmv_dist::MultiVector<T>(matrix, side_of(side), columns)};
        },
        deref(A, "A").matrix);
  });
}

void spmv_dist_multivector_free(spmv_dist_multivector* X) {
  delete X;
}

int spmv_dist_multivector_set(spmv_dist_multivector* X, const void* natural, int64_t count,
                              spmv_dist_status* status) {
  return guarded(status, [&] {
    std::visit(
        [&](auto& all) {
          using T = std::remove_pointer_t<decltype(all.data())>;
          all.set(static_cast<const T*>(natural), count);
        },
        deref(X, "X").multivector);
  });
}

int spmv_dist_multivector_get(const spmv_dist_multivector* X, void* natural, int64_t count,
                              spmv_dist_status* status) {
  return guarded(status, [&] {
    std::visit(
        [&](const auto& all) {
          using T = std::remove_const_t<std::remove_pointer_t<decltype(all.data())>>;
          all.get(static_cast<T*>(natural), count);
        },
        deref(X, "X").multivector);
  });
}

void* spmv_dist_multivector_data(spmv_dist_multivector* X) {
  return X == nullptr ? nullptr : std::visit([](auto& all) -> void* { return all.data(); }, X->multivector);
}

int spmv_dist_multiply_columns(spmv_dist_matrix* A, spmv_dist_multivector* X, spmv_dist_multivector* Y,
                               spmv_dist_status* status) {
  return with_columns(A, X, Y, status, [](auto& m, auto& x, auto& y) { multiply(m, x, y); });
}

int spmv_dist_multiply_columns_queued(spmv_dist_matrix* A, spmv_dist_multivector* X, spmv_dist_multivector* Y,
                                      spmv_dist_status* status) {
  return with_columns(A, X, Y, status, [](auto& m, auto& x, auto& y) { multiply_queued(m, x, y); });
}
