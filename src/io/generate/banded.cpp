#include <algorithm>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

class Banded final : public RowSource {
 public:
  explicit Banded(const std::string& parameters) {
    const std::vector<gidx> sizes =
        parse_parameters(parameters, 2, {{"density", &density_}, {"seed", &seed_}});
    constexpr gidx widest = 1'000'000;
    require_parameter(sizes[0] >= 1, "a matrix needs at least one row");
    require_parameter(sizes[1] <= widest, "HALFWIDTH = {}; it is at most {}", sizes[1], widest);
    require_parameter(density_ >= 0 && density_ <= 1, "density = {}; it is from 0 to 1", density_);
    rows_ = sizes[0];
    half_width_ = sizes[1];
    seed_bits_ = seed_bits(seed_);
    checked_product(rows_, Banded::longest_row());
  }

  Shape shape() const override { return {rows_, rows_}; }
  int longest_row() const override { return static_cast<int>(std::min(2 * half_width_ + 1, rows_)); }
  std::string describe() const override {
    return fmt::format(
        "band of {} diagonals beside the main one on either side, filled to {}, pattern symmetric, values "
        "in (-1, 1), seed {}",
        half_width_, density_, seed_);
  }

  int row_length(gidx row) const override {
    if (density_ == 1) return static_cast<int>(last(row) - first(row)) + 1;
    int length = 0;
    for (gidx col = first(row); col <= last(row); ++col) length += is_nonzero(row, col) ? 1 : 0;
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    RowWriter out{cols, values};
    const std::uint64_t hash = seed_bits_ ^ mixed(static_cast<std::uint64_t>(row));
    for (gidx col = first(row); col <= last(row); ++col) {
      if (is_nonzero(row, col)) out.put(col, signed_value(mixed(hash, static_cast<std::uint64_t>(col))));
    }
    return out.length;
  }

 private:
  gidx first(gidx row) const { return std::max(gidx{0}, row - half_width_); }
  gidx last(gidx row) const { return std::min(rows_ - 1, row + half_width_); }
  bool is_nonzero(gidx row, gidx col) const {
    if (row == col || density_ == 1) return true;
    const auto low = static_cast<std::uint64_t>(std::min(row, col));
    const auto high = static_cast<std::uint64_t>(std::max(row, col));
    return unit_value(mixed(seed_bits_ + 1, low) ^ mixed(high)) < density_;
  }

  gidx rows_ = 0;
  gidx half_width_ = 0;
  double density_ = 1;
  double seed_ = 1;
  std::uint64_t seed_bits_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> make_banded(const std::string& parameters) {
  return std::make_unique<Banded>(parameters);
}

}  // namespace spmv
