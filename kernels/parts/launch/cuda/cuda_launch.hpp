// Launchers of CUDA kernels. The other header of this name throws instead; CMake picks one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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

/// Queues the product of a format's view on `stream`; x and y are device memory aligned to sizeof(Value).
/// Instantiated for every value type in the format's .cu file. Throws Error when the launch fails.
template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream);

/// launch_cuda() for k columns at once, see LocalOperator::apply_columns(). Instantiated in the .cu files of formats with
/// multiplies_columns. Throws Error when the launch fails.
template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream);

/// Queues a product with its exchange, of two views for which can_fuse() is true. Instantiated in the .cu files
/// of formats for which fuses_with_exchange. Throws Error when the launch fails.
template <class View>
void launch_fused_cuda(const View& interior, const View& boundary,
                       const FusedProduct<typename View::Value>& product, void* stream);

/// launch_cuda() of assign that also scales its rows and sums them: y[i] belongs to own_x[i]. Returns the parts of each sum.
/// Instantiated in the .cu files of formats with sums_its_rows. Throws Error as launch_cuda().
template <class View>
int launch_summed_cuda(const View& view, const typename View::Value* x, typename View::Value* y,
                       const typename View::Value* own_x, const RowWork<typename View::Value>& sums,
                       void* stream);

/// The same of k > 1 columns. Instantiated in the .cu files of formats with sums_its_columns.
template <class View>
int launch_summed_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y,
                               const typename View::Value* own_x, int k,
                               const RowWork<typename View::Value>& sums, void* stream);

/// launch_fused_cuda() with the sums that the product wants. Returns the parts of each sum.
template <class View>
int launch_fused_summed_cuda(const View& interior, const View& boundary,
                             const FusedProduct<typename View::Value>& product, void* stream);

/// Queues send_buffer[k] = x[index[k]] for k < count on `stream`.
template <class T>
void launch_gather_cuda(lidx count, const lidx* index, const T* x, T* send_buffer, void* stream);

/// Queues y[i] = alpha * a[i] + beta * y[i] for i < count on `stream`; y is not read where beta is 0.
template <class T>
void launch_scaled_sum_cuda(lidx count, T alpha, const T* a, T beta, T* y, void* stream);

/// Queue take_column() and put_column() on `stream`.
template <class T>
void launch_take_column_cuda(const T* multi, int k, int j, lidx count, T* column, void* stream);
template <class T>
void launch_put_column_cuda(const T* column, lidx count, T* multi, int k, int j, void* stream);

/// Queue SingleCopy's to_single() and add_single() on `stream`.
template <class T>
void launch_to_single_cuda(lidx count, const lidx* order, double factor, const T* x, SingleOf<T>* y,
                           void* stream);
template <class T>
void launch_add_single_cuda(lidx count, const lidx* order, double factor, const SingleOf<T>* y, T* x,
                            void* stream);

/// Queues queue_random_phases() on `stream`.
template <class T>
void launch_random_phases_cuda(lidx count, const gidx* ids, unsigned number, T* v, int columns, void* stream);

/// queue_combination() and its sums (combine/combine.hpp) on `stream`. The first returns the number of parts of its sums.
template <class T>
int launch_combination_cuda(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                            std::uint64_t line, void* stream);
/// Why combinations share one kernel; empty: each has its own (combine/own_kernels.hpp).
std::string why_no_own_kernels_cuda();
template <class T>
void launch_own_sums_cuda(const PartialSums<ScalarOf<T>>& sums, void* stream);
template <class T>
void launch_rank_sums_cuda(ScalarOf<T>* slot, int count, int columns, const ScalarOf<T>* others, int rank,
                           int ranks, void* stream);
template <class T>
void launch_sums_between_peers_cuda(const PartialSums<ScalarOf<T>>& sums, const PeerView& peers, int rank,
                                    int ranks, void* stream);

/// Queue gram() and combine() of kernels/dense/block_work.hpp on `stream`. Throw Error when the launch fails.
template <class T>
void launch_gram_cuda(const GramRequest<T>& request, void* stream);
template <class T>
void launch_combine_blocks_cuda(const CombineRequest<T>& request, void* stream);

/// Queues a step of building a format on the device. A step is a plain struct of device pointers, such as
/// ColumnsFill; the .cu file of its family has the kernel and the instantiation. Throws Error when the launch
/// fails.
template <class Step>
void launch_build_cuda(const Step& step, void* stream);

/// SortKeys::scratch_bytes that the step needs, whose other members are set. Throws Error when the device fails.
std::size_t sort_scratch_bytes(const SortKeys& step);

}  // namespace spmv
