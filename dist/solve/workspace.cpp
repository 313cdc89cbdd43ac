#include "dist/solve/workspace.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "comm/patience.hpp"
#include "core/value_types.hpp"
#include "dist/requested_sums.hpp"
#include "kernels/combine/common_recipes.hpp"

namespace spmv {
namespace {

/// Of every rank the first rank of its node. Collective.
std::vector<int> nodes_of_ranks(const Communicator& communicator) {
  const gidx mine = communicator.rank();
  return communicator.all_gather(static_cast<int>(communicator.node().min(mine)));
}

}  // namespace

template <class T>
Workspace<T>::Workspace(const Communicator& communicator, DistMatrix<T>& matrix, const Mode<T>& mode,
                        const std::string& sums_transport, const TransportRequest& request, MatrixUnits units)
    : communicator_(communicator),
      matrix_(matrix),
      mode_(mode),
      units_(units),
      products_scale_(matrix.scales_rows()),
      products_sum_(matrix.sums_rows()),
      scalars_(matrix.backend()),
      sums_(communicator, matrix.backend(), scalars_, {0, most_sums},
            sum_rounds(nodes_of_ranks(communicator), communicator.rank()), sums_transport, request),
      lines_ahead_(matrix.compute_queue().works_at_once() ? 0 : 4) {}

template <class T>
Buffer<T> Workspace<T>::make_vector() const {
  Buffer<T> vector = matrix_.make_x();
  Queue& queue = matrix_.compute_queue();
  queue.fill(vector.data(), 0, vector.bytes());
  queue.synchronize();
  return vector;
}

/// The product with what is requested; of 2^-k A, if its kernels can scale.
template <class T>
void Workspace<T>::queue_product(T* x, T* y, RowSumsRequest<T> request) {
  if (exponent() != 0 && products_scale_) {
    request.scales = true;
    request.factors = {T(std::ldexp(RealOf<T>(1), -exponent())), T(0)};
  }
  const RequestedSums<T> requested(matrix_, request);
  mode_.product(matrix_, x, y, nullptr);
}

template <class T>
std::string Workspace<T>::normalisation() const {
  const bool apart = communicator_.any_of(scales_behind());
  if (exponent() == 0) return {};
  return fmt::format("scaled by 2^{} {}", -exponent(),
                     apart ? "in a kernel of its own: those of this format cannot" : "in the product");
}

/// product = 2^-k product
template <class T>
void Workspace<T>::scale(Combination<T>& c, VectorName product) const {
  c.set(product, c.formula.constant(std::ldexp(1.0, -exponent())) * product);
}

template <class T>
void Workspace<T>::multiply(T* x, T* y) {
  queue_product(x, y, {});
  if (!scales_behind()) return;
  Combination<T> c(rows());
  scale(c, c.vector(y));
  queue(c, 0);
}

template <class T>
void Workspace<T>::multiply(T* x, T* y, const ProductSums<T>& sums) {
  if (products_sum_) {
    queue_product(x, y, {scalars_.partial(sums.xy), scalars_.partial(sums.yy), sums.weight, most_parts});
    scalars_.parts(sums.xy) = scalars_.parts(sums.yy) = matrix_.parts_of_sums();
    return;
  }
  queue_product(x, y, {});
  Combination<T> c(rows());
  const auto own = c.vector(x), product = c.vector(y);
  if (scales_behind()) scale(c, product);
  auto weighted = product;
  if (sums.weight != nullptr) {
    const auto weight = c.vector(sums.weight);
    weighted = c.scratch();
    c.multiply(weighted, weight, product);
  }
  c.sum(sums.xy, own, product);
  c.sum(sums.yy, product, weighted);
  queue(c, 0);
}

template <class T>
void Workspace<T>::multiply_and_change(T* x, T* y) {
  multiply(x, y, {0, 1});
  Combination<T> c(rows());
  const auto own = c.vector(x), product = c.vector(y);
  c.set(own, product - own);
  queue(c, 0);
}

template <class T>
void Workspace<T>::queue(const Combination<T>& combination, std::uint64_t line) {
  if (!is_common(combination.data())) ++uncommon_;
  queue_combination(matrix_.compute_queue(), combination, scalars_, line);
}

template <class T>
std::uint64_t Workspace<T>::combine(const Combination<T>& combination) {
  if (combination.data().formula.records()) ++line_;
  queue(combination, line_);
  return line_;
}

template <class T>
std::array<double, record_width> Workspace<T>::line(std::uint64_t number) {
  // What failed on the device records nothing: then the queue says why.
  constexpr std::chrono::seconds suspicious{1};
  const auto start = std::chrono::steady_clock::now();
  Patience patience;
  while (!scalars_.has_line(number)) {
    patience.pause();
    if (std::chrono::steady_clock::now() - start > suspicious) matrix_.compute_queue().synchronize();
  }
  return scalars_.line(number);
}

template <class T>
std::string Workspace<T>::waiting_for() const {
  const std::string sums = beside_ ? "" : sums_.waiting_for();
  return sums.empty() ? matrix_.waiting_for() : "adding up sums, which waits for " + sums;
}

template <class T>
ScalarOf<T> Workspace<T>::read(int slot) {
  ScalarOf<T> number{};
  matrix_.compute_queue().synchronize();
  download(*matrix_.backend(), &number, scalars_.slot(slot), 1);
  return number;
}

template <class T>
double Workspace<T>::norm(T* v) {
  Combination<T> c(rows());
  const auto of = c.vector(v);
  c.sum(0, of, of);
  combine(c);
  add_up();
  return std::sqrt(real_part(read(0)));
}

SPMV_INSTANTIATE_CLASS(Workspace);

}  // namespace spmv
