// spmv_dist model: whether a matrix is worth a GPU, without a product.
#include <utility>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/report/model_report.hpp"
#include "app/run/load.hpp"
#include "app/run/machine_file.hpp"
#include "app/run/x_reuse.hpp"
#include "core/this_machine.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/prepare/number_columns.hpp"

namespace spmv {
namespace {

struct ModelOptions : ReportOptions {
  std::string machine = default_machine;  // its memory is the GPU's
  double pcie_gbytes = 50;                // to the GPU and back, GB/s
  double gpu_cache_mbytes = 50;

  void declare(CLI::App& app) {
    constexpr double most = 1e6;
    declare_matrix(app, *this);
    declare_machine(app, machine);
    declare_number(app, "--pcie", pcie_gbytes, "bandwidth between the host and that GPU, GB/s each way", 1e-3,
                   most)
        ->group("Plan");
    declare_number(app, "--gpu-cache", gpu_cache_mbytes, "cache of that GPU, MB", 0, most)->group("Plan");
    declare_timeout(app, timeout);
    declare_json(app, json_file, "write all of it");
  }
  void check() const { check_matrix(*this); }
  NamedFiles files() const {
    NamedFiles all = ReportOptions::files();
    all.push_back({"--machine", file_of_machine(machine), FileUse::read});
    return all;
  }
};

template <class T>
ModelReport model_as(const Session& session, const ModelOptions& options, const Place& place,
                     const MatrixSource& source) {
  constexpr double giga = 1e9, mega = 1e6;
  constexpr std::size_t host_line = 64, gpu_sector = 32;
  const Communicator& communicator = session.communicator;
  ModelReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.value_bytes = sizeof(T);
  report.flops_per_nonzero = ValueTraits<T>::flops_per_nonzero;
  report.pcie = options.pcie_gbytes * giga;
  report.gpu.bandwidth =
      communicator.together([&] { return find_described_machine(options.machine).memory; });
  report.gpu.cache_bytes = options.gpu_cache_mbytes * mega;
  const Csr<T> block = [&] {
    RowBlock<T> rows = load_with_progress<T>(session, source, RowPartition::even(source.shape.rows, 1));
    return communicator.together([&] { return number_columns(std::move(rows), 0, source.shape.cols).block; });
  }();
  report.nonzeros = block.nonzeros();
  session.watchdog.stage("measuring bandwidths", {.quiet = true});
  constexpr double beyond_caches = 1e12;
  report.host.bandwidth = measure_bandwidth(communicator, *place.backend, beyond_caches).copy;
  report.host.cache_bytes = processor_cache_bytes();
  session.watchdog.stage("walking the pattern");
  communicator.together([&] {
    report.host.alpha =
        alpha_of_pattern(block.row_ptr, block.col, sizeof(T), {report.host.cache_bytes, host_line});
    report.gpu.alpha =
        alpha_of_pattern(block.row_ptr, block.col, sizeof(T), {report.gpu.cache_bytes, gpu_sector});
  });
  return report;
}

/// Loads the pattern of the whole matrix and walks it through the caches of this host and of a GPU; measures the host's
/// bandwidth. On one rank. Collective; throws AgreedError.
ExitCode run_model(const Session& session, const ModelOptions& options) {
  const Place place = prepare_host(session.communicator);
  return conclude(session, with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
                    return model_as<typename decltype(tag)::Type>(session, options, place, source);
                  }));
}

}  // namespace

std::unique_ptr<Command> declare_model(CLI::App& app) {
  return command<ModelOptions, run_model>(app);
}

}  // namespace spmv
