#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "io/generate/binomial.hpp"
#include "io/generate/generators.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

class Random final : public RowSource {
 public:
  explicit Random(const std::string& parameters) {
    const std::vector<double> numbers = parse_real_parameters(parameters, 3, {{"seed", &seed_}});
    constexpr gidx most = 1'000'000'000'000'000;
    constexpr double longest_mean = 1e6;
    rows_ = whole_number(numbers[0], "ROWS", 1, most);
    cols_ = whole_number(numbers[1], "COLS", 1, most);
    mean_ = numbers[2];
    require_parameter(mean_ <= std::min(longest_mean, static_cast<double>(cols_)),
                      "MEAN = {}; it is at most COLS and {}", mean_, longest_mean);
    seed_bits_ = seed_bits(seed_);
    // 15 standard deviations: no row is longer in practice, and row_length() cuts one that is.
    const double bound = std::ceil(mean_ + 15 * std::sqrt(mean_) + 60);
    longest_ = static_cast<int>(std::min(bound, static_cast<double>(cols_)));
    checked_product(rows_, longest_);
  }

  Shape shape() const override { return {rows_, cols_}; }
  int longest_row() const override { return longest_; }
  std::string describe() const override {
    return fmt::format("{} x {}, nonzeros anywhere, {} a row on average, values in (-1, 1), seed {}", rows_,
                       cols_, mean_, seed_);
  }

  int row_length(gidx row) const override {
    const gidx length = binomial_draw(cols_, mean_ / static_cast<double>(cols_), row_hash(row, 0));
    return static_cast<int>(std::min(length, gidx{longest_}));
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const int length = row_length(row);
    if (length > cols_ / 2)
      draw_holes(row, cols, length);
    else
      draw_columns(row, cols, length);
    for (int i = 0; i < length; ++i)
      values[i] = signed_value(mixed(row_hash(row, 0), static_cast<std::uint64_t>(cols[i])));
    return length;
  }

 private:
  std::uint64_t row_hash(gidx row, std::uint64_t draw) const {
    return mixed(seed_bits_ ^ mixed(static_cast<std::uint64_t>(row)), draw);
  }
  /// `length` columns, ascending: all but the columns that are drawn.
  void draw_holes(gidx row, gidx* cols, int length) const {
    std::vector<gidx> holes(static_cast<std::size_t>(cols_ - length));
    draw_columns(row, holes.data(), static_cast<int>(holes.size()));
    auto hole = holes.begin();
    for (gidx col = 0; col < cols_; ++col) {
      if (hole != holes.end() && *hole == col)
        ++hole;
      else
        *cols++ = col;
    }
  }
  /// `count` different columns, ascending; at most half of all columns, so that few draws are in vain.
  void draw_columns(gidx row, gidx* cols, int count) const {
    std::uint64_t draw = 0;
    for (int found = 0; found < count;) {
      for (int i = found; i < count; ++i)
        cols[i] = static_cast<gidx>(unit_value(row_hash(row, ++draw)) * static_cast<double>(cols_));
      std::sort(cols, cols + count);
      found = static_cast<int>(std::unique(cols, cols + count) - cols);
    }
  }

  gidx rows_ = 0, cols_ = 0;
  double mean_ = 0;
  double seed_ = 1;
  std::uint64_t seed_bits_ = 0;
  int longest_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> make_random(const std::string& parameters) {
  return std::make_unique<Random>(parameters);
}

}  // namespace spmv
