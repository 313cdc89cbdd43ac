// The handles of spmv_dist.h, and how exceptions become its codes.
#pragma once

#include <complex>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include "spmv_dist/multivector.h"
#include "spmv_dist/multivector.hpp"
#include "spmv_dist/spmv_dist.h"
#include "spmv_dist/spmv_dist.hpp"

namespace spmv_dist::c {

template <template <class> class Typed>
using OfAnyType =
    std::variant<Typed<float>, Typed<double>, Typed<std::complex<float>>, Typed<std::complex<double>>>;

}  // namespace spmv_dist::c

struct spmv_dist_context {
  spmv_dist::Context context;
};

struct spmv_dist_matrix {
  spmv_dist::c::OfAnyType<spmv_dist::Matrix> matrix;
  std::string description;
};

struct spmv_dist_vector {
  spmv_dist::c::OfAnyType<spmv_dist::Vector> vector;
};

struct spmv_dist_multivector {
  spmv_dist::c::OfAnyType<spmv_dist::MultiVector> multivector;
};

namespace spmv_dist::c {

inline int fail(spmv_dist_status* status, int code, const char* message) {
  if (status != nullptr) {
    status->code = code;
    std::strncpy(status->message, message, sizeof status->message - 1);
    status->message[sizeof status->message - 1] = '\0';
  }
  return code;
}

/// Runs work() and turns what it throws into a code and a message.
template <class Work>
int guarded(spmv_dist_status* status, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return fail(status, static_cast<int>(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(status, SPMV_DIST_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return fail(status, SPMV_DIST_INTERNAL, error.what());
  }
  if (status != nullptr) {
    status->code = SPMV_DIST_OK;
    status->message[0] = '\0';
  }
  return SPMV_DIST_OK;
}

inline Side side_of(int side) {
  if (side != SPMV_DIST_X && side != SPMV_DIST_Y)
    throw Error(Code::usage, "side is neither SPMV_DIST_X nor SPMV_DIST_Y");
  return static_cast<Side>(side);
}

template <class Handle>
Handle& deref(Handle* handle, const char* name) {
  if (handle == nullptr) throw Error(Code::usage, std::string(name) + " is a null pointer");
  return *handle;
}

/// What a caller calls two vectors.
struct Names {
  const char* x;
  const char* y;
};

/// Calls work(x, y) with vectors of a value type, or throws Error(usage).
template <class T, class Work>
void with_vectors(spmv_dist_vector& x, spmv_dist_vector& y, const Names& names, const Work& work) {
  auto* const vector_x = std::get_if<spmv_dist::Vector<T>>(&x.vector);
  auto* const vector_y = std::get_if<spmv_dist::Vector<T>>(&y.vector);
  if (vector_x == nullptr || vector_y == nullptr)
    throw Error(Code::usage, std::string(names.x) + " or " + names.y +
                                 " is a vector of another matrix, of another value type");
  work(*vector_x, *vector_y);
}

/// The multivector behind a handle, or throws Error(usage).
template <class T>
MultiVector<T>& multivector_of(spmv_dist_multivector* handle, const char* name) {
  auto* const typed = std::get_if<MultiVector<T>>(&deref(handle, name).multivector);
  if (typed == nullptr)
    throw Error(Code::usage,
                std::string(name) + " is a multivector of another matrix, of another value type");
  return *typed;
}

/// Calls work(A, x, y), with all three of one value type.
template <class Work>
int with_all(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y, spmv_dist_status* status,
             const Work& work, const Names& names = {"x", "y"}) {
  return guarded(status, [&] {
    spmv_dist_vector& of_x = deref(x, names.x);
    spmv_dist_vector& of_y = deref(y, names.y);
    std::visit(
        [&](auto& matrix) {
          with_vectors<typename std::decay_t<decltype(matrix)>::Value>(
              of_x, of_y, names, [&](auto& vector_x, auto& vector_y) { work(matrix, vector_x, vector_y); });
        },
        deref(A, "A").matrix);
  });
}

}  // namespace spmv_dist::c
