#include "kernels/tune/calibration.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <omp.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "kernels/tune/candidates.hpp"
#include "kernels/tune/product_timer.hpp"

namespace spmv {
namespace {

/// The sums that a fit needs, of the rows of a linear system in up to `most` unknowns, each divided by its right side.
template <std::size_t most>
class NonNegativeFit {
 public:
  using Vector = std::array<double, most>;

  void add(Vector row, double right) {
    for (double& number : row) number /= right;
    for (std::size_t i = 0; i < most; ++i) {
      right_[i] += row[i];
      for (std::size_t j = 0; j < most; ++j) normal_[i][j] += row[i] * row[j];
    }
  }
  /// The best of the solutions in which some unknowns are 0 and none is below 0.
  Vector solve() const {
    Vector best{};
    double least = 0;  // of the sum of squares, less what no solution changes
    for (unsigned used = 1; used < 1U << most; ++used) {
      const Vector found = solve(used);
      double squares = 0;
      for (std::size_t i = 0; i < most; ++i) {
        squares -= 2 * right_[i] * found[i];
        for (std::size_t j = 0; j < most; ++j) squares += found[i] * normal_[i][j] * found[j];
      }
      const bool allowed = std::all_of(found.begin(), found.end(), [](double x) { return x >= 0; });
      if (!allowed || !(squares < least)) continue;
      least = squares;
      best = found;
    }
    return best;
  }

 private:
  /// By elimination; unknowns that are not in `used`, and those that the samples do not tell apart, are 0.
  Vector solve(unsigned used) const {
    auto a = normal_;
    Vector b = right_;
    for (std::size_t i = 0; i < most; ++i) {
      const bool known = (used >> i & 1U) != 0 && a[i][i] > 1e-9 * normal_[i][i];
      if (!known) {
        for (std::size_t j = 0; j < most; ++j) a[i][j] = a[j][i] = 0;
        a[i][i] = 1;
        b[i] = 0;
        continue;
      }
      for (std::size_t k = i + 1; k < most; ++k) {
        const double share = a[k][i] / a[i][i];
        for (std::size_t j = i; j < most; ++j) a[k][j] -= share * a[i][j];
        b[k] -= share * b[i];
      }
    }
    for (std::size_t i = most; i-- > 0;) {
      for (std::size_t j = i + 1; j < most; ++j) b[i] -= a[i][j] * b[j];
      b[i] /= a[i][i];
    }
    return b;
  }

