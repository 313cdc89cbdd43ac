// Stands in for the launchers of CUDA kernels in a build without CUDA, where no queue has a stream.
#pragma once

#include <cstddef>

#include "core/error.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

struct SortKeys;

template <class View>
void launch_cuda(const View&, const typename View::Value*, typename View::Value*, Update, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class View>
void launch_fused_cuda(const View&, const View&, const FusedProduct<typename View::Value>&, void*) {
  throw Error(ExitCode::internal, "this build has no CUDA kernels");
}

template <class T>
void launch_gather_cuda(lidx, const lidx*, const T*, T*, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_scaled_sum_cuda(lidx, T, const T*, T, T*, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class Step>
void launch_build_cuda(const Step&, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

inline std::size_t sort_scratch_bytes(const SortKeys&) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

}  // namespace spmv
