// The handles of spmv_dist.h, and how exceptions become its codes.
#pragma once

#include <complex>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <variant>

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

template <class Handle>
Handle& deref(Handle* handle, const char* name) {
  if (handle == nullptr) throw Error(Code::usage, std::string(name) + " is a null pointer");
  return *handle;
}

}  // namespace spmv_dist::c
