#include <algorithm>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/grid.hpp"
#include "io/generate/hash.hpp"

namespace spmv {
namespace {

constexpr int most_nonzeros = 7;  // per row

struct AndersonModel {
  std::vector<gidx> extents;
  double hopping = 1, disorder = 16.5, seed = 1;
};

AndersonModel parse_anderson(const std::string& parameters) {
  AndersonModel m;
  m.extents = parse_parameters(parameters, 3, {{"t", &m.hopping}, {"w", &m.disorder}, {"seed", &m.seed}});
  return m;
}

class Anderson final : public RowSource {
 public:
  explicit Anderson(const AndersonModel& model)
      : model_(model), grid_(model.extents, most_nonzeros), seed_bits_(seed_bits(model.seed)) {}

  Shape shape() const override { return {grid_.points(), grid_.points()}; }
  int longest_row() const override { return most_nonzeros; }
  std::string describe() const override {
    return fmt::format(
        "Anderson model, {} x {} x {} sites, periodic, hopping -{}, energies of the sites uniform in ({}, "
        "{}) in one unit, seed {}",
        grid_.extent(0), grid_.extent(1), grid_.extent(2), model_.hopping, -model_.disorder / 2,
        model_.disorder / 2, model_.seed);
  }

  int row_length(gidx) const override {
    int length = 1;
    for (int axis = 0; axis < 3 && model_.hopping != 0; ++axis)
      length += static_cast<int>(std::min(grid_.extent(axis) - 1, gidx{2}));
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    gidx* end = cols;
    *end++ = row;
    if (model_.hopping != 0) end = add_neighbours(row, end);
    std::sort(cols, end);
    const double energy =
        model_.disorder * (unit_value(mixed(seed_bits_, static_cast<std::uint64_t>(row))) - 0.5);
    std::transform(cols, end, values, [&](gidx col) { return col == row ? energy : -model_.hopping; });
    return static_cast<int>(end - cols);
  }

 private:
  /// Writes the neighbours of a site on the ring along every axis. A ring of two sites has one bond, a ring of one site none.
  gidx* add_neighbours(gidx row, gidx* to) const {
    const Point p = grid_.locate(row);
    for (int axis = 0; axis < 3; ++axis) {
      const gidx last = grid_.extent(axis) - 1, at = p[axis];
      const gidx before = at == 0 ? last : at - 1, after = at == last ? 0 : at + 1;
      if (after != at) *to++ = row + (after - at) * grid_.step(axis);
      if (before != after) *to++ = row + (before - at) * grid_.step(axis);
    }
    return to;
  }

  AndersonModel model_;
  Grid grid_;
  std::uint64_t seed_bits_;
};

}  // namespace

std::unique_ptr<RowSource> make_anderson(const std::string& parameters) {
  return std::make_unique<Anderson>(parse_anderson(parameters));
}

}  // namespace spmv
