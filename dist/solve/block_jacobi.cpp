// Preconditioner block_jacobi: M = the dense blocks on the diagonal of A. Their inverses are a sparse matrix of their own, in
// one of the formats.
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/solve/dense_inverse.hpp"
#include "dist/solve/preconditioners.hpp"
#include "kernels/format.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

template <class T>
class BlockJacobi final : public Preconditioner<T> {
 public:
  BlockJacobi(Workspace<T>& on, std::unique_ptr<LocalOperator<T>> inverse)
      : on_(on), inverse_(std::move(inverse)) {}
  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override {
    inverse_->apply_columns(on_.queue(), r.at, z.at, on_.columns(), Update::assign);
  }

 private:
  Workspace<T>& on_;
  std::unique_ptr<LocalOperator<T>> inverse_;
};

/// Rows and columns `first` to `end - 1` of the block, times 2^-exponent. Pure.
template <class W, class T>
std::vector<W> diagonal_block(const Csr<T>& block, lidx first, lidx end, int exponent) {
  const auto n = static_cast<std::size_t>(end - first);
  std::vector<W> dense(n * n);
  for (lidx row = first; row < end; ++row)
    for (offset k = block.row_ptr[static_cast<std::size_t>(row)];
         k < block.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const lidx col = block.col[static_cast<std::size_t>(k)];
      if (col >= first && col < end)
        dense[static_cast<std::size_t>(row - first) * n + static_cast<std::size_t>(col - first)] +=
            times_power_of_two(W(block.value[static_cast<std::size_t>(k)]), -exponent);
    }
  return dense;
}

/// The inverses of the diagonal blocks of 2^-exponent A, as a matrix in natural order. Throws Error(input). Pure.
template <class T>
Csr<T> inverse_blocks(const DistributedRows<T>& rows, lidx size, int exponent) {
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  Csr<T> inverses;
  inverses.rows = inverses.cols = rows.block.rows;
  for (lidx first = 0; first < rows.block.rows; first += size) {
    const lidx end = first + std::min(size, rows.block.rows - first);
    const auto n = static_cast<std::size_t>(end - first);
    std::vector<W> dense = diagonal_block<W>(rows.block, first, end, exponent);
    if (!invert_dense(dense, n))
      throw Error(
          ExitCode::input,
          fmt::format(
              "the {0} x {0} block on the diagonal that begins in row {1} (counted from 1) has no inverse, and "
              "preconditioner block_jacobi needs one: use blocks of another size, or another "
              "preconditioner",
              n, rows.original_row[static_cast<std::size_t>(first)] + 1));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        inverses.col.push_back(first + static_cast<lidx>(j));
        inverses.value.push_back(T(dense[i * n + j]));
      }
      inverses.row_ptr.push_back(static_cast<offset>(inverses.col.size()));
    }
  }
  return inverses;
}

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_block_jacobi(const PreconditionerRequest<T>& request) {
  return request.on.communicator().together([&] {
    if (request.block_size < 1)
      throw Error(ExitCode::usage, "blocks of preconditioner block_jacobi need rows");
    DistMatrix<T>& matrix = request.A.matrix();
    const Csr<T> natural = inverse_blocks(request.rows, request.block_size, request.A.exponent());
    const std::vector<lidx>& order = matrix.operators().x_order;
    const Csr<T> in_basis = permute_rows(natural, order, inverse(order));
    auto op = pick(formats<T>(), "sell", "format").make({in_basis, {}, {}, matrix.backend()});
    return std::unique_ptr<Preconditioner<T>>(std::make_unique<BlockJacobi<T>>(request.on, std::move(op)));
  });
}

SPMV_INSTANTIATE(make_block_jacobi);

}  // namespace spmv