  std::array<Vector, most> normal_{};
  Vector right_{};
};

/// The same numbers in every run: SplitMix64.
class Numbers {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// From 0 to below 1.
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_ = 1;
};

/// A made-up block: columns by `columns_of`, values that are all different or of two kinds.
struct Sketch {
  lidx rows;            // on a host
  lidx rows_on_device;  // a GPU needs more to be busy
  bool few_values;
  /// Appends the columns of a row, in any order, some of them perhaps twice.
  void (*columns_of)(lidx row, lidx rows, Numbers& numbers, std::vector<lidx>& cols);
};

/// Three neighbouring columns around each of nine places at fixed distances: a stencil of 27 points.
void stencil27(lidx row, lidx rows, Numbers&, std::vector<lidx>& cols) {
  const auto edge = static_cast<lidx>(std::cbrt(rows));
  for (const lidx plane : {-1, 0, 1})
    for (const lidx line : {-1, 0, 1})
      for (const lidx point : {-1, 0, 1}) cols.push_back(row + (plane * edge + line) * edge + point);
}

void stencil5(lidx row, lidx rows, Numbers&, std::vector<lidx>& cols) {
  const auto edge = static_cast<lidx>(std::sqrt(rows));
  for (const lidx distance : {-edge, lidx{-1}, lidx{0}, lidx{1}, edge}) cols.push_back(row + distance);
}

/// Twenty nodes near the row's own, of three unknowns each.
void nodes(lidx row, lidx, Numbers&, std::vector<lidx>& cols) {
  const lidx node = row / 3;
  for (lidx near = 0; near < 20; ++near)
    for (lidx unknown = 0; unknown < 3; ++unknown)
      cols.push_back((node + (near - 10) * (1 + near % 4) * 7) * 3 + unknown);
}

/// Few columns in most rows and many in some, anywhere, but some columns far more often.
void power_law(lidx, lidx rows, Numbers& numbers, std::vector<lidx>& cols) {
  const double length = std::min(2000.0, 3 / std::sqrt(1e-9 + numbers.share()));
  for (int k = 0; k < static_cast<int>(length); ++k) {
    const double share = numbers.share();
    cols.push_back(static_cast<lidx>(share * share * rows));
  }
}

void stencil7(lidx row, lidx rows, Numbers&, std::vector<lidx>& cols) {
  const auto edge = static_cast<lidx>(std::cbrt(rows));
  for (const lidx distance : {-edge * edge, -edge, lidx{-1}, lidx{0}, lidx{1}, edge, edge * edge})
    cols.push_back(row + distance);
}

/// The same without a quarter of the neighbours: neighbouring rows of different lengths.
void stencil7_with_gaps(lidx row, lidx rows, Numbers& numbers, std::vector<lidx>& cols) {
  const std::size_t first = cols.size();
  stencil7(row, rows, numbers, cols);
  const auto is_missing = [&](lidx col) { return col != row && numbers.next() % 4 == 0; };
  cols.erase(std::remove_if(cols.begin() + static_cast<std::ptrdiff_t>(first), cols.end(), is_missing),
             cols.end());
}

/// Rows of similar length, columns anywhere.
void anywhere(lidx, lidx rows, Numbers& numbers, std::vector<lidx>& cols) {
  for (int k = 0; k < 8; ++k) cols.push_back(static_cast<lidx>(numbers.share() * rows));
}

/// Rows of many different lengths, columns in a band.
void band(lidx row, lidx, Numbers& numbers, std::vector<lidx>& cols) {
  const auto length = static_cast<lidx>(1 + numbers.next() % 40);
  for (lidx k = 0; k < length; ++k) cols.push_back(row - 500 + static_cast<lidx>(numbers.next() % 1000));
}

/// Sizes within and beyond the caches of a core, rows long and short, patterns regular and irregular.
/// Where lengths are mixed, a host gets some thousands of rows and far more.
constexpr Sketch sketches[] = {
    {1 << 16, 1 << 19, false, stencil27}, {1 << 13, 1 << 16, false, stencil27},
    {1 << 15, 1 << 18, true, stencil27},  {1 << 17, 1 << 20, false, stencil5},
    {1 << 17, 1 << 20, true, stencil5},   {3 << 12, 3 << 15, false, nodes},
    {1 << 18, 1 << 19, false, power_law}, {1 << 13, 1 << 16, false, power_law},
    {1 << 17, 1 << 18, false, band},      {1 << 17, 1 << 20, false, stencil7_with_gaps},
    {1 << 20, 1 << 20, true, stencil7},   {1 << 16, 1 << 19, true, anywhere},
};

Csr<double> draw(const Sketch& sketch, lidx rows) {
  Csr<double> block;
  Numbers numbers;
  block.rows = block.cols = rows;
  std::vector<lidx> cols;
  for (lidx row = 0; row < block.rows; ++row) {
    cols.clear();
    sketch.columns_of(row, block.rows, numbers, cols);
    std::erase_if(cols, [&](lidx col) { return col < 0 || col >= block.cols; });
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    for (const lidx col : cols) {
      block.col.push_back(col);
      block.value.push_back(sketch.few_values ? 1.0 + (col - row) % 2 : 1 + numbers.share());
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

struct Times {
  double product_s = 0;
  double build_s = 0;
};

/// The least of several turns, because whatever else a machine does can only make times longer. Two turns, and more, up to five,
/// until the two least agree. Builds differ more, because they wait for memory.
Times measure_in_turns(const std::function<Times()>& turn) {
  constexpr std::size_t most_turns = 5;
  constexpr double like_product = 1.1, like_build = 2;
  std::vector<double> product_s, build_s;
  const auto settled = [](std::vector<double>& times, double like) {
    std::sort(times.begin(), times.end());
    return times.size() > 1 && times[1] <= like * times[0];
  };
  while (product_s.size() < most_turns &&
         !(settled(product_s, like_product) && settled(build_s, like_build))) {
    const Times times = turn();
    product_s.push_back(times.product_s);
    build_s.push_back(times.build_s);
  }
  return {*std::min_element(product_s.begin(), product_s.end()),
          *std::min_element(build_s.begin(), build_s.end())};
}

/// Adds a sample of every candidate for the block.
void add_samples(const Csr<double>& block, const std::shared_ptr<Backend>& backend, double bandwidth,
                 std::map<std::string, std::vector<SpeedSample>>& samples) {
  const Device device{backend->runs_host_code(), bandwidth, omp_get_max_threads()};
  const Analysis analysis = analyze(block);
  ProductTimer<double> timer(
      {.block = block, .row_list = {}, .options = {}, .backend = backend, .square = true});
  timer.keep_block_on_device();
  CandidateRequest request;
  request.calibrates = true;
  for (const Candidate& c : make_candidates<double>(analysis, request, *backend, device)) {
    constexpr double batch_s = 2e-3;
    try {
      const Times times = measure_in_turns([&] {
        const auto start = std::chrono::steady_clock::now();
        const OrderedOperator<double> built = timer.build(c.format, c.options);
        const std::chrono::duration<double> build = std::chrono::steady_clock::now() - start;
        return Times{timer.measure(*built.op, batch_s), build.count()};
      });
      const bool chained = c.predicted.chained > times.product_s / 2;
      samples[c.format].push_back({load_of(c.format, c.cost, c.options, analysis, device), times.product_s,
                                   times.build_s, chained, shape_of(analysis)});
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
    }
  }
}

}  // namespace

Speeds fit_speeds(const std::vector<SpeedSample>& samples) {
  NonNegativeFit<6> product;
  NonNegativeFit<3> build;
  for (const SpeedSample& sample : samples) {
    const Load& load = sample.load;
    constexpr double least = 1e-9;  // no time is 0
    if (!sample.chained)
      product.add(
          {load.streaming_s, load.iterations, load.fast_iterations, load.uneven, load.rows, load.scattered},
          std::max(sample.product_s - load.launch_s, least));
    // A build may start faster than usual, if its kernels are loaded already: at least a tenth of it is for its nonzeros.
    build.add({load.build_nonzeros, load.build_rows, load.sorted},
              std::max({sample.build_s - load.build_overhead_s, sample.build_s / 10, least}));
  }
  const auto p = product.solve();
  const auto b = build.solve();
  return {p[0],       p[1] * 1e9, p[2] * 1e9, p[3] * 1e9, p[4] * 1e9,
          p[5] * 1e9, b[0] * 1e9, b[1] * 1e9, b[2] * 1e9, {}};
}

std::vector<Deviation> deviations_from(const Speeds& speeds, const std::vector<SpeedSample>& samples) {
  std::vector<Deviation> deviations;
  for (const SpeedSample& sample : samples)
    if (!sample.chained)
      deviations.push_back({sample.shape, sample.product_s / product_seconds(speeds, sample.load)});
  return deviations;
}

Calibration calibrate(const std::shared_ptr<Backend>& backend,
                      const std::function<double(double working_set)>& bandwidth) {
  std::map<std::string, std::vector<SpeedSample>> samples;
  for (const Sketch& sketch : sketches) {
    const lidx rows = backend->runs_host_code() ? sketch.rows : sketch.rows_on_device;
    const Csr<double> block = draw(sketch, rows);
    const double working_set = static_cast<double>(block.nonzeros()) * (sizeof(double) + sizeof(lidx));
    add_samples(block, backend, bandwidth(working_set), samples);
  }
  Calibration calibration;
  constexpr std::ptrdiff_t enough = 3;  // samples: with fewer, the format's pace is the better guess
  for (const auto& [format, of_format] : samples)
    if (std::count_if(of_format.begin(), of_format.end(), [](const SpeedSample& s) { return !s.chained; }) >=
        enough)
      calibration[format] = fit_speeds(of_format);
  // On a GPU the loads explain the products well enough.
  if (backend->runs_host_code())
    for (auto& [format, speeds] : calibration) speeds.deviations = deviations_from(speeds, samples[format]);
  return calibration;
}

}  // namespace spmv
