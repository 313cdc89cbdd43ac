// Blocks of vectors on the host. Strips of rows are unpacked to double precision, real and imaginary parts apart and columns filled
// up to whole registers, unless that is how they are; then everything is one small kernel: 4 x 8 sums in registers.
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/value_types.hpp"
#include "kernels/dense/block_host.hpp"
#include "kernels/parts/multivector_host.hpp"

namespace spmv {
namespace {

constexpr int strip = 32, tall = 4, wide = 8, lanes = 4, most_padded = 32;
using Lanes = LanesOf<double, lanes>::Type;

/// Numbers of a strip, by rows. What lies beyond the columns of a block is 0.
struct Panel {
  alignas(64) std::array<double, static_cast<std::size_t>(strip* most_padded)> at{};
};

constexpr int padded(int columns) {
  return (columns + wide - 1) / wide * wide;
}

/// Sums of 4 x 8.
class Tile {
 public:
  /// Adds sum_n a[n * a_step + u * a_apart] b[n * b_step + v] to element (u, v), or subtracts it.
  template <bool subtracts>
  void add(int count, const double* a, int a_step, int a_apart, const double* b, int b_step) {
    for (int n = 0; n < count; ++n) {
      Lanes right[wide / lanes];
      std::memcpy(right, b + n * b_step, sizeof right);
#pragma GCC unroll 4
      for (int u = 0; u < tall; ++u) {
        const double number = a[n * a_step + u * a_apart];
        const double left = subtracts ? -number : number;
#pragma GCC unroll 2
        for (int v = 0; v < wide / lanes; ++v) sum_[u][v] += left * right[v];
      }
    }
  }
  void add_to(double* at, int step) const {
#pragma GCC unroll 4
    for (int u = 0; u < tall; ++u) {
      Lanes row[wide / lanes];
      std::memcpy(row, at + u * step, sizeof row);
#pragma GCC unroll 2
      for (int v = 0; v < wide / lanes; ++v) row[v] += sum_[u][v];
      std::memcpy(at + u * step, row, sizeof row);
    }
  }

 private:
  Lanes sum_[tall][wide / lanes] = {};
};

/// A strip of rows, real and imaginary parts each a panel.
template <class T>
class Panels {
 public:
  static constexpr int parts = is_complex<T> ? 2 : 1;

  const double* at(int p) const { return in_place_ == nullptr ? part_[index(p)].at.data() : in_place_; }
  double* own(int p) { return part_[index(p)].at.data(); }
  void clear() {
    for (Panel& each : part_) each.at.fill(0);
  }
  /// `rows` rows of `k` elements, which begin `step` apart; the others of a strip are 0.
  template <class E>
  void unpack(const E* from, int rows, int k, int step) {
    if constexpr (std::is_same_v<E, double>) {
      in_place_ = rows == strip && k == step ? from : nullptr;
      if (in_place_ != nullptr) return;
    }
    if (rows < strip) clear();
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < k; ++c)
        for (int p = 0; p < parts; ++p) own(p)[r * step + c] = number(from[r * k + c], p);
  }

 private:
  static std::size_t index(int p) { return static_cast<std::size_t>(p); }
  static double number(double element, int) { return element; }
  template <class R>
  static double number(std::complex<R> element, int p) {
    return p == 0 ? element.real() : element.imag();
  }

  std::array<Panel, static_cast<std::size_t>(parts)> part_;
  const double* in_place_ = nullptr;
};

/// The sums of a Gram matrix over a share of the rows: of each block, parts apart, padded.
template <class T>
class GramShare {
  static constexpr int parts = Panels<T>::parts;

 public:
  explicit GramShare(const BlockList<T>& of)
      : of_(of), step_(padded(of.columns)), sum_(size(of.blocks), 0.0) {}
  void add(offset first, offset last) {
    for (offset row = first; row < last; row += strip) {
      const int rows = static_cast<int>(std::min<offset>(strip, last - row)), k = of_.columns;
      y_.unpack(of_.y + row * k, rows, k, step_);
      for (int b = 0; b < of_.blocks; ++b) {
        x_.unpack(of_.x[b] + row * k, rows, k, step_);
        for (int i = 0; i < k; i += tall)
          for (int j = 0; j < k; j += wide) add_tile(b, i, j, rows);
      }
    }
  }
  DenseElement<T> sum(int b, int i, int j) const {
    const double* const at = sum_.data() + size(b) + i * step_ + j;
    if constexpr (parts == 1)
      return *at;
    else
      return {at[0], at[step_ * step_]};
  }

