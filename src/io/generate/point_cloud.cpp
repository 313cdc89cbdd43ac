// Stand-ins for three matrices of fluid dynamics: dense blocks between near points of an irregular cloud (README.md in this
// folder).
//
// Each point of a grid is moved a little by its own hash. Two points are coupled, in both directions, if the square of their
// distance is below the mean of the limits of their layers. This uses whole numbers only, so the pattern is the same on every
// processor. The diagonal is the number of nonzeros in the row, which exceeds the sum of the other values.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

using Length = std::int64_t;  // in units of 1 / 1024 of the spacing of the grid

constexpr Length spacing = 1024;

/// A squared length, from a multiple of the squared spacing.
constexpr Length squared(double squared_spacings) {
  return static_cast<Length>(squared_spacings * spacing * spacing);
}

struct Cloud {
  const char* name;
  gidx points;
  int block;           // rows per point
  Length shift;        // largest move of a point along each axis; below half the spacing
  Length first, last;  // squared distances below which points of the first and of the last layer are coupled
};

class PointCloud final : public RowSource {
 public:
  PointCloud(const Cloud& cloud, double scale)
      : cloud_(cloud),
        scale_(scale),
        points_(
            std::max(gidx{1}, static_cast<gidx>(std::llround(static_cast<double>(cloud.points) * scale)))),
        side_(std::max(gidx{1}, static_cast<gidx>(std::llround(std::cbrt(static_cast<double>(points_)))))),
        layers_((points_ + side_ * side_ - 1) / (side_ * side_)) {
    const auto farthest = std::sqrt(static_cast<double>(std::max(cloud.first, cloud.last)));
    reach_ = static_cast<int>((farthest + 2 * static_cast<double>(cloud.shift)) / spacing);
  }

  Shape shape() const override { return {points_ * cloud_.block, points_ * cloud_.block}; }
  int longest_row() const override {
    const gidx across = std::min(side_, gidx{2 * reach_ + 1}),
               along = std::min(layers_, gidx{2 * reach_ + 1});
    return static_cast<int>(across * across * along) * cloud_.block;
  }
  std::string describe() const override {
    return fmt::format(
        "stand-in for the matrix {0}, at {1} of its size: dense {2} x {2} blocks between near points of an "
        "irregular cloud of {3}, values in (-1, 1)",
        cloud_.name, scale_, cloud_.block, points_);
  }

  int row_length(gidx row) const override {
    int near = 0;
    for_near(row / cloud_.block, [&](gidx) { ++near; });
    return near * cloud_.block;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const std::uint64_t hash = mixed(~static_cast<std::uint64_t>(row));
    RowWriter out{cols, values};
    int diagonal = 0;
    for_near(row / cloud_.block, [&](gidx point) {
      for (gidx col = point * cloud_.block; col < (point + 1) * cloud_.block; ++col) {
        if (col == row) diagonal = out.length;
        out.put(col, signed_value(mixed(hash ^ static_cast<std::uint64_t>(col))));
      }
    });
    values[diagonal] = out.length;
    return out.length;
  }

 private:
  /// How far a point is moved from its place on the grid.
  struct Shift {
    Length x, y, z;
  };
  /// A place along a closed axis, and its distance in the direction of the axis.
  struct Place {
    gidx at;
    Length ahead;
  };
  static constexpr int most_places = 16;
  using Places = std::array<Place, most_places>;

  Shift shift(gidx point) const {
    const std::uint64_t hash = mixed(static_cast<std::uint64_t>(point));
    const auto choices = static_cast<std::uint64_t>(2 * cloud_.shift + 1);
    const auto part = [&](int bits) {
      return static_cast<Length>((hash >> bits & 0x1fffff) * choices >> 21) - cloud_.shift;
    };
    return {part(0), part(21), part(42)};
  }

  Length coupled_up_to(gidx layer) const {
    return layers_ == 1 ? cloud_.first : cloud_.first + (cloud_.last - cloud_.first) * layer / (layers_ - 1);
  }

  /// Writes the places within reach of `at` on a closed axis, ascending. Returns their number.
  int around(gidx at, Places& places) const {
    const gidx count = std::min(side_, gidx{2 * reach_ + 1});
    const gidx first = count == side_ ? 0 : at - reach_;
    for (gidx i = 0; i < count; ++i) {
      const gidx place = first + i;
      places[static_cast<std::size_t>(i)] = {place < 0        ? place + side_
                                             : place >= side_ ? place - side_
                                                              : place,
                                             (place - at) * spacing};
    }
    std::sort(places.begin(), places.begin() + count,
              [](const Place& a, const Place& b) { return a.at < b.at; });
    return static_cast<int>(count);
  }

  /// The shorter of the two ways around.
  Length closed(Length distance) const {
    const Length straight = std::abs(distance);
    return std::min(straight, std::abs(side_ * spacing - straight));
  }

  /// Calls visit(q) for every point q that is coupled to p, including p, ascending.
  template <class Visit>
  void for_near(gidx p, const Visit& visit) const {
    const gidx line = p / side_, layer = line / side_;
    const Shift own = shift(p);
    Places xs, ys;
    const int x_count = around(p - line * side_, xs), y_count = around(line - layer * side_, ys);
    for (gidx z = std::max(gidx{0}, layer - reach_); z <= std::min(layers_ - 1, layer + reach_); ++z) {
      const Length limit = (coupled_up_to(layer) + coupled_up_to(z)) / 2;
      for (int j = 0; j < y_count; ++j) {
        for (int i = 0; i < x_count; ++i) {
          const gidx q = xs[i].at + side_ * (ys[j].at + side_ * z);
          if (q >= points_) continue;
          const Shift other = shift(q);
          const Length dx = closed(xs[i].ahead + other.x - own.x);
          const Length dy = closed(ys[j].ahead + other.y - own.y);
          const Length dz = (z - layer) * spacing + other.z - own.z;
          if (dx * dx + dy * dy + dz * dz < limit) visit(q);
        }
      }
    }
  }

  Cloud cloud_;
  double scale_;
  gidx points_;
  gidx side_;    // points along x and along y
  gidx layers_;  // along z
  int reach_;    // places along an axis up to which a point may be coupled
};

constexpr Cloud dlr1{"DLR1", 46'417, 6, 164, squared(3.2), squared(3.2)};
constexpr Cloud dlr2{"DLR2", 108'396, 5, 358, squared(9), squared(3)};
constexpr Cloud uhbr{"UHBR", 900'000, 5, 164, squared(3.33), squared(3.33)};

}  // namespace

std::unique_ptr<RowSource> make_dlr1(const std::string& parameters) {
  return std::make_unique<PointCloud>(dlr1, parse_scale(parameters));
}

std::unique_ptr<RowSource> make_dlr2(const std::string& parameters) {
  return std::make_unique<PointCloud>(dlr2, parse_scale(parameters));
}

std::unique_ptr<RowSource> make_uhbr(const std::string& parameters) {
  return std::make_unique<PointCloud>(uhbr, parse_scale(parameters));
}

}  // namespace spmv
