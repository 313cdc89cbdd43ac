// Writes a run's report while the run goes on. The run never reads it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/load.hpp"
#include "app/run/plan.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "comm/choose/choose_transport.hpp"
#include "dist/dist_matrix.hpp"

namespace spmv {

/// Results of one slot of the plan become one: faster_layout().
class Recorder {
 public:
  /// `mine`: this rank's bandwidth. Collective.
  Recorder(const Run& run, const Bandwidth& mine, RunReport& report);

  /// The matrix was built in one layout, which took so long. Collective.
  template <class T>
  void built(const DistMatrix<T>& matrix, double seconds);
  /// Something is about to be measured in this layout. What the report says of partition, footprint, model and format is
  /// that of the first layout of which that is so. Collective.
  template <class T>
  void describe(const Problem<T>& problem, const DistMatrix<T>& matrix);
  /// The transport of this measurement was set up, which took so long; `choice` is TransportTurns::choice().
  void set_up(const Measurement& measurement, const TransportChoice& choice, double seconds);
  void left_out(const LeftOut& left) { report_.left_out.push_back(left); }
  /// Everything that the plan has in these layouts is measured next, in turns. Local.
  void measured_together(const std::vector<std::string>& layouts);
  /// What is known of this measurement now, in place of what was before. The report then has all results so far, in the
  /// order of their slots. Collective.
  void measured(const Measurement& measurement, const ModeResult& result);

 private:
  const Run& run_;
  Bandwidth mine_;
  RunReport& report_;
  bool described_ = false;  // the matrix, in the first layout in which something is measured
  std::map<std::size_t, std::vector<ModeResult>> results_;  // by slot, one for each layout
};

/// Which of two results of one mode over one transport stands for both, with the other's time: the faster by
/// median, but one that is wrong before one that is right. `earlier` may stand for others already. Pure.
ModeResult faster_layout(ModeResult earlier, ModeResult later);

}  // namespace spmv
