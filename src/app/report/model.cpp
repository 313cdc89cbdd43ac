#include "app/report/model.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spmv {
namespace {

/// Bytes of one product per rank at a given alpha.
double bytes(const ModelInput& in, double alpha) {
  return memory_bytes(in.rows, in.nonzeros, balance_bytes(in.value_bytes, alpha));
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
  m.nonzero_bytes = balance_bytes(in.value_bytes, 0).nonzero;
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

double kernel_seconds(const ModeResult& mode) {
  double sum = 0;
  for (const PhaseStats& stats : mode.phases)
    if (stats.phase == Phase::merged || stats.phase == Phase::interior || stats.phase == Phase::boundary)
      sum += stats.max;
  return sum;
}

std::string why_no_model(const RunReport& r) {
  constexpr double compressed = 0.95, padded = 1.25, noisy = 0.1;
  const auto nonzeros = static_cast<double>(r.partition.nonzeros);
  if (nonzeros == 0 || r.model.t_mvm_best == 0) return "there is nothing to multiply";
  if (r.columns > 1) return "it is of products with one vector";
  const double per_nonzero = r.footprint.bytes / nonzeros;
  if (per_nonzero < compressed * r.model.nonzero_bytes)
    return fmt::format("the format packs a nonzero into {:.1f} bytes, of which the model counts {:.0f}",
                       per_nonzero, r.model.nonzero_bytes);
  const double stored = static_cast<double>(r.footprint.stored_elements) / nonzeros;
  if (stored > padded)
    return fmt::format("the format stores {:.1f} elements for a nonzero, of which the model counts one",
                       stored);
  if (const double mine = r.footprint.bytes / r.ranks; mine < r.cache_bytes)
    return fmt::format("a rank's {:.3g} MB fit its {:.3g} MB of cache", mine * 1e-6, r.cache_bytes * 1e-6);
  if (r.bandwidth.spread > noisy)
    return fmt::format("the bandwidth that it goes by was measured with a spread of {:.0f} %",
                       100 * r.bandwidth.spread);
  return {};
}

Alpha alpha_of(const RunReport& r, const ModeResult& mode) {
  constexpr double tolerance = 0.1;  // of a measurement
  if (std::string why = why_no_model(r); !why.empty()) return {{}, std::move(why)};
  if (!mode.marks.empty())
    return {{}, "the times are marked as " + fmt::format("{}", fmt::join(mode.marks, ", "))};
  const double alpha = implied_alpha(r.model, kernel_seconds(mode));
  if (alpha < r.model.best_alpha - tolerance * std::max(r.model.best_alpha, tolerance))
    return {{}, "the kernels are faster than memory at the measured bandwidth: caches serve them"};
  if (alpha > 1 + tolerance)
    return {{}, "the kernels take longer than the model's longest: something else limits them"};
  return {alpha, {}};
}

}  // namespace spmv
