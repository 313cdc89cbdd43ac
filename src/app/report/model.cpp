#include "app/report/model.hpp"

namespace spmv {
namespace {

/// Bytes of one product per rank at a given alpha.
double bytes(const ModelInput& in, double alpha) {
  constexpr double index_bytes = sizeof(lidx);
  return in.nonzeros * (in.value_bytes + index_bytes + in.value_bytes * alpha) + in.rows * 2 * in.value_bytes;
}

}  // namespace

Model model(const ModelInput& in, const Bandwidth& bandwidth) {
  Model m;
  if (in.rows == 0 || in.nonzeros == 0) return m;
  m.nonzeros_per_row = in.nonzeros / in.rows;
  m.best_alpha = 1 / m.nonzeros_per_row;
  const double flops = in.nonzeros * in.flops_per_nonzero;
  m.balance_best = bytes(in, m.best_alpha) / flops;
  m.balance_worst = bytes(in, 1) / flops;
  m.t_mvm_best = bytes(in, m.best_alpha) / bandwidth.copy;
  m.t_mvm_worst = bytes(in, 1) / bandwidth.copy;
  if (in.vectors_on_host)
    m.t_pci = in.value_bytes * (in.cols / bandwidth.to_device + in.rows / bandwidth.to_host);
  m.t_halo = in.value_bytes * (in.sent / bandwidth.to_host + in.ghosts / bandwidth.to_device);
  return m;
}

Model slowest(const Communicator& communicator, const Model& mine) {
  const double longest = communicator.max(mine.t_mvm_best);
  const gidx holder =
      communicator.min(mine.t_mvm_best == longest ? gidx{communicator.rank()} : gidx{communicator.size()});
  Model model = communicator.all_gather(mine)[static_cast<std::size_t>(holder)];
  model.t_halo = communicator.max(mine.t_halo);
  model.t_pci = communicator.max(mine.t_pci);
  return model;
}

double implied_alpha(const Model& m, double kernel_seconds) {
  if (m.t_mvm_worst <= m.t_mvm_best) return 0;
  return m.best_alpha + (1 - m.best_alpha) * (kernel_seconds - m.t_mvm_best) / (m.t_mvm_worst - m.t_mvm_best);
}

}  // namespace spmv