 private:
  std::size_t size(int blocks) const { return static_cast<std::size_t>(blocks * parts * step_ * step_); }
  /// conj(x) y = xr yr + xi yi + i (xr yi - xi yr)
  void add_tile(int b, int i, int j, int rows) {
    for (int p = 0; p < parts; ++p) {
      Tile tile;
      tile.add<false>(rows, x_.at(0) + i, step_, 1, y_.at(p) + j, step_);
      if constexpr (parts == 2) {
        if (p == 0)
          tile.add<false>(rows, x_.at(1) + i, step_, 1, y_.at(1) + j, step_);
        else
          tile.add<true>(rows, x_.at(1) + i, step_, 1, y_.at(0) + j, step_);
      }
      tile.add_to(sum_.data() + size(b) + static_cast<std::size_t>(p * step_ * step_ + i * step_ + j), step_);
    }
  }

  const BlockList<T>& of_;
  int step_;
  std::vector<double> sum_;
  Panels<T> x_, y_;
};

/// y = sum_b x_b c_b of a share of the rows.
template <class T>
class CombineShare {
  static constexpr int parts = Panels<T>::parts;

 public:
  explicit CombineShare(const CombineRequest<T>& request)
      : request_(request),
        k_(request.of.columns),
        step_(padded(k_)),
        c_(static_cast<std::size_t>(request.of.blocks)),
        x_(c_.size()) {
    for (std::size_t b = 0; b < c_.size(); ++b)
      c_[b].unpack(request.coefficient + static_cast<std::ptrdiff_t>(b) * k_ * k_, k_, k_, step_);
  }
  void run(offset first, offset last) {
    for (offset row = first; row < last; row += strip) {
      const int rows = static_cast<int>(std::min<offset>(strip, last - row));
      for (std::size_t b = 0; b < x_.size(); ++b) x_[b].unpack(request_.of.x[b] + row * k_, rows, k_, step_);
      y_.clear();
      for (int r = 0; r < rows; r += tall)
        for (int j = 0; j < k_; j += wide) add_tile(r, j);
      store(row, rows);
    }
  }

 private:
  /// x c = xr cr - xi ci + i (xr ci + xi cr)
  void add_tile(int r, int j) {
    for (int p = 0; p < parts; ++p) {
      Tile tile;
      for (std::size_t b = 0; b < x_.size(); ++b) {
        tile.add<false>(k_, x_[b].at(0) + r * step_, 1, step_, c_[b].at(p) + j, step_);
        if constexpr (parts == 2) {
          if (p == 0)
            tile.add<true>(k_, x_[b].at(1) + r * step_, 1, step_, c_[b].at(1) + j, step_);
          else
            tile.add<false>(k_, x_[b].at(1) + r * step_, 1, step_, c_[b].at(0) + j, step_);
        }
      }
      tile.add_to(y_.own(p) + r * step_ + j, step_);
    }
  }
  void store(offset row, int rows) {
    using R = RealOf<T>;
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < k_; ++j) {
        const int from = r * step_ + j;
        T sum;
        if constexpr (parts == 1)
          sum = static_cast<R>(y_.own(0)[from]);
        else
          sum = T(static_cast<R>(y_.own(0)[from]), static_cast<R>(y_.own(1)[from]));
        T& to = request_.y[(row + r) * k_ + j];
        to = request_.adds ? to + sum : sum;
      }
  }

  const CombineRequest<T>& request_;
  int k_, step_;
  std::vector<Panels<T>> c_, x_;
  Panels<T> y_;
};

}  // namespace

template <class T>
void gram_host(const GramRequest<T>& request) {
  const BlockList<T>& of = request.of;
  const int k = of.columns, parts = request.parts;
  const std::ptrdiff_t count = std::ptrdiff_t{of.blocks} * k * k;
#pragma omp parallel for schedule(static) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    GramShare<T> share(of);
    share.add(of.rows * part / parts, of.rows * (part + 1) / parts);
    for (std::ptrdiff_t e = 0; e < count; ++e)
      request.partial[part * count + e] =
          share.sum(static_cast<int>(e / (k * k)), static_cast<int>(e / k % k), static_cast<int>(e % k));
  }
  for (std::ptrdiff_t e = 0; e < count; ++e) {
    request.sum[e] = request.partial[e];
    for (int part = 1; part < parts; ++part) request.sum[e] += request.partial[part * count + e];
  }
}

template <class T>
void combine_blocks_host(const CombineRequest<T>& request, int threads) {
  const offset rows = request.of.rows;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread)
    CombineShare<T>(request).run(rows * thread / threads, rows * (thread + 1) / threads);
}

SPMV_INSTANTIATE(gram_host);
SPMV_INSTANTIATE(combine_blocks_host);

}  // namespace spmv
