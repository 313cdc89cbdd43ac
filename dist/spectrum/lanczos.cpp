#include "dist/spectrum/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/spectrum/eigen_result.hpp"

namespace spmv {
namespace {

// Slots of sums. Overlaps of a vector with others are in slots 0 to group_size - 1; a norm lies beside the sums of a product.
constexpr int vw = 0, ww = 1, norm_squared = 2;
/// Vectors of one kernel that another one is orthogonal to afterwards: as many as there are sums.
constexpr int group_size = most_sums;
/// A vector that is smaller than this part of the matrix is what rounding leaves of 0.
template <class T>
constexpr double rounding = 32 * std::numeric_limits<RealOf<T>>::epsilon();

/// A step subtracts so much of A v, or less, before what rounding leaves of the overlaps with it counts.
constexpr double usual_cancellation = 256;

/// Throws AgreedError(memory) if a rank has no room for so many vectors. Collective.
template <class T>
void require_room(Workspace<T>& on, const Operator<T>& A, int vectors) {
  on.communicator().together([&] {
    const std::size_t needed =
        static_cast<std::size_t>(vectors) * static_cast<std::size_t>(A.elements()) * sizeof(T);
    const std::size_t free = on.backend().memory().free_bytes;
    if (needed <= free) return;
    throw Error(
        ExitCode::memory,
        fmt::format("{} vectors of a Lanczos subspace need {:.2f} GiB on a rank that has {:.2f} GiB left: "
                    "use a smaller subspace, fewer eigenvalues or more ranks",
                    vectors, std::ldexp(static_cast<double>(needed), -30),
                    std::ldexp(static_cast<double>(free), -30)));
  });
}

/// The newest vectors of a subspace that ends with vector j, the newest first. Pure.
std::vector<int> recent(int j) {
  std::vector<int> group;
  for (int i = j; i >= 0 && i > j - group_size; --i) group.push_back(i);
  return group;
}

/// Steps in which overlaps grow by no more than this factor, in a common matrix. Pure.
int plain_steps(double growth) {
  constexpr double each = 5;
  return static_cast<int>(std::log(growth) / std::log(each));
}

/// `count` vectors without room for a halo. Local.
template <class T>
std::vector<Vector<T>> vectors(const Operator<T>& A, int count) {
  std::vector<Vector<T>> made;
  made.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) made.emplace_back(A.matrix().backend(), A.elements());
  return made;
}

}  // namespace

template <class T>
LanczosSubspace<T>::LanczosSubspace(Workspace<T>& on, const Operator<T>& A, int size, int most_kept,
                                    double precision, unsigned start_seed)
    : on_(on),
      A_(A),
      size_(size),
      whole_space_(on.communicator().sum(gidx{A.rows()}) == size),
      projected_(size),
      most_loss_(std::clamp(precision / 10, rounding<T>,
                            std::sqrt(double{std::numeric_limits<RealOf<T>>::epsilon()}))),
      plain_steps_(plain_steps(most_loss_ / rounding<T>)),
      random_(first_random(start_seed)) {
  const int spare = most_kept + most_kept % 2;  // combinations are made two by two
  require_room(on, A, size + spare + 2);
  on.communicator().together([&] {
    subspace_ = vectors(A, size);
    spare_ = vectors(A, spare);
    newest_ = A.make_vector();
    product_ = A.make_vector();
  });
  begin(0);
}

template <class T>
LanczosSubspace<T>::~LanczosSubspace() {
  try {
    on_.queue().synchronize();  // before the vectors end
  } catch (...) {               // a destructor must not throw
  }
}

template <class T>
bool LanczosSubspace<T>::extend() {
  for (Advance ended = Advance::full; done_ < size_;) {
    ended = advance();
    if (ended == Advance::not_finite) return false;
    if (ended == Advance::invariant) begin(done_);
    if (ended == Advance::lost) begin_again(done_);
  }
  add_up();
  coupling_ = std::sqrt(real_part(on_.read(norm_squared)));
  const bool finite = std::isfinite(coupling_);
  if (whole_space_ || coupling_ <= rounding<T> * scale_) coupling_ = 0;  // what is left is rounding
  return finite;
}

