#include "dist/spectrum/block_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"

namespace spmv {
namespace {

/// Throws AgreedError(memory) if a rank has no room for so many blocks. Collective.
template <class T>
void require_room_for_blocks(Workspace<T>& on, const Operator<T>& A, int blocks) {
  on.communicator().together([&] {
    const std::size_t needed =
        static_cast<std::size_t>(blocks) * static_cast<std::size_t>(A.elements()) * sizeof(T);
    const std::size_t free = on.backend().memory().free_bytes;
    if (needed <= free) return;
    throw Error(
        ExitCode::memory,
        fmt::format("{} blocks of {} vectors need {:.2f} GiB on a rank that has {:.2f} GiB left: use a "
                    "smaller subspace, smaller blocks, fewer eigenvalues or more ranks",
                    blocks, A.columns(), std::ldexp(static_cast<double>(needed), -30),
                    std::ldexp(static_cast<double>(free), -30)));
  });
}

/// `count` blocks without room for a halo, filled with 0. Local.
template <class T>
std::vector<Vector<T>> make_blocks(Workspace<T>& on, const Operator<T>& A, int count) {
  std::vector<Vector<T>> made;
  for (int i = 0; i < count; ++i) {
    made.emplace_back(A.matrix().backend(), A.elements());
    on.queue().fill(made.back().data(), 0, made.back().bytes());
  }
  return made;
}

/// The numbers of both parts of all elements.
template <class E>
std::vector<double> as_numbers(const std::vector<E>& elements) {
  const auto* const numbers = reinterpret_cast<const double*>(elements.data());
  return {numbers, numbers + elements.size() * (sizeof(E) / sizeof(double))};
}

}  // namespace

template <class T>
BlockBasis<T>::BlockBasis(Workspace<T>& on, const Operator<T>& A, int blocks, int kept)
    : on_(on),
      A_(A),
      most_(blocks),
      work_(on.communicator().together([&] { return BlockWork<T>(A.matrix().backend(), on.columns()); })),
      G_(blocks * on.columns(), blocks * on.columns()),
      H_(blocks * on.columns(), blocks * on.columns()) {
  constexpr int others = 3;
  require_room_for_blocks(on, A, 2 * blocks + kept + others);
  on.communicator().together([&] {
    v_ = make_blocks(on, A, blocks);
    av_ = make_blocks(on, A, blocks);
    rotated_ = make_blocks(on, A, kept);
    next_ = A.make_vector();
    spare_ = A.make_vector();
    product_ = A.make_vector();
  });
}

template <class T>
BlockBasis<T>::~BlockBasis() {
  try {
    on_.queue().synchronize();  // before the vectors end
  } catch (...) {               // a destructor must not throw
  }
}

template <class T>
void BlockBasis<T>::swap_next() {
  std::swap(next_, spare_);
}

template <class T>
std::vector<VectorRef<T>> BlockBasis<T>::first(const std::vector<Vector<T>>& all, int count) const {
  return {all.begin(), all.begin() + count};
}

/// X^H y of all ranks, with a row for every column of X.
template <class T>
auto BlockBasis<T>::gram(const std::vector<VectorRef<T>>& x, const VectorRef<T>& y) -> Small {
  const std::vector<double> sums = on_.communicator().sum(as_numbers(work_.gram(on_.queue(), x, y)));
  ++sums_;
  finite_ = finite_ && std::all_of(sums.begin(), sums.end(), [](double sum) { return std::isfinite(sum); });
  const auto* const element = reinterpret_cast<const Element*>(sums.data());
  const int k = on_.columns(), rows = static_cast<int>(x.size()) * k;
  Small result(rows, k);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < k; ++j) result(i, j) = element[i * k + j];
  return result;
}

template <class T>
std::vector<double> BlockBasis<T>::norms_of_next() {
  squares_ = gram({next_}, next_);
  std::vector<double> norms;
  for (int j = 0; j < squares_.columns(); ++j) norms.push_back(std::sqrt(std::real(squares_(j, j))));
  return norms;
}

/// y = X C, for as many columns as a block has; those that C lacks become 0.
template <class T>
void BlockBasis<T>::queue(const std::vector<VectorRef<T>>& x, const Small& c, const VectorRef<T>& y) {
  std::vector<Element> by_rows;
  for (int i = 0; i < c.rows(); ++i)
    for (int j = 0; j < on_.columns(); ++j) by_rows.push_back(j < c.columns() ? c(i, j) : Element(0));
  work_.combine(on_.queue(), x, by_rows, y);
}

template <class T>
void BlockBasis<T>::combine(const Small& of_v, const VectorRef<T>& y) {
  queue(first(v_, blocks_), of_v, y);
}

template <class T>
void BlockBasis<T>::combine(const Small& of_v, const Small& of_av, const VectorRef<T>& y) {
  std::vector<VectorRef<T>> blocks = first(v_, blocks_);
  for (const VectorRef<T>& block : first(av_, blocks_)) blocks.push_back(block);
  queue(blocks, below(of_v, of_av), y);
}

