// A report with two modes, of which the second is wrong.
#pragma once

#include "app/report/run_report.hpp"

namespace spmv::test {

inline RunReport example() {
  RunReport report;
  report.command_line = R"(spmv_dist "my matrix, new.mtx" --mode all)";
  report.matrix = "my \"matrix\", new.mtx";
  report.shape = {10, 12};
  report.value = "double";
  report.ranks = 2;
  report.format = report.boundary_format = "pjds";
  report.versions = "spmv_dist 1\nMPI 2\n";
  report.places = {"node1: host", "node2: host"};
  report.partition.nonzeros = 33;
  report.partition.halo_total = 4;
  report.footprint = {33, 40, 50, 500};
  ModeResult vector;
  vector.mode = "vector";
  vector.verified = true;
  vector.median_s = 0.25;
  vector.repetitions = 20;
  vector.phases = {{Phase::merged, 0.1, 0.2, 0.3}};
  vector.timeline = {{{Phase::merged, 0, 2e-6}}, {{Phase::mpi, 1e-6, 3e-6}}};
  ModeResult task = vector;
  task.mode = "task";
  task.rows_wrong = 3;
  task.worst_row = 6;
  task.worst_ratio = 1e5;
  report.modes = {vector, task};
  return report;
}

}  // namespace spmv::test
