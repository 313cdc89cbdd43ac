#include "app/commands/model.hpp"

#include <utility>

#include "app/launch/machine.hpp"
#include "app/report/model_report.hpp"
#include "app/run/load.hpp"
#include "app/run/machine_file.hpp"
#include "app/run/x_reuse.hpp"
#include "core/cache_size.hpp"
#include "core/value_types.hpp"
#include "dist/bandwidth.hpp"
#include "dist/prepare/number_columns.hpp"

namespace spmv {
namespace {

template <class T>
ModelReport model_as(const Session& session, const ModelOptions& options, const Place& place,
                     const MatrixSource& source) {
  constexpr double giga = 1e9, mega = 1e6;
  constexpr std::size_t host_line = 64, gpu_sector = 32;
  const Communicator& communicator = session.communicator;
  ModelReport report;
  report.matrix = source.name;
  report.description = source.description;
  report.shape = source.shape;
  report.value = value_name<T>();
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

}  // namespace

void ModelOptions::declare(CLI::App& app) {
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

NamedFiles ModelOptions::files() const {
  return {{"the matrix", matrix_file, FileUse::read}, {"--json", json_file}};
}

ExitCode run_model(const Session& session, const ModelOptions& options) {
  const Place place = prepare_host(session.communicator);
  return conclude(session, with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
                    return model_as<typename decltype(tag)::Type>(session, options, place, source);
                  }));
}

}  // namespace spmv
