#pragma once

#include "app/report/partitions_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Loads the matrix and lets every partitioner of the table partition it for these ranks; with --measure, times products
/// over each partition in all modes. A wrong result is in the report, not an error. Collective; throws AgreedError.
PartitionsReport compare_partitions(const Run& run);

}  // namespace spmv
