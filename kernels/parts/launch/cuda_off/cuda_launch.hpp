// Stands in for the launchers of CUDA kernels in a build without CUDA, where no queue has a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "core/peer_memory.hpp"
#include "core/value_type.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/parts/scalar.hpp"

namespace spmv {

struct SortKeys;
template <class T>
struct CombinationData;
template <class S>
struct PartialSums;
template <class S>
struct ScalarsView;
template <class T>
struct GramRequest;
template <class T>
struct CombineRequest;

template <class View>
void launch_cuda(const View&, const typename View::Value*, typename View::Value*, Update, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class View>
void launch_columns_cuda(const View&, const typename View::Value*, typename View::Value*, int, Update,
                         void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class View>
void launch_fused_cuda(const View&, const View&, const FusedProduct<typename View::Value>&, void*) {
  throw Error(ExitCode::internal, "this build has no CUDA kernels");
}

template <class View>
int launch_summed_cuda(const View&, const typename View::Value*, typename View::Value*,
                       const typename View::Value*, const RowWork<typename View::Value>&, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class View>
int launch_summed_columns_cuda(const View&, const typename View::Value*, typename View::Value*,
                               const typename View::Value*, int, const RowWork<typename View::Value>&,
                               void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class View>
int launch_fused_summed_cuda(const View&, const View&, const FusedProduct<typename View::Value>&, void*) {
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

template <class T>
void launch_take_column_cuda(const T*, int, int, lidx, T*, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_put_column_cuda(const T*, lidx, T*, int, int, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_to_single_cuda(lidx, const lidx*, double, const T*, SingleOf<T>*, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_add_single_cuda(lidx, const lidx*, double, const SingleOf<T>*, T*, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_random_phases_cuda(lidx, const gidx*, unsigned, T*, int, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
int launch_combination_cuda(const CombinationData<T>&, const ScalarsView<ScalarOf<T>>&, std::uint64_t,
                            void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

inline std::string why_no_own_kernels_cuda() {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_own_sums_cuda(const PartialSums<ScalarOf<T>>&, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_rank_sums_cuda(ScalarOf<T>*, int, int, const ScalarOf<T>*, int, int, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_sums_between_peers_cuda(const PartialSums<ScalarOf<T>>&, const PeerView&, int, int, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_gram_cuda(const GramRequest<T>&, void*) {
  throw Error(ExitCode::internal, "a CUDA stream in a build without CUDA");
}

template <class T>
void launch_combine_blocks_cuda(const CombineRequest<T>&, void*) {
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
