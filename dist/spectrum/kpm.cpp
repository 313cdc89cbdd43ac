// Two moments a product:  mu_2n = 2 <v_n|v_n> - mu_0,  mu_2n+1 = 2 <v_n|v_n+1> - mu_1  [Weisse 2006]. Two steps leave
// four sums, which one reduction adds up over all ranks and the next combination shows to the host. As many start vectors go side
// by side as the workspace has columns [Kreutzer 2015].
#include "dist/spectrum/kpm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <deque>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/solve/sized_norm.hpp"
#include "dist/solve/stop_question.hpp"
#include "dist/spectrum/chebyshev_vectors.hpp"
#include "kernels/random_phases.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

constexpr int moments_of_group = 2 * steps_of_reduction;

/// Sums that one line of the record shows, for a start vector in each column: its moments from `first` on, or its norm where
/// `first` is 0.
struct Group {
  std::size_t vector = 0;  // in column 0
  int first = 0;
};

/// Makes moments of the sums of one column that the host reads, and says whether the range contains the spectrum.
class MomentsRead {
 public:
  MomentsRead(int moments, double slack, std::size_t column)
      : moments_(moments), slack_(slack), column_(column) {}

  /// False where a moment is larger than it can be. Throws AgreedError(input) for what is not finite.
  bool add(const Group& group, const std::array<double, record_width>& sums) {
    if (group.first == 0) return add_norm(sums[0]);
    std::vector<double>& mu = of_vector.back();
    for (int i = 0; i < moments_of_group && group.first + i < moments_; ++i) {
      const int n = group.first + i;
      const double sum = sums[static_cast<std::size_t>(i)] / norm_squared_;
      mu.push_back(n == 1 ? sum : 2 * sum - mu[static_cast<std::size_t>(n % 2)]);
      require_finite(mu.back());
      if (std::abs(mu.back()) > 1 + slack_) return exceeds(group, n);
    }
    return true;
  }
  std::int64_t moments() const {
    std::int64_t sum = 0;
    for (const auto& mu : of_vector) sum += static_cast<std::int64_t>(mu.size());
    return sum;
  }
  /// Removes the last vector if its moments are not all there, unless it is the only one and has a density.
  void leave_out_unfinished() {
    if (of_vector.empty()) return;
    const std::size_t found = of_vector.back().size();
    const std::size_t least = of_vector.size() > 1 ? static_cast<std::size_t>(moments_) : 2;
    if (found < least) of_vector.pop_back();
  }
  double norm() const { return std::sqrt(norm_squared_); }
  /// What went wrong where add() was false.
  const std::string& too_large() const { return too_large_; }

  std::vector<std::vector<double>> of_vector;

 private:
  bool add_norm(double squared) {
    require_finite(squared);
    if (!(squared > 0)) throw AgreedError(ExitCode::input, "the start vector of the moments is 0");
    norm_squared_ = squared;
    of_vector.push_back({1});
    return true;
  }
  bool exceeds(const Group& group, int n) {
    too_large_ = fmt::format("moment {} of start vector {} is {:.3g}", n, group.vector + column_ + 1,
                             of_vector.back().back());
    return false;
  }
  static void require_finite(double number) {
    if (!std::isfinite(number))
      throw AgreedError(ExitCode::input,
                        "a moment is not finite: the matrix or the start vector has a value that is not");
  }

  int moments_;
  double slack_;
  std::size_t column_;
  double norm_squared_ = 0;
  std::string too_large_;
};

/// Queues the recursion of start vectors and reads what it leaves, some lines behind.
template <class T>
class MomentsRun {
 public:
  MomentsRun(Workspace<T>& on, const Operator<T>& A, const SpectralRange& range,
             const MomentsOptions& options, std::vector<MomentsRead>& read)
      : on_(on),
        options_(options),
        vectors_(on, A, range, ChebyshevSteps::with_sums),
        read_(read),
        question_(on.communicator()) {}
  MomentsRun(const MomentsRun&) = delete;
  MomentsRun& operator=(const MomentsRun&) = delete;

  /// Moments of the vectors from `vector` on, one in each column, that load(v_0) brings to the device. False: the range is too
  /// narrow, or asked(). Collective.
  template <class Load>
  bool add_vectors(std::size_t vector, const Load& load) {
    const VectorRef<T> first = vectors_.start();
    load(first);
    queue_norm(first);
    if (!queued({vector, 0})) return false;
    for (int n = 1; n < options_.moments; n += moments_of_group) {
      queue_steps(n + 2 < options_.moments ? steps_of_reduction : 1);
      if (!queued({vector, n})) return false;
    }
    return true;
  }
  /// Reads all that is left. Collective.
  bool finish() {
    Combination<T> nothing;
    shown_in(on_.run(show(nothing)));
    while (!waiting_.empty())
      if (!read_next()) return false;
    return true;
  }
  int products() const { return products_; }
  /// Whether the caller asked to stop.
  bool asked() const { return asked_; }

