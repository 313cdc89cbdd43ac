// The preconditioners' functions.
#pragma once

#include <memory>

#include "dist/solve/preconditioner.hpp"

namespace spmv {

template <class T>
std::unique_ptr<Preconditioner<T>> make_no_preconditioner(const PreconditionerRequest<T>& request);
template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const PreconditionerRequest<T>& request);
template <class T>
std::unique_ptr<Preconditioner<T>> make_block_jacobi(const PreconditionerRequest<T>& request);
template <class T>
std::unique_ptr<Preconditioner<T>> make_chebyshev(const PreconditionerRequest<T>& request);
template <class T>
std::unique_ptr<Preconditioner<T>> make_multigrid(const PreconditionerRequest<T>& request);

}  // namespace spmv
