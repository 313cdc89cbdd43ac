#include "dist/machine_model.hpp"

#include <algorithm>

namespace spmv {
namespace {

ModeTimes predict_share(const PartShare& s, const ElementBytes& bytes, const Machine& m) {
  const auto count = [](gidx number) { return static_cast<double>(number); };
  const auto seconds = [&](double rows, double nonzeros) {
    return (nonzeros * bytes.nonzero + rows * bytes.row) / m.memory;
  };
  const BoundaryShare waits = boundary_of(s);
  const double all = seconds(count(s.rows), count(s.nonzeros));
  const double nonlocal = seconds(0, waits.nonlocal), y_again = seconds(waits.rows, 0);
  const double boundary = seconds(waits.rows, waits.nonzeros);
  const auto exchange_of = [&](gidx halo, gidx neighbours, double rate, double message_s) {
    return halo > 0 ? count(halo) * bytes.element / rate + count(neighbours) * message_s : 0;
  };
  const double exchange = std::max(
      exchange_of(s.near_halo, s.near_neighbours, m.near_exchange, m.near_message_s),
      exchange_of(s.halo - s.near_halo, s.neighbours - s.near_neighbours, m.far_exchange, m.far_message_s));
  const double handed_over = s.halo > 0 ? m.thread_s : 0;
  ModeTimes times;
  times.vector = m.product_s + exchange + all;
  times.naive = times.vector + y_again;
  times.task =
      m.product_s + std::min({handed_over + std::max(exchange, all - nonlocal) + nonlocal + y_again,
                              handed_over + std::max(exchange, all - boundary) + boundary, exchange + all});
  times.device = m.product_s + std::min(std::max(exchange, all - boundary) + boundary, exchange + all);
  return times;
}

}  // namespace

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

ModeTimes predict_modes(const std::vector<PartShare>& shares, const ElementBytes& bytes,
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