 private:
  /// The sums of the group before.
  static Combination<T>& show(Combination<T>& c) {
    for (int i = 0; i < moments_of_group; ++i) c.record(i, slot(i));
    return c;
  }
  void queue_norm(const VectorRef<T>& v) {
    Combination<T> c;
    shown_in(on_.run(show(c).sum(0, v, v)));
    on_.add_up();
  }
  void queue_steps(int steps) {
    for (int i = 0; i < steps; ++i) {
      Combination<T> c;
      if (i == 0) show(c);
      const bool changes = vectors_.step(c, {2 * i, 2 * i + 1});
      if (i == 0)
        shown_in(on_.run(c));
      else if (changes)
        on_.run(c);
      ++products_;
    }
    on_.add_up();
  }
  void shown_in(std::uint64_t line) {
    if (last_) waiting_.push_back({line, *last_});
    last_.reset();
  }
  /// Reads what need not be waited for.
  bool queued(const Group& group) {
    last_ = group;
    while (waiting_.size() > on_.lines_ahead())
      if (!read_next() || asks_to_stop()) return false;
    return true;
  }
  bool read_next() {
    const auto [line, group] = waiting_.front();
    waiting_.pop_front();
    for (std::size_t column = 0; column < read_.size(); ++column)
      if (!read_[column].add(group, on_.line(line, static_cast<int>(column)))) return false;
    return true;
  }
  bool asks_to_stop() {
    std::int64_t moments = 0;
    for (const MomentsRead& each : read_) moments += each.moments();
    asked_ = options_.watch && question_.asks_to_stop(moments, [&] { return options_.watch(moments); });
    return asked_;
  }

  struct Waiting {
    std::uint64_t line;
    Group group;
  };
  Workspace<T>& on_;
  const MomentsOptions& options_;
  ChebyshevVectors<T> vectors_;
  std::vector<MomentsRead>& read_;  // by column; as many as there are vectors to be read at least
  StopQuestion question_;
  bool asked_ = false;
  std::optional<Group> last_;  // queued last, which no line shows yet
  std::deque<Waiting> waiting_;
  int products_ = 0;
};

/// Of the first column where add() was false.
const std::string& first_too_large(const std::vector<MomentsRead>& read) {
  return std::find_if(read.begin(), read.end(),
                      [](const MomentsRead& each) { return !each.too_large().empty(); })
      ->too_large();
}

/// Takes the moments of `count` start vectors from the columns. Those of the last block that are more than that have not been read.
std::vector<std::vector<double>> all_vectors(std::vector<MomentsRead>& read, int count) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    auto& of_column = read[i % read.size()].of_vector;
    if (i / read.size() < of_column.size()) all.push_back(std::move(of_column[i / read.size()]));
  }
  return all;
}

/// Moments of `count` vectors, of which load(number, v_0) brings those from `number` on to the device, one into each column.
template <class T, class Load>
Moments moments_with(Workspace<T>& on, const Operator<T>& A, int count, const MomentsOptions& options,
                     const Load& load) {
  if (options.moments < 2 || count < 1)
    throw AgreedError(ExitCode::usage,
                      fmt::format("{} moments of {} vectors: at least 2 moments of 1 vector are needed",
                                  options.moments, count));
  if (options.check) check_hermitian(on, A, "a density of states", ": check how the matrix was made");
  Moments result;
  result.range = options.range ? *options.range : find_range(on, A, options.bounds);
  const auto start = std::chrono::steady_clock::now();
  for (bool again = false;; again = true) {
    // Rounding errors of products add up, and are the larger in units of h.
    const double of_product = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) *
                              (1 + result.range.size() / result.range.half_width());
    const double slack = std::max(1e-9, 8 * options.moments * of_product);
    std::vector<MomentsRead> read;
    const int side_by_side = std::min(on.columns(), count);
    read.reserve(static_cast<std::size_t>(side_by_side));
    for (int column = 0; column < side_by_side; ++column)
      read.emplace_back(options.moments, slack, static_cast<std::size_t>(column));
    MomentsRun<T> run(on, A, result.range, options, read);
    bool fits = true;
    for (int i = 0; fits && i < count; i += on.columns())
      fits = run.add_vectors(static_cast<std::size_t>(i),
                             [&](const VectorRef<T>& first) { load(static_cast<unsigned>(i), first); });
    fits = fits && run.finish();
    result.products += run.products();
    if (fits || run.asked()) {
      result.asked = run.asked();
      if (result.asked)
        for (MomentsRead& each : read) each.leave_out_unfinished();
      result.norm = read.front().norm();
      result.of_vector = all_vectors(read, count);
      break;
    }
    if (again)
      throw AgreedError(
          ExitCode::input,
          fmt::format(
              "{}, and none is larger than 1 where the bounds {} contain the spectrum, which were widened "
              "already: give wider bounds",
              first_too_large(read), result.range.text()));
    on.queue().synchronize();
    result.range = widen_range(on, A, result.range);
  }
  result.products += result.range.products;
  result.range = result.range.of_matrix();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

template <class T>
Moments moments_of_random(Workspace<T>& on, const Operator<T>& A, const std::vector<gidx>& ids,
                          const MomentsOptions& options) {
  constexpr unsigned numbers = 1U << 16U;
  const std::vector<gidx> in_basis = reorder(ids, A.matrix().operators().x_order);
  Buffer<gidx> on_device;
  on.communicator().together(
      [&] { on_device = upload(A.matrix().backend(), in_basis.data(), in_basis.size()); });
  return moments_with(on, A, options.vectors, options, [&](unsigned number, const VectorRef<T>& first) {
    queue_random_phases(on.queue(), A.rows(), on_device.data(), options.seed * numbers + number, first.at,
                        on.columns());
  });
}

template <class T>
Moments moments_of(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v,
                   const MomentsOptions& options) {
  const int exponent = sized_norm(on, A, v, "the start vector of the moments", nullptr).exponent;
  Moments moments = moments_with(on, A, 1, options, [&](unsigned, const VectorRef<T>& first) {
    on.run(Combination<T>().set(first, std::ldexp(1.0, -exponent) * v));
  });
  moments.norm = std::ldexp(moments.norm, exponent);
  return moments;
}

SPMV_INSTANTIATE(moments_of_random);
SPMV_INSTANTIATE(moments_of);

}  // namespace spmv
