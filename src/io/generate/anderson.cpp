#include "io/generate/anderson.hpp"

#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

/// Along one axis: how far in rows the neighbours are, those before the site and those behind it, ascending.
struct Neighbours {
  std::array<gidx, 2> before{}, behind{};
  int befores = 0, behinds = 0;
};

/// Of site `at` on a ring of `size` sites that are `step` rows apart.
Neighbours on_ring(gidx at, gidx size, gidx step) {
  Neighbours n;
  const auto add = [&](gidx to) {
    if (to < at)
      n.before[n.befores++] = (to - at) * step;
    else
      n.behind[n.behinds++] = (to - at) * step;
  };
  if (size == 1) return n;
  if (size == 2) {
    add(1 - at);
    return n;
  }
  const gidx one = at == 0 ? size - 1 : at - 1, other = at == size - 1 ? 0 : at + 1;
  add(one < other ? one : other);
  add(one < other ? other : one);
  return n;
}

class Anderson final : public RowSource {
 public:
  explicit Anderson(const std::string& parameters) {
    const std::vector<gidx> sizes =
        parse_parameters(parameters, 3, {{"t", &hopping_}, {"w", &disorder_}, {"seed", &seed_}});
    gidx rows = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (sizes[axis] < 1) throw Error(ExitCode::usage, "a lattice needs at least one site along every axis");
      n_[axis] = sizes[axis];
      rows = checked_product(rows, sizes[axis]);
    }
    checked_product(rows, Anderson::longest_row());
    seed_bits_ = seed_bits(seed_);
  }

  Shape shape() const override { return {n_[0] * n_[1] * n_[2], n_[0] * n_[1] * n_[2]}; }
  int longest_row() const override { return 7; }
  std::string describe() const override {
    return fmt::format(
        "Anderson model, {} x {} x {} sites, periodic, hopping -{}, energies of the sites uniform in ({}, {}) "
        "in one unit, seed {}",
        n_[0], n_[1], n_[2], hopping_, -disorder_ / 2, disorder_ / 2, seed_);
  }

  int row_length(gidx) const override {
    int length = 1;
    if (hopping_ == 0) return length;
    for (const gidx n : n_) length += n > 2 ? 2 : static_cast<int>(n) - 1;
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    int n = 0;
    const auto put = [&](gidx col, double value) {
      cols[n] = col;
      values[n++] = value;
    };
    const double energy = disorder_ * (unit_value(mixed(seed_bits_, static_cast<std::uint64_t>(row))) - 0.5);
    if (hopping_ == 0) {
      put(row, energy);
      return n;
    }
    const gidx line = row / n_[0];
    const std::array<Neighbours, 3> axes{on_ring(row % n_[0], n_[0], 1), on_ring(line % n_[1], n_[1], n_[0]),
                                         on_ring(line / n_[1], n_[2], n_[0] * n_[1])};
    // A step along a later axis is longer than any along those before it.
    for (int axis = 2; axis >= 0; --axis)
      for (int i = 0; i < axes[axis].befores; ++i) put(row + axes[axis].before[i], -hopping_);
    put(row, energy);
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < axes[axis].behinds; ++i) put(row + axes[axis].behind[i], -hopping_);
    return n;
  }

 private:
  std::array<gidx, 3> n_{};
  double hopping_ = 1;
  double disorder_ = 16.5;
  double seed_ = 1;
  std::uint64_t seed_bits_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> make_anderson(const std::string& parameters) {
  return std::make_unique<Anderson>(parameters);
}

}  // namespace spmv
