#include "app/run/pipeline.hpp"

#include <string>
#include <utility>

#include "app/run/collect_pictures.hpp"
#include "app/run/load.hpp"
#include "app/run/measure_all.hpp"
#include "app/run/measurements.hpp"
#include "app/run/placed_matrix.hpp"
#include "app/run/recorder.hpp"

namespace spmv {
namespace {

template <class T>
RunReport run_as(const Run& run, const MatrixSource& source, RunReport report) {
  report.boundary_format = nonlocal_format(run.options);
  report.tuning.automatic = run.automatic_format();
  report.tuning.products = run.options.products;
  report.tuning.hint = run.options.hint;
  const PlacedMatrix<T> placed = place_matrix<T>(run, source, report);
  const Bandwidth& mine = placed.bandwidth;
  const bool chooses = run.automatic_format() || nonlocal_format(run.options) == auto_format;
  const double tuning = chooses ? tuning_bandwidth(run.communicator, *run.place.backend, mine) : 0;

  Recorder recorder(run, mine, report);
  const Measurements measurements =
      list_measurements(run.options, has_halo(run.communicator, placed.problem.rows));
  measure_all(run, measurements, placed.problem, tuning, recorder);
  report.pictures = collect_pictures(run, placed.problem);
  return report;
}

}  // namespace

RunReport run_pipeline(const Run& run, RunReport begun) {
  return with_matrix(run, run.options, [&](auto tag, const MatrixSource& source) {
    return run_as<typename decltype(tag)::Type>(run, source, std::move(begun));
  });
}

}  // namespace spmv