/// Queues steps until the subspace is full, or until the host, which is some steps behind, sees why vector done_ cannot stay.
/// What is queued beyond that is done again.
template <class T>
auto LanczosSubspace<T>::advance() -> Advance {
  const int first = done_;
  const auto ahead = static_cast<int>(on_.lines_ahead());
  std::deque<std::uint64_t> lines;
  loss_ = loss_before_ = rounding<T>;
  for (int queued = first; done_ < size_;) {
    for (; queued < size_ && queued <= done_ + ahead; ++queued) lines.push_back(step(queued, first));
    const auto [alpha, norm, unused2, unused3] = on_.line(lines.front());
    lines.pop_front();
    if (!std::isfinite(alpha) || !std::isfinite(norm)) return Advance::not_finite;
    if (done_ > first) {
      if (norm <= rounding<T> * scale_) return Advance::invariant;
      couple(done_ - 1, done_, norm);
      scale_ = std::max(scale_, norm);
      if (loses_orthogonality(first)) return Advance::lost;
    }
    couple(done_, done_, alpha);
    scale_ = std::max(scale_, std::abs(alpha));
    ++done_;
  }
  return Advance::full;
}

/// Estimates the overlap of vector done_ with those before it [Simon 1984, Linear Algebra Appl. 61]: a step multiplies
/// overlaps by what the matrix does to them over |u|, and if |u| is small, rounding errors of A v are large beside it, whatever
/// the vector is made orthogonal to. Where it is larger than expected, later vectors are made orthogonal more often.
template <class T>
bool LanczosSubspace<T>::loses_orthogonality(int first) {
  const int j = done_;
  const double left = projected_(j - 1, j) / scale_;  // of A v
  double loss = rounding<T> * std::max(1.0, 1 / (usual_cancellation * left));
  if (!is_orthogonalised(j - 1, first)) {
    const double before = j - 1 > first ? projected_(j - 2, j - 1) : 0;
    loss += (2 * scale_ * loss_ + before * loss_before_) / projected_(j - 1, j);
  }
  loss_before_ = std::exchange(loss_, loss);
  if (loss <= most_loss_) return false;
  plain_steps_ /= 2;
  return true;
}

/// Whether step j makes the next vector orthogonal to the whole subspace: two steps that follow each other, as the recurrence
/// has two terms, then plain_steps_ that leave it to the recurrence; and the last two, whose vectors survive a restart.
template <class T>
bool LanczosSubspace<T>::is_orthogonalised(int j, int first) const {
  constexpr int pair = 2;
  return j >= size_ - pair || (j - first) % (pair + plain_steps_) < pair;
}

/// Queues v_j = u / |u| for the newest vector u, and the next u; returns the line with alpha and |u|. The recurrence subtracts
/// what exact arithmetic would leave of A v_j in the span of the others, and one more pass the rounding errors of that. Vectors
/// that were kept without their residuals are subtracted in plain steps, too: the matrix leads back to them. In the first step,
/// in which A v_j has a part of every vector after a restart, the first pass does what the recurrence does later.
template <class T>
std::uint64_t LanczosSubspace<T>::step(int j, int first) {
  on_.multiply(A_, newest_, product_, {vw, ww});
  ++products_;
  add_up();
  const Group group = is_orthogonalised(j, first) ? recent(j) : Group{};
  const std::uint64_t line = recur(j, j == first, group);
  std::swap(newest_, product_);
  if (group.empty()) {
    if (lacks_residuals_) orthogonalise(first, j + 1);
    return line;
  }
  add_up();
  subtract(group);
  orthogonalise(j + 1 - group_size, j + 1);
  if (j == first) orthogonalise(j + 1, j + 1);
  return line;
}

/// v = u / |u|;  w = A v - alpha v - beta v_before, with beta = |u|;  and the overlaps of w with a group that begins with v, or
/// (w, w) if that is empty.
template <class T>
std::uint64_t LanczosSubspace<T>::recur(int j, bool first, const Group& group) {
  const Number squared = slot(norm_squared), norm = root(squared), some = 0 < squared;
  const Number scale = where(some, 1 / norm), alpha = where(some, slot(vw) / squared);
  const VectorRef<T>&u = newest_, &w = product_, &v = vector(j);
  LinearForm<T> next = scale * w - alpha * v;
  if (j > 0) next = next - (first ? 0 : norm) * vector(j - 1);
  Combination<T> c;
  c.record(0, alpha).record(1, norm).set(v, scale * u).set(w, next);
  for (std::size_t i = 0; i < group.size(); ++i) c.sum(static_cast<int>(i), vector(group[i]), w);
  if (group.empty()) c.sum(norm_squared, w, w);
  return on_.run(c);
}

/// A random vector as vector j, before it is normalised. Waits.
template <class T>
void LanczosSubspace<T>::begin(int j) {
  const Vector<T> random = random_vector(on_, A_, random_++);
  begin_with(j, random);
  on_.queue().synchronize();
}