/// W = (W - V B) S, with B = G^-1 V^H W, until V^H W and W^H W - 1 are small.
template <class T>
int BlockBasis<T>::extend(Start start) {
  constexpr int most_passes = 8;
  const int k = on_.columns(), before = columns();
  std::vector<VectorRef<T>> blocks = first(v_, blocks_);
  blocks.push_back(next_);
  const double eps = std::numeric_limits<RealOf<T>>::epsilon(), half_the_digits = std::sqrt(eps);
  OrthonormalPasses<Element> passes(on_.communicator(), eps);
  int found = k;
  Small overlaps = start == Start::residual ? below(Small(before, k), squares_) : gram(blocks, next_);
  for (int pass = 0; finite_ && pass < most_passes; ++pass) {
    if (pass > 0 && is_orthonormal(overlaps, found, half_the_digits)) break;
    const Small overlap = rows_of(overlaps, 0, before), squares = rows_of(overlaps, before, k);
    const Small B = without_errors(overlap);
    const Orthonormaliser<Element> with = passes.next(minus(squares, adjoint_times(overlap, B)), squares);
    found = with.directions;
    if (found == 0) return 0;
    if (pass == 0 && start == Start::residual)
      queue({next_}, with.S, spare_);
    else
      queue(blocks, below(minus(Small(before, k), times(B, with.S)), with.S), spare_);
    swap_next();
    blocks.back() = next_;
    overlaps = gram(blocks, next_);
  }
  if (!finite_ || !is_orthonormal(overlaps, found, half_the_digits)) return 0;
  const int block = blocks_++;
  copy(next_, v_[static_cast<std::size_t>(block)]);
  keep_gram(G_, block, overlaps);
  for (int j = 0; j < found; ++j) directions_.push_back(before + j);
  multiply(next_, block);
  keep_gram(H_, block, gram(first(v_, blocks_), av_[static_cast<std::size_t>(block)]));
  return found;
}

/// G^-1 B, as G is 1 to half the digits: 2 B - G B.
template <class T>
auto BlockBasis<T>::without_errors(const Small& B) const -> Small {
  return minus(B, minus(times(rows_of(columns_of(G_, 0, B.rows()), 0, B.rows()), B), B));
}

/// A V of a block that is in `x`, too.
template <class T>
void BlockBasis<T>::multiply(const VectorRef<T>& x, int block) {
  on_.multiply(A_, x, product_);
  ++products_;
  copy(product_, av_[static_cast<std::size_t>(block)]);
}

template <class T>
void BlockBasis<T>::copy(const VectorRef<T>& from, const VectorRef<T>& to) {
  on_.queue().copy(to.data(), from.data(), static_cast<std::size_t>(A_.elements()) * sizeof(T),
                   Copy::on_device);
}

/// The columns of a block, and as many rows, of a hermitian matrix.
template <class T>
void BlockBasis<T>::keep_gram(Small& matrix, int block, const Small& of_block) {
  const int k = on_.columns();
  for (int j = 0; j < k; ++j)
    for (int i = 0; i <= block * k + j; ++i) {
      matrix(i, block * k + j) = of_block(i, j);
      matrix(block * k + j, i) = conjugated(of_block(i, j));
    }
}

template <class T>
auto BlockBasis<T>::ritz() const -> HermitianEigen<Element> {
  const int n = directions();
  Small G(n, n), H(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int row = directions_[static_cast<std::size_t>(i)],
                column = directions_[static_cast<std::size_t>(j)];
      G(i, j) = G_(row, column);
      H(i, j) = H_(row, column);
    }
  HermitianEigen<Element> small = hermitian_eigen(on_.communicator(), H, G);
  HermitianEigen<Element> result{std::move(small.values), Small(columns(), n)};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      result.vectors(directions_[static_cast<std::size_t>(i)], j) = small.vectors(i, j);
  return result;
}

template <class T>
auto BlockBasis<T>::outside(const Small& c, Small d) const -> Small {
  const Small G = rows_of(columns_of(G_, 0, columns()), 0, columns());
  constexpr double rounding = 1e-20;
  for (int pass = 0; pass < 2; ++pass) {
    d = minus(d, times(c, adjoint_times(c, times(G, d))));
    d = times(d, orthonormaliser(on_.communicator(), adjoint_times(d, times(G, d)), rounding).S);
  }
  return d;
}

template <class T>
void BlockBasis<T>::restart(const Small& c) {
  const int k = on_.columns();
  rotate(v_, c);
  rotate(av_, c);
  blocks_ = (c.columns() + k - 1) / k;
  directions_.clear();
  for (int j = 0; j < c.columns(); ++j) {
    double size = 0;
    for (int i = 0; i < c.rows(); ++i) size = std::max(size, std::abs(c(i, j)));
    if (size > 0) directions_.push_back(j);
  }
  measure();
}

template <class T>
void BlockBasis<T>::rotate(std::vector<Vector<T>>& blocks, const Small& c) {
  const int k = on_.columns(), made = (c.columns() + k - 1) / k;
  const std::vector<VectorRef<T>> x = first(blocks, blocks_);
  for (int block = 0; block < made; ++block)
    queue(x, columns_of(c, block * k, std::min(k, c.columns() - block * k)),
          rotated_[static_cast<std::size_t>(block)]);
  for (int block = 0; block < made; ++block)
    std::swap(blocks[static_cast<std::size_t>(block)], rotated_[static_cast<std::size_t>(block)]);
}

/// G and H of all blocks.
template <class T>
void BlockBasis<T>::measure() {
  for (int block = 0; block < blocks_; ++block) {
    const std::vector<VectorRef<T>> blocks = first(v_, block + 1);
    keep_gram(G_, block, gram(blocks, v_[static_cast<std::size_t>(block)]));
    keep_gram(H_, block, gram(blocks, av_[static_cast<std::size_t>(block)]));
  }
}

template <class T>
void BlockBasis<T>::multiply_again() {
  for (int block = 0; block < blocks_; ++block) {
    copy(v_[static_cast<std::size_t>(block)], spare_);
    multiply(spare_, block);
  }
  measure();
}

SPMV_INSTANTIATE_CLASS(BlockBasis);

}  // namespace spmv
