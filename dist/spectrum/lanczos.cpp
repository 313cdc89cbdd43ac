#include "dist/spectrum/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/random_vector.hpp"

namespace spmv {
namespace {

// Slots of sums. Overlaps of a vector with others are in slots 0 to group_size - 1; a norm lies beside the sums of a product.
constexpr int vw = 0, ww = 1, norm_squared = 2;
/// Vectors of one kernel that another one is orthogonal to afterwards: as many as there are sums.
constexpr int group_size = most_sums;
/// A vector that is smaller than this part of the matrix is what rounding leaves of 0.
template <class T>
constexpr double rounding = 32 * std::numeric_limits<RealOf<T>>::epsilon();

/// Throws AgreedError(memory) if a rank has no room for so many vectors. Collective.
template <class T>
void require_room(Workspace<T>& on, int vectors) {
  on.communicator().together([&] {
    const std::size_t needed =
        static_cast<std::size_t>(vectors) * static_cast<std::size_t>(on.rows()) * sizeof(T);
    const std::size_t free = on.matrix().backend()->memory().free_bytes;
    if (needed <= free) return;
    throw Error(
        ExitCode::memory,
        fmt::format("{} vectors of a Lanczos basis need {:.2f} GiB on a rank that has {:.2f} GiB left: "
                    "use a smaller basis, fewer eigenvalues or more ranks",
                    vectors, std::ldexp(static_cast<double>(needed), -30),
                    std::ldexp(static_cast<double>(free), -30)));
  });
}

/// The newest vectors of a basis that ends with vector j, the newest first. Pure.
std::vector<int> recent(int j) {
  std::vector<int> group;
  for (int i = j; i >= 0 && i > j - group_size; --i) group.push_back(i);
  return group;
}

/// `count` vectors without room for a halo. Local.
template <class T>
std::vector<Buffer<T>> vectors(Workspace<T>& on, int count) {
  std::vector<Buffer<T>> made;
  for (int i = 0; i < count; ++i)
    made.emplace_back(on.matrix().backend(), static_cast<std::size_t>(on.rows()), Memory::device);
  return made;
}

}  // namespace

template <class T>
LanczosBasis<T>::LanczosBasis(Workspace<T>& on, int size, int most_kept)
    : on_(on), size_(size), whole_space_(on.communicator().sum(gidx{on.rows()}) == size), projected_(size) {
  const int spare = most_kept + most_kept % 2;  // combinations are made two by two
  require_room(on, size + spare + 2);
  on.communicator().together([&] {
    basis_ = vectors(on, size);
    spare_ = vectors(on, spare);
    newest_ = on.make_vector();
    product_ = on.make_vector();
  });
  begin(0);
}

template <class T>
LanczosBasis<T>::~LanczosBasis() {
  try {
    on_.matrix().compute_queue().synchronize();  // before the vectors end
  } catch (...) {                                // a destructor must not throw
  }
}

template <class T>
bool LanczosBasis<T>::extend() {
  while (done_ < size_) {
    if (!advance()) return false;
    if (done_ < size_) begin(done_);
  }
  on_.add_up();
  coupling_ = std::sqrt(real_part(on_.read(norm_squared)));
  if (coupling_ <= rounding<T> * scale_) coupling_ = 0;
  return std::isfinite(coupling_);
}

/// Queues steps until the basis is full or the vectors so far span an invariant subspace, whose end the host sees some steps
/// late: what is queued behind it is done again. Returns false where a number is not finite.
template <class T>
bool LanczosBasis<T>::advance() {
  const int first = done_;
  const auto ahead = static_cast<int>(on_.lines_ahead());
  std::deque<std::uint64_t> lines;
  for (int queued = first; done_ < size_;) {
    for (; queued < size_ && queued <= done_ + ahead; ++queued)
      lines.push_back(step(queued, queued == first));
    const auto [alpha, beta, unused2, unused3] = on_.line(lines.front());
    lines.pop_front();
    if (!std::isfinite(alpha) || !std::isfinite(beta)) return false;
    if (done_ > first) {
      if (beta <= rounding<T> * scale_) return true;
      couple(done_ - 1, done_, beta);
      scale_ = std::max(scale_, beta);
    }
    couple(done_, done_, alpha);
    scale_ = std::max(scale_, std::abs(alpha));
    ++done_;
  }
  return true;
}

/// Queues v_j = u / |u| for the newest vector u, and the next u; returns the line with alpha and |u|. The recurrence subtracts
/// what exact arithmetic would leave of A v_j in the span of the others, and one more pass the rounding errors of that. In the
/// first step, in which A v_j has a part of every vector behind a restart, the first pass does what the recurrence does later.
template <class T>
std::uint64_t LanczosBasis<T>::step(int j, bool first) {
  on_.multiply(newest_.data(), product_.data(), {vw, ww});
  ++products_;
  on_.add_up();
  const std::uint64_t line = recur(j, first);
  std::swap(newest_, product_);
  subtract(recent(j));
  orthogonalise(j + 1 - group_size, j + 1);
  if (first) orthogonalise(j + 1, j + 1);
  return line;
}

/// v = u / |u|;  w = A v - alpha v - beta v_before, with beta = |u|; then w is made orthogonal to the recent vectors.
template <class T>
std::uint64_t LanczosBasis<T>::recur(int j, bool first) {
  Combination<T> c(on_.rows());
  Formula& f = c.formula;
  const auto squared = f.slot(norm_squared), norm = f.root(squared), some = f.constant(0) < squared;
  const auto scale = f.where(some, f.constant(1) / norm), alpha = f.where(some, f.slot(vw) / squared);
  f.record(0, alpha);
  f.record(1, norm);
  const auto v = c.vector(vector(j)), u = c.vector(newest_.data()), w = c.vector(product_.data());
  const Group others = recent(j);
  std::vector<VectorName> names{v};
  for (std::size_t i = 1; i < others.size(); ++i) names.push_back(c.vector(vector(others[i])));
  c.set(v, scale * u);
  LinearForm next = scale * w - alpha * v;
  if (j > 0) next = next - (first ? f.constant(0) : norm) * names[1];
  c.set(w, next);
  for (std::size_t i = 0; i < names.size(); ++i) c.sum(static_cast<int>(i), names[i], w);
  const std::uint64_t line = on_.combine(c);
  on_.add_up();
  return line;
}

/// Queues a random vector as vector j, before it is normalised, and waits.
template <class T>
void LanczosBasis<T>::begin(int j) {
  Queue& queue = on_.matrix().compute_queue();
  const Buffer<T> random = random_vector(on_, random_++);
  queue.copy(newest_.data(), random.data(), static_cast<std::size_t>(on_.rows()) * sizeof(T),
             Copy::on_device);
  sum_norm();
  for (int pass = 0; pass < 2; ++pass) orthogonalise(j, j);
  queue.synchronize();
}

/// Queues u -= V V^H u for the first `vectors` of the basis, and the parts of |u|^2. Where the last kernel would have fewer
/// vectors than others, it takes some of the basis, which has `all` so far, once more.
template <class T>
void LanczosBasis<T>::orthogonalise(int vectors, int all) {
  for (int first = 0; first < vectors; first += group_size) {
    Group group;
    const int begin = std::max(0, std::min(first, all - group_size));
    for (int i = begin; i < std::min(begin + group_size, all); ++i) group.push_back(i);
    add_overlaps(group);
    subtract(group);
  }
}

template <class T>
void LanczosBasis<T>::add_overlaps(const Group& group) {
  Combination<T> c(on_.rows());
  const auto u = c.vector(newest_.data());
  for (std::size_t i = 0; i < group.size(); ++i) c.sum(static_cast<int>(i), c.vector(vector(group[i])), u);
  on_.combine(c);
  on_.add_up();
}

/// u -= sum_i (v_i, u) v_i;  (u, u)
template <class T>
void LanczosBasis<T>::subtract(const Group& group) {
  Combination<T> c(on_.rows());
  const auto u = c.vector(newest_.data());
  LinearForm rest = u;
  for (std::size_t i = 0; i < group.size(); ++i)
    rest = rest - c.formula.slot(static_cast<int>(i)) * c.vector(vector(group[i]));
  c.set(u, rest);
  c.sum(norm_squared, u, u);
  on_.combine(c);
}

template <class T>
void LanczosBasis<T>::sum_norm() {
  Combination<T> c(on_.rows());
  const auto u = c.vector(newest_.data());
  c.sum(norm_squared, u, u);
  on_.combine(c);
}

template <class T>
std::vector<Buffer<T>>& LanczosBasis<T>::combine(const SmallMatrix& s, const std::vector<int>& columns) {
  for (std::size_t i = 0; i < columns.size(); i += 2) {
    const int second = columns[std::min(i + 1, columns.size() - 1)];
    for (int first = 0; first < size_; first += group_size) add_to_pair(i, s, {columns[i], second}, first);
  }
  return spare_;
}

/// y_0 (+)= sum_i s_i0 v_i;  y_1 (+)= sum_i s_i1 v_i for vectors of the basis from number `first` on. Where the last kernel
/// would have fewer than others, it takes some once more, with coefficients of 0.
template <class T>
void LanczosBasis<T>::add_to_pair(std::size_t at, const SmallMatrix& s, std::array<int, 2> columns,
                                  int first) {
  Combination<T> c(on_.rows());
  const std::array y = {c.vector(spare_[at].data()), c.vector(spare_[at + 1].data())};
  std::vector<VectorName> v;
  const int begin = std::max(0, std::min(first, size_ - group_size)),
            end = std::min(begin + group_size, size_);
  for (int i = begin; i < end; ++i) v.push_back(c.vector(vector(i)));
  for (std::size_t k = 0; k < y.size(); ++k) {
    const auto coefficient = [&](int i) { return c.formula.constant(i < first ? 0 : s(i, columns[k])); };
    LinearForm sum = coefficient(begin) * v[0];
    for (int i = begin + 1; i < end; ++i) sum = sum + coefficient(i) * v[static_cast<std::size_t>(i - begin)];
    c.set(y[k], first == 0 ? sum : y[k] + sum);
  }
  on_.combine(c);
}

template <class T>
void LanczosBasis<T>::restart(const SymmetricEigen& of_projected, const std::vector<int>& kept, Next next) {
  combine(of_projected.vectors, kept);
  const bool goes_on = next == Next::residual && coupling_ > 0;
  done_ = static_cast<int>(kept.size());
  projected_ = SmallMatrix(size_);
  for (int i = 0; i < done_; ++i) {
    const int column = kept[static_cast<std::size_t>(i)];
    std::swap(basis_[static_cast<std::size_t>(i)], spare_[static_cast<std::size_t>(i)]);
    projected_(i, i) = of_projected.values[static_cast<std::size_t>(column)];
    if (goes_on) couple(i, done_, coupling_ * of_projected.vectors(size_ - 1, column));
  }
  if (goes_on) return sum_norm();
  begin(done_);
}

SPMV_INSTANTIATE_CLASS(LanczosBasis);

}  // namespace spmv
