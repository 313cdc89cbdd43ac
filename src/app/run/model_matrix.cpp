#include "app/run/model_matrix.hpp"

#include <utility>

#include "app/run/load.hpp"
#include "app/run/machine_file.hpp"
#include "app/run/x_reuse.hpp"
#include "core/this_machine.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/prepare/number_columns.hpp"

namespace spmv {
namespace {

template <class T>
ModelReport model_as(const Run& run, const MatrixSource& source) {
  constexpr double giga = 1e9, mega = 1e6;
  constexpr std::size_t host_line = 64, gpu_sector = 32;
  const Communicator& communicator = run.communicator;
  const Options& options = run.options;
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
    RowBlock<T> rows = load_with_progress<T>(run, source, RowPartition::even(source.shape.rows, 1));
    return communicator.together([&] { return number_columns(std::move(rows), 0, source.shape.cols).block; });
  }();
  report.nonzeros = block.nonzeros();
  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  constexpr double beyond_caches = 1e12;
  report.host.bandwidth = measure_bandwidth(communicator, *run.place.backend, beyond_caches).copy;
  report.host.cache_bytes = processor_cache_bytes();
  run.watchdog.stage("walking the pattern");
  communicator.together([&] {
    report.host.alpha =
        alpha_of_pattern(block.row_ptr, block.col, sizeof(T), {report.host.cache_bytes, host_line});
    report.gpu.alpha =
        alpha_of_pattern(block.row_ptr, block.col, sizeof(T), {report.gpu.cache_bytes, gpu_sector});
  });
  return report;
}

}  // namespace

ModelReport model_matrix(const Run& run) {
  const MatrixSource source = find_source(run);
  return with_value_type(value_type(run.options, source),
                         [&](auto tag) { return model_as<typename decltype(tag)::Type>(run, source); });
}

}  // namespace spmv
