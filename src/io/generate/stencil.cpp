#include "io/generate/stencil.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

/// One axis around a point: how many of the offsets -1, 0, +1 stay inside.
struct Range {
  int low, high;
  int length() const { return high - low + 1; }
};

class Stencil : public RowSource {
 public:
  Stencil(const std::string& parameters, int axes, int points) : axes_(axes), points_(points) {
    std::vector<gidx> sizes = parse_parameters(parameters, static_cast<std::size_t>(axes), {});
    sizes.resize(3, 1);
    for (const gidx size : sizes) {
      if (size < 1) throw Error(ExitCode::usage, "a grid needs at least one point along every axis");
    }
    nx_ = sizes[0];
    ny_ = sizes[1];
    nz_ = sizes[2];
    checked_product(checked_product(checked_product(nx_, ny_), nz_), points);
  }

  Shape shape() const override { return {nx_ * ny_ * nz_, nx_ * ny_ * nz_}; }
  int longest_row() const override { return points_; }
  std::string describe() const override {
    const std::string grid =
        axes_ == 2 ? fmt::format("{} x {}", nx_, ny_) : fmt::format("{} x {} x {}", nx_, ny_, nz_);
    return fmt::format("{}-point stencil on {} points, Dirichlet, {} and -1, dimensionless", points_, grid,
                       points_ - 1);
  }

 protected:
  struct Around {
    Range x, y, z;
  };

  Around around(gidx row) const {
    const gidx line = row / nx_;
    const gidx plane = line / ny_;
    return {inside(row - line * nx_, nx_), inside(line - plane * ny_, ny_), inside(plane, nz_)};
  }

  double diagonal() const { return points_ - 1; }

  gidx nx_, ny_, nz_;

 private:
  static Range inside(gidx at, gidx size) { return {at > 0 ? -1 : 0, at < size - 1 ? 1 : 0}; }

  int axes_;
  int points_;
};

/// The neighbours along the axes.
class Star final : public Stencil {
 public:
  Star(const std::string& parameters, int axes) : Stencil(parameters, axes, 2 * axes + 1) {}

  int row_length(gidx row) const override {
    const Around a = around(row);
    return a.x.length() + a.y.length() + a.z.length() - 2;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const Around a = around(row);
    int n = 0;
    const auto put = [&](bool present, gidx distance, double value) {
      if (!present) return;
      cols[n] = row + distance;
      values[n++] = value;
    };
    put(a.z.low < 0, -nx_ * ny_, -1);
    put(a.y.low < 0, -nx_, -1);
    put(a.x.low < 0, -1, -1);
    put(true, 0, diagonal());
    put(a.x.high > 0, 1, -1);
    put(a.y.high > 0, nx_, -1);
    put(a.z.high > 0, nx_ * ny_, -1);
    return n;
  }
};

/// The neighbours of the surrounding square or cube.
class Cube final : public Stencil {
 public:
  Cube(const std::string& parameters, int axes) : Stencil(parameters, axes, axes == 2 ? 9 : 27) {}

  int row_length(gidx row) const override {
    const Around a = around(row);
    return a.x.length() * a.y.length() * a.z.length();
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const Around a = around(row);
    int n = 0;
    for (int z = a.z.low; z <= a.z.high; ++z) {
      for (int y = a.y.low; y <= a.y.high; ++y) {
        for (int x = a.x.low; x <= a.x.high; ++x) {
          const gidx distance = x + nx_ * (y + ny_ * z);
          cols[n] = row + distance;
          values[n++] = (x == 0 && y == 0 && z == 0) ? diagonal() : -1;
        }
      }
    }
    return n;
  }
};

}  // namespace

std::unique_ptr<RowSource> make_stencil5(const std::string& parameters) {
  return std::make_unique<Star>(parameters, 2);
}

std::unique_ptr<RowSource> make_stencil7(const std::string& parameters) {
  return std::make_unique<Star>(parameters, 3);
}

std::unique_ptr<RowSource> make_stencil9(const std::string& parameters) {
  return std::make_unique<Cube>(parameters, 2);
}

std::unique_ptr<RowSource> make_stencil27(const std::string& parameters) {
  return std::make_unique<Cube>(parameters, 3);
}

}  // namespace spmv
