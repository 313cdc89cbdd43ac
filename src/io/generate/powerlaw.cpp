#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"
#include "io/generate/permutation.hpp"

namespace spmv {
namespace {

/// Density ~ x^-exponent on [low, high), 0 < low < high, exponent > 0.
class PowerLaw {
 public:
  PowerLaw(double exponent, double low, double high)
      : power_(1 - exponent), low_(low), at_low_(integral(low)), at_high_(integral(high)) {}

  /// P(X >= x).
  double above(double x) const {
    return x <= low_ ? 1 : std::max(0.0, (at_high_ - integral(x)) / (at_high_ - at_low_));
  }
  /// The x with P(X < x) = u.
  double quantile(double u) const {
    const double at = at_low_ + u * (at_high_ - at_low_);
    return power_ == 0 ? std::exp(at) : std::pow(at * power_, 1 / power_);
  }

 private:
  double integral(double x) const { return power_ == 0 ? std::log(x) : std::pow(x, power_) / power_; }

  double power_;
  double low_;
  double at_low_, at_high_;
};

/// Mean of X, rounded down to whole numbers: the sum of P(X >= l), for large l as an integral.
double mean_length(const PowerLaw& law, int longest) {
  double mean = 0;
  const int exact = std::min(longest, 2000);
  for (int l = 1; l <= exact; ++l) mean += law.above(l);
  constexpr int pieces = 2000;  // of equal ratio
  const double ratio = std::pow((longest + 0.5) / (exact + 0.5), 1.0 / pieces);
  double from = exact + 0.5;
  for (int piece = 0; longest > exact && piece < pieces; ++piece, from *= ratio)
    mean += law.above(from * std::sqrt(ratio)) * from * (ratio - 1);
  return mean;
}

/// The law of row lengths. Bisection finds the lower end that gives the mean.
PowerLaw lengths_with_mean(double exponent, double mean, int longest) {
  double low = 1e-9, high = longest;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = std::sqrt(low * high);
    (mean_length(PowerLaw(exponent, middle, longest + 1.0), longest) < mean ? low : high) = middle;
  }
  return {exponent, low, longest + 1.0};
}

struct Network {
  gidx rows;
  double mean;
  int longest;
  double exponent = 2.2;
  double seed = 1;
  std::uint64_t seed_bits = 0;
};

Network parse_network(const std::string& parameters) {
  Network n{};
  const std::vector<double> numbers =
      parse_real_parameters(parameters, 3, {{"exponent", &n.exponent}, {"seed", &n.seed}});
  constexpr gidx most_rows = 1'000'000'000'000'000, most_columns = 10'000'000;
  n.rows = whole_number(numbers[0], "ROWS", 1, most_rows);
  n.mean = numbers[1];
  n.longest = static_cast<int>(whole_number(numbers[2], "MAX", 1, most_columns));
  n.seed_bits = seed_bits(n.seed);
  require_parameter(n.longest <= n.rows, "MAX = {} in {} columns; it is at most ROWS", n.longest, n.rows);
  require_parameter(n.mean > 0 && n.mean <= n.longest,
                    "MEAN = {} with MAX = {}; it is above 0 and at most MAX", n.mean, n.longest);
  require_parameter(n.exponent > 1 && n.exponent <= 10, "exponent = {}; it is above 1 and at most 10",
                    n.exponent);
  checked_product(n.rows, n.longest);
  return n;
}

class PowerLawMatrix final : public RowSource {
 public:
  explicit PowerLawMatrix(const Network& network)
      : network_(network),
        seed_(network.seed_bits),
        lengths_(lengths_with_mean(network.exponent, network.mean, network.longest)),
        // Column lengths have the density l^-a if the k-th most popular column has the popularity k^-1/(a-1).
        ranks_(1 / (network.exponent - 1), 1, static_cast<double>(network.rows) + 1),
        place_(network.rows, seed_),
        fullest_row_(place_(0)) {}

  Shape shape() const override { return {network_.rows, network_.rows}; }
  int longest_row() const override { return network_.longest; }
  std::string describe() const override {
    return fmt::format(
        "network of {} rows, power law of exponent {}, mean length {}, longest row {}, seed {}",
        network_.rows, network_.exponent, network_.mean, network_.longest, network_.seed);
  }

  int row_length(gidx row) const override {
    if (row == fullest_row_) return network_.longest;
    const double length = lengths_.quantile(unit_value(row_hash(row, 0)));
    return std::min(network_.longest, static_cast<int>(length));
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const int length = row_length(row);
    // Draws until enough columns differ. In a full row that may never happen: fill_up() adds the rest.
    constexpr int most_rounds = 16;
    int found = 0;
    std::uint64_t draw = 0;
    for (int round = 0; round < most_rounds && found < length; ++round) {
      for (int i = found; i < length; ++i) cols[i] = column(row_hash(row, ++draw));
      std::sort(cols, cols + length);
      found = static_cast<int>(std::unique(cols, cols + length) - cols);
    }
    fill_up(cols, found, length,
            static_cast<gidx>(row_hash(row, ++draw) % static_cast<std::uint64_t>(network_.rows)));
    for (int i = 0; i < length; ++i)
      values[i] = signed_value(mixed(row_hash(row, 0), static_cast<std::uint64_t>(cols[i])));
    return length;
  }

 private:
  std::uint64_t row_hash(gidx row, std::uint64_t draw) const {
    return mixed(seed_ ^ mixed(static_cast<std::uint64_t>(row)), draw);
  }
  gidx column(std::uint64_t hash) const {
    const auto rank = static_cast<gidx>(ranks_.quantile(unit_value(hash))) - 1;
    return place_(std::clamp(rank, gidx{0}, network_.rows - 1));
  }
  /// Extends `found` ascending columns to `length`, with the next unused ones from `start` on, cyclic.
  void fill_up(gidx* cols, int found, int length, gidx start) const {
    int at = found;
    for (gidx col = start; at < length; col = (col + 1) % network_.rows)
      if (!std::binary_search(cols, cols + found, col)) cols[at++] = col;
    if (at > found) std::sort(cols, cols + length);
  }

  Network network_;
  std::uint64_t seed_;
  PowerLaw lengths_;
  PowerLaw ranks_;
  Permutation place_;  // from rank in popularity to column
  gidx fullest_row_;
};

}  // namespace

std::unique_ptr<RowSource> make_powerlaw(const std::string& parameters) {
  return std::make_unique<PowerLawMatrix>(parse_network(parameters));
}

}  // namespace spmv
