#include "dist/machine/product_time.hpp"

#include <algorithm>

namespace spmv {
namespace {

double exchange_time(gidx halo, gidx neighbours, double element_bytes, double bytes_per_s, double message_s) {
  if (halo == 0) return 0;
  return static_cast<double>(halo) * element_bytes / bytes_per_s +
         static_cast<double>(neighbours) * message_s;
}

double read_halo(const PartShare& s, const ProductRates& r) {
  return static_cast<double>(s.halo) * r.bytes.element / r.memory;
}

/// Seconds of a part's product in each layout, without the reading of the halo.
LayoutTimes predict_part(const PartShare& s, const ProductRates& r) {
  // The halo is gathered, stored where it arrives, and perhaps copied from there: reads and writes on both sides.
  constexpr double moves_of_halo = 4;
  const double memory_s = moves_of_halo * read_halo(s, r);
  return predict_layouts(s, r.bytes, r.memory,
                         exchange_time(s.halo, s.neighbours, r.bytes.element, r.exchange, r.message_s),
                         memory_s);
}

ModeTimes predict_share(const PartShare& s, const ProductBytes& bytes, const Machine& m) {
  const double exchange = std::max(
      exchange_time(s.near_halo, s.near_neighbours, bytes.element, m.near_exchange, m.near_message_s),
      exchange_time(s.halo - s.near_halo, s.neighbours - s.near_neighbours, bytes.element, m.far_exchange,
                    m.far_message_s));
  const LayoutTimes layouts = predict_layouts(s, bytes, m.memory, exchange);
  const double handed_over = s.halo > 0 ? m.thread_s : 0;
  ModeTimes times;
  times.vector = m.product_s + layouts.merged;
  times.naive = times.vector + memory_bytes(boundary_of(s).rows, 0, bytes) / m.memory;
  times.task =
      m.product_s + std::min({handed_over + layouts.split, handed_over + layouts.parted, layouts.merged});
  times.device = m.product_s + std::min(layouts.parted, layouts.merged);
  return times;
}

}  // namespace

ProductBytes balance_bytes(double value_bytes, double alpha) {
  constexpr double index_bytes = sizeof(lidx);
  return {.nonzero = value_bytes + index_bytes + alpha * value_bytes,
          .row = 2 * value_bytes,
          .element = value_bytes};
}

double memory_bytes(double rows, double nonzeros, const ProductBytes& bytes) {
  return nonzeros * bytes.nonzero + rows * bytes.row;
}

BoundaryShare boundary_of(const PartShare& share) {
  const auto rows = static_cast<double>(share.rows), nonzeros = static_cast<double>(share.nonzeros);
  if (share.sampled_nonzeros > 0) {
    const double row_scale = rows / static_cast<double>(share.sampled_rows);
    const double scale = nonzeros / static_cast<double>(share.sampled_nonzeros);
    return {static_cast<double>(share.boundary_rows) * row_scale,
            static_cast<double>(share.boundary_nonzeros) * scale,
            static_cast<double>(share.nonlocal_nonzeros) * scale};
  }
  if (share.columns == 0 || share.rows == 0) return {};
  const double nonlocal = nonzeros * static_cast<double>(share.halo) / static_cast<double>(share.columns);
  const double boundary_rows = std::min(rows, nonlocal);
  return {boundary_rows, nonzeros * boundary_rows / rows, nonlocal};
}

LayoutTimes predict_layouts(const PartShare& share, const ProductBytes& bytes, double memory,
                            double exchange_s, double memory_s) {
  const auto seconds = [&](double rows, double nonzeros) {
    return memory_bytes(rows, nonzeros, bytes) / memory;
  };
  const auto rows = static_cast<double>(share.rows), nonzeros = static_cast<double>(share.nonzeros);
  const BoundaryShare boundary = boundary_of(share);
  LayoutTimes times;
  times.split = std::max(exchange_s, seconds(rows, nonzeros - boundary.nonlocal) + memory_s) +
                seconds(boundary.rows, boundary.nonlocal);
  times.parted =
      std::max(exchange_s, seconds(rows - boundary.rows, nonzeros - boundary.nonzeros) + memory_s) +
      seconds(boundary.rows, boundary.nonzeros);
  times.merged = exchange_s + seconds(rows, nonzeros);
  return times;
}

double predicted_product(const std::vector<PartShare>& shares, const ProductRates& rates) {
  double slowest = 0;
  for (const PartShare& share : shares) {
    const LayoutTimes times = predict_part(share, rates);
    slowest =
        std::max(slowest, read_halo(share, rates) + std::min({times.split, times.parted, times.merged}));
  }
  return slowest;
}

double most_of_a_product(const PartShare& part, const ProductRates& rates) {
  return read_halo(part, rates) + predict_part(part, rates).merged;
}

double least_product(const std::vector<PartShare>& shares, const ProductRates& rates) {
  PartShare all;
  for (const PartShare& s : shares) {
    all.rows += s.rows;
    all.nonzeros += s.nonzeros;
  }
  return predict_part(all, rates).merged / static_cast<double>(std::max<std::size_t>(shares.size(), 1));
}

const std::vector<Machine>& machines() {
  static const std::vector<Machine> table = {
      {"h200-nvlink", "8 NVIDIA H200 a node, NVLink between them, 400 Gbit/s a GPU between nodes", 8, 4.2e12,
       200e9, 5e-6, 40e9, 15e-6, 5e-6, 8e-6},
      {"h100-nvlink", "8 NVIDIA H100 a node, NVLink between them, 400 Gbit/s a GPU between nodes", 8, 3.0e12,
       200e9, 5e-6, 40e9, 15e-6, 5e-6, 8e-6},
      {"a100-pcie", "4 NVIDIA A100 a node over PCIe 4, 100 Gbit/s for all four between nodes", 4, 1.6e12,
       18e9, 10e-6, 2.8e9, 25e-6, 6e-6, 10e-6},
      {"epyc-node", "128 cores as 8 ranks a node, 12 memory channels, 200 Gbit/s between nodes", 8, 45e9, 5e9,
       2e-6, 3e9, 4e-6, 1e-6, 2e-6},
  };
  return table;
}

ModeTimes predict_modes(const std::vector<PartShare>& shares, const ProductBytes& bytes,
                        const Machine& machine) {
  ModeTimes slowest;
  for (const PartShare& share : shares) {
    const ModeTimes times = predict_share(share, bytes, machine);
    slowest.vector = std::max(slowest.vector, times.vector);
    slowest.naive = std::max(slowest.naive, times.naive);
    slowest.task = std::max(slowest.task, times.task);
    slowest.device = std::max(slowest.device, times.device);
  }
  return slowest;
}

}  // namespace spmv