/// Vector j once more, orthogonal to the others.
template <class T>
void LanczosSubspace<T>::begin_again(int j) {
  begin_with(j, subspace_[static_cast<std::size_t>(j)]);
}

template <class T>
void LanczosSubspace<T>::begin_with(int j, const VectorRef<T>& vector) {
  on_.queue().copy(newest_.data(), vector.data(), static_cast<std::size_t>(A_.elements()) * sizeof(T),
                   Copy::on_device);
  sum_norm();
  for (int pass = 0; pass < 2; ++pass) orthogonalise(j, j);
}

/// Queues u -= V V^H u for the first `vectors` of the subspace, and the parts of |u|^2. Where the last kernel would have fewer
/// vectors than others, it takes some of the subspace, which has `all` so far, once more.
template <class T>
void LanczosSubspace<T>::orthogonalise(int vectors, int all) {
  for (int first = 0; first < vectors; first += group_size) {
    Group group;
    const int begin = std::max(0, std::min(first, all - group_size));
    for (int i = begin; i < std::min(begin + group_size, all); ++i) group.push_back(i);
    add_overlaps(group);
    subtract(group);
  }
}

template <class T>
void LanczosSubspace<T>::add_overlaps(const Group& group) {
  Combination<T> c;
  for (std::size_t i = 0; i < group.size(); ++i) c.sum(static_cast<int>(i), vector(group[i]), newest_);
  on_.run(c);
  add_up();
}

/// u -= sum_i (v_i, u) v_i;  (u, u)
template <class T>
void LanczosSubspace<T>::subtract(const Group& group) {
  LinearForm<T> rest = newest_;
  for (std::size_t i = 0; i < group.size(); ++i) rest = rest - slot(static_cast<int>(i)) * vector(group[i]);
  on_.run(Combination<T>().set(newest_, rest).sum(norm_squared, newest_, newest_));
}

template <class T>
void LanczosSubspace<T>::sum_norm() {
  on_.run(Combination<T>().sum(norm_squared, newest_, newest_));
}

template <class T>
void LanczosSubspace<T>::add_up() {
  on_.add_up();
  ++sums_;
}

template <class T>
std::vector<Vector<T>>& LanczosSubspace<T>::combine(const SmallMatrix& s, const std::vector<int>& columns) {
  for (std::size_t i = 0; i < columns.size(); i += 2) {
    const int second = columns[std::min(i + 1, columns.size() - 1)];
    for (int first = 0; first < size_; first += group_size) add_to_pair(i, s, {columns[i], second}, first);
  }
  return spare_;
}

/// y_0 (+)= sum_i s_i0 v_i;  y_1 (+)= sum_i s_i1 v_i for vectors of the subspace from number `first` on. Where the last kernel
/// would have fewer than others, it takes some once more, with coefficients of 0.
template <class T>
void LanczosSubspace<T>::add_to_pair(std::size_t at, const SmallMatrix& s, std::array<int, 2> columns,
                                     int first) {
  Combination<T> c;
  const int begin = std::max(0, std::min(first, size_ - group_size)),
            end = std::min(begin + group_size, size_);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const VectorRef<T>& y = spare_[at + k];
    const auto term = [&](int i) { return (i < first ? 0 : s(i, columns[k])) * vector(i); };
    LinearForm<T> sum = term(begin);
    for (int i = begin + 1; i < end; ++i) sum = sum + term(i);
    c.set(y, first == 0 ? sum : y + sum);
  }
  on_.run(c);
}

template <class T>
void LanczosSubspace<T>::restart(const SymmetricEigen& of_projected, const std::vector<int>& kept,
                                 Next next) {
  combine(of_projected.vectors, kept);
  const bool goes_on = next == Next::residual && coupling_ > 0;
  done_ = static_cast<int>(kept.size());
  projected_ = SmallMatrix(size_);
  for (int i = 0; i < done_; ++i) {
    const int column = kept[static_cast<std::size_t>(i)];
    std::swap(subspace_[static_cast<std::size_t>(i)], spare_[static_cast<std::size_t>(i)]);
    projected_(i, i) = of_projected.values[static_cast<std::size_t>(column)];
    if (goes_on) couple(i, done_, coupling_ * of_projected.vectors(size_ - 1, column));
  }
  if (goes_on) return sum_norm();
  lacks_residuals_ = lacks_residuals_ || coupling_ > 0;
  begin(done_);
}

SPMV_INSTANTIATE_CLASS(LanczosSubspace);

}  // namespace spmv
