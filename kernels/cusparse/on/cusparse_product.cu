// The generic interface of cuSPARSE (CUDA 13: BSR is in it too).
#include <complex>
#include <type_traits>

#include <cuda_runtime.h>
#include <cusparse.h>

#include "core/buffer.hpp"
#include "core/cuda_check.hpp"
#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/cusparse/cusparse_product.hpp"
#include "kernels/parts/device_value.cuh"

namespace spmv {
namespace {

void cusparse_check(cusparseStatus_t status, const char* doing) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  ExitCode code = ExitCode::internal;
  if (status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES)
    code = ExitCode::memory;
  if (status == CUSPARSE_STATUS_NOT_SUPPORTED || status == CUSPARSE_STATUS_ARCH_MISMATCH)
    code = ExitCode::environment;
  throw Error(code, std::string("cuSPARSE failed to ") + doing + ": " + cusparseGetErrorName(status) + ", " +
                        cusparseGetErrorString(status) + "; use another format");
}

struct Destroy {
  void operator()(cusparseHandle_t handle) const { cusparseDestroy(handle); }
  void operator()(cusparseConstSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
  void operator()(cusparseDnVecDescr_t vector) const { cusparseDestroyDnVec(vector); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cusparseHandle_t>, Destroy>;
using MatrixDescription = std::unique_ptr<std::remove_pointer_t<cusparseConstSpMatDescr_t>, Destroy>;
using VectorDescription = std::unique_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>, Destroy>;

template <class T>
constexpr cudaDataType data_type() {
  if constexpr (std::is_same_v<T, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<T, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<T, std::complex<float>>) return CUDA_C_32F;
  if constexpr (std::is_same_v<T, std::complex<double>>) return CUDA_C_64F;
}

cusparseSpMVAlg_t library_algorithm(CusparseAlgorithm algorithm) {
  switch (algorithm) {
    case CusparseAlgorithm::csr_1:
      return CUSPARSE_SPMV_CSR_ALG1;
    case CusparseAlgorithm::csr_2:
      return CUSPARSE_SPMV_CSR_ALG2;
    case CusparseAlgorithm::sliced_ell:
      return CUSPARSE_SPMV_SELL_ALG1;
    case CusparseAlgorithm::block_csr:
      return CUSPARSE_SPMV_BSR_ALG1;
  }
  throw Error(ExitCode::internal, "an algorithm that cuSPARSE does not have");
}

Handle make_handle() {
  cusparseHandle_t handle = nullptr;
  cusparse_check(cusparseCreate(&handle), "start");
  return Handle(handle);
}

template <class T>
VectorDescription describe_vector(offset size, T* values) {
  cusparseDnVecDescr_t vector = nullptr;
  cusparse_check(cusparseCreateDnVec(&vector, size, values, data_type<T>()), "describe a vector");
  return VectorDescription(vector);
}

template <class T>
MatrixDescription describe_matrix(const CusparseMatrix<T>& a) {
  const cusparseIndexType_t start_type = a.wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  constexpr auto col_type = CUSPARSE_INDEX_32I;
  constexpr auto base = CUSPARSE_INDEX_BASE_ZERO;
  cusparseConstSpMatDescr_t matrix = nullptr;
  cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
  if (a.algorithm == CusparseAlgorithm::sliced_ell)
    status = cusparseCreateConstSlicedEll(&matrix, a.rows, a.cols, a.nonzeros, a.stored, a.group, a.start,
                                          a.col, a.value, start_type, col_type, base, data_type<T>());
  else if (a.algorithm == CusparseAlgorithm::block_csr)
    status = cusparseCreateConstBsr(&matrix, (offset{a.rows} + a.group - 1) / a.group,
                                    (offset{a.cols} + a.group - 1) / a.group, a.nonzeros, a.group, a.group,
                                    a.start, a.col, a.value, start_type, col_type, base, data_type<T>(),
                                    CUSPARSE_ORDER_ROW);
  else
    status = cusparseCreateConstCsr(&matrix, a.rows, a.cols, a.nonzeros, a.start, a.col, a.value, start_type,
                                    col_type, base, data_type<T>());
  cusparse_check(status, "describe the matrix");
  return MatrixDescription(matrix);
}

constexpr int scatter_threads = 256;

/// y[r(i)] (+)= sums[i]; zeros where `sums` is nullptr.
template <class D>
__global__ void __launch_bounds__(scatter_threads)
    scatter_kernel(lidx rows, const D* __restrict__ sums, const lidx* __restrict__ row_list,
                   D* __restrict__ y, bool add_to_y) {
  const offset row = static_cast<offset>(blockIdx.x) * scatter_threads + threadIdx.x;
  if (row < rows) store_row(y, row_list, row, sums != nullptr ? sums[row] : D{}, add_to_y);
}

template <class T>
class LibraryProduct final : public CusparseProduct<T> {
 public:
  LibraryProduct(const CusparseMatrix<T>& a, const std::shared_ptr<Backend>& backend) : a_(a) {
    if (a_.rows == 0 || a_.nonzeros == 0) return;
    const offset group = a_.algorithm == CusparseAlgorithm::block_csr ? a_.group : 1;
    const offset rows = (offset{a_.rows} + group - 1) / group * group;
    const offset cols = (offset{a_.cols} + group - 1) / group * group;
    handle_ = make_handle();
    matrix_ = describe_matrix(a_);
    const auto queue = backend->make_queue(Priority::normal);
    if (cols != a_.cols) {
      x_copy_ = Buffer<T>(backend, static_cast<std::size_t>(cols), Memory::device);
      queue->fill(x_copy_.data(), 0, x_copy_.bytes());
      queue->synchronize();
    }
    if (rows != a_.rows || a_.row_list != nullptr)
      sums_ = Buffer<T>(backend, static_cast<std::size_t>(rows), Memory::device);

    // The library looks at vectors before there are any; what stands in them is of no account.
    Buffer<T> x(backend, static_cast<std::size_t>(cols), Memory::device);
    Buffer<T> y(backend, static_cast<std::size_t>(rows), Memory::device);
    x_ = describe_vector(cols, x.data());
    y_ = describe_vector(rows, y.data());
    const T one(1), zero(0);
    std::size_t bytes = 0;
    cusparse_check(
        cusparseSpMV_bufferSize(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(),
                                x_.get(), &zero, y_.get(), data_type<T>(), algorithm(), &bytes),
        "size the product's workspace");
    library_ = Buffer<std::byte>(backend, bytes, Memory::device);
    if (a_.algorithm != CusparseAlgorithm::csr_1 && a_.algorithm != CusparseAlgorithm::csr_2) return;
    cusparse_check(cusparseSetStream(handle_.get(), static_cast<cudaStream_t>(queue->stream())),
                   "choose the stream");
    cusparse_check(
        cusparseSpMV_preprocess(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(),
                                x_.get(), &zero, y_.get(), data_type<T>(), algorithm(), library_.data()),
        "prepare the product");
    queue->synchronize();
  }

  void apply(const T* x, T* y, Update update, void* stream) override {
    const auto cuda_stream = static_cast<cudaStream_t>(stream);
    if (a_.rows == 0) return;
    if (a_.nonzeros == 0) {
      if (update == Update::assign) scatter(nullptr, y, update, cuda_stream);
      return;
    }
    if (x_copy_.size() > 0) {
      cuda_check(cudaMemcpyAsync(x_copy_.data(), x, static_cast<std::size_t>(a_.cols) * sizeof(T),
                                 cudaMemcpyDeviceToDevice, cuda_stream),
                 "queue a copy of x (cusparse_product.cu)");
      x = x_copy_.data();
    }
    const bool direct = sums_.size() == 0;
    const T one(1), beta(direct && update == Update::add ? 1 : 0);
    cusparse_check(cusparseSetStream(handle_.get(), cuda_stream), "choose the stream");
    cusparse_check(cusparseDnVecSetValues(x_.get(), const_cast<T*>(x)), "take x");
    cusparse_check(cusparseDnVecSetValues(y_.get(), direct ? y : sums_.data()), "take y");
    cusparse_check(cusparseSpMV(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(),
                                x_.get(), &beta, y_.get(), data_type<T>(), algorithm(), library_.data()),
                   "queue a product");
    if (!direct) scatter(sums_.data(), y, update, cuda_stream);
  }

  std::size_t workspace_bytes() const override { return x_copy_.bytes() + sums_.bytes() + library_.bytes(); }

 private:
  cusparseSpMVAlg_t algorithm() const { return library_algorithm(a_.algorithm); }

  void scatter(const T* sums, T* y, Update update, cudaStream_t stream) const {
    const auto blocks = static_cast<unsigned>((offset{a_.rows} + scatter_threads - 1) / scatter_threads);
    scatter_kernel<<<blocks, scatter_threads, 0, stream>>>(a_.rows, as_device(sums), a_.row_list,
                                                           as_device(y), update == Update::add);
    cuda_check(cudaGetLastError(), "launch a scatter (cusparse_product.cu)");
  }

  CusparseMatrix<T> a_;
  Handle handle_;
  MatrixDescription matrix_;
  VectorDescription x_, y_;
  Buffer<T> x_copy_;  // with zeros after it up to a whole block; empty where x itself will do
  Buffer<T> sums_;    // rows in the order of the block; empty where they go straight to y
  Buffer<std::byte> library_;
};

}  // namespace

std::string why_no_cusparse() {
  return {};
}

template <class T>
std::unique_ptr<CusparseProduct<T>> make_cusparse_product(const CusparseMatrix<T>& matrix,
                                                          const std::shared_ptr<Backend>& backend) {
  return std::make_unique<LibraryProduct<T>>(matrix, backend);
}

SPMV_INSTANTIATE(make_cusparse_product);

}  // namespace spmv
