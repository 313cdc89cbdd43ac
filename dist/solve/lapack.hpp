// What is used of LAPACK, by the Fortran names that every LAPACK has. Matrices are by columns.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spmv::lapack {

/// Integers of 64 bits, of which a LAPACK with 32 bits reads and writes the lower ones, that come first; what is written must
/// be 0 before. So it does not matter which of the two a program has loaded.
using Int = std::int64_t;
static_assert(std::endian::native == std::endian::little);

extern "C" {
// Lengths of the strings come last, as Fortran compilers hand them over.
void dsyev_(const char* job, const char* triangle, const Int* n, double* a, const Int* lda, double* values,
            double* work, const Int* work_size, Int* info, std::size_t, std::size_t);
void dsygv_(const Int* kind, const char* job, const char* triangle, const Int* n, double* a, const Int* lda,
            double* b, const Int* ldb, double* values, double* work, const Int* work_size, Int* info,
            std::size_t, std::size_t);
void zhegv_(const Int* kind, const char* job, const char* triangle, const Int* n, std::complex<double>* a,
            const Int* lda, std::complex<double>* b, const Int* ldb, double* values,
            std::complex<double>* work, const Int* work_size, double* more_work, Int* info, std::size_t,
            std::size_t);
void dstevx_(const char* job, const char* range, const Int* n, double* diagonal, double* off,
             const double* from, const double* to, const Int* first, const Int* last, const double* tolerance,
             Int* found, double* values, double* vectors, const Int* ldz, double* work, Int* more_work,
             Int* failed, Int* info, std::size_t, std::size_t);
void dgesv_(const Int* n, const Int* columns, double* a, const Int* lda, Int* pivots, double* b,
            const Int* ldb, Int* info);
void zgesv_(const Int* n, const Int* columns, std::complex<double>* a, const Int* lda, Int* pivots,
            std::complex<double>* b, const Int* ldb, Int* info);
}

/// Throws Error(internal) where a routine found no result. Pure.
inline void check(Int info, const char* routine) {
  if (info != 0)
    throw Error(ExitCode::internal, fmt::format("{} of LAPACK failed: info is {}", routine, info));
}

}  // namespace spmv::lapack
