#pragma once

#include "app/report/partitions_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Loads the matrix, asks every partitioner of the table for a partition on these ranks, and, if the user wants it,
/// multiplies over each of them in all modes. Collective; throws AgreedError. A wrong result is in the report, not an
/// error.
PartitionsReport compare_partitions(const Run& run);

}  // namespace spmv
