// Fills in a run's report while the run goes on. The run never reads it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/load.hpp"
#include "app/run/measurements.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "comm/choose/choose_transport.hpp"
#include "dist/dist_matrix.hpp"

namespace spmv {

/// Of the results of a row of the report it gets that of faster_layout().
class Recorder {
 public:
  /// `mine`: this rank's bandwidth. Collective.
  Recorder(const Run& run, const Bandwidth& mine, RunReport& report);

  /// The matrix was built in one layout in `seconds`. Collective.
  template <class T>
  void built(const DistMatrix<T>& matrix, double seconds);
  /// The matrix is about to be measured in this layout. The first call fills in partition, footprint, model and format.
  /// Collective.
  template <class T>
  void describe(const Problem<T>& problem, const DistMatrix<T>& matrix);
  /// The transport of this measurement was set up in `seconds`; `choice` is RunTransports::choice(). Collective.
  void set_up(const Measurement& measurement, const TransportChoice& choice, double seconds);
  void left_out(const LeftOut& left) { report_.left_out.push_back(left); }
  /// These layouts are measured next, in turns. Local.
  void measured_together(const std::vector<std::string>& layouts);
  /// Replaces the result of this measurement. The report then has all results so far, in the order of their rows.
  /// Collective.
  void measured(const Measurement& measurement, const ModeResult& result);

 private:
  const Run& run_;
  Bandwidth mine_;
  RunReport& report_;
  bool described_ = false;                                  // describe() was called
  std::map<std::size_t, std::vector<ModeResult>> results_;  // by row, one for each layout
};

/// One of two results of a mode over a transport in two layouts, with the time of the other added: the one with the smaller
/// median, but a wrong one before a right one. `earlier` may have other layouts added already. Pure.
ModeResult faster_layout(ModeResult earlier, ModeResult later);

}  // namespace spmv
