// What every partitioner makes of one matrix.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_parts.hpp"
#include "core/types.hpp"
#include "dist/partition/part_shares.hpp"

namespace spmv {

/// One partitioner's.
struct PartitionOutlook {
  std::string partitioner;
  std::string refused;  // why there is no partition; empty: there is one, and everything below is known
  std::string reason;   // of one that chooses among others
  double seconds = 0;   // that it took
  std::vector<PartShare> shares;
  double predicted_s = 0;  // of a product
  /// If products were measured: to move the rows and build the fastest mode's layout. Like `seconds` the shorter of two
  /// times, if both are short.
  double setup_s = 0;
  double measured_s = 0;  // of a product, the fastest mode's median; 0: none was measured
  std::string mode;       // the fastest
  std::string layout;     // that it was fastest in
  std::string format;     // of the layout that was built first, as in RunReport
  gidx rows_wrong = 0;    // of all modes together, the most where two looks were taken
};

/// Takes the shorter times of partitioning and set-up from a repetition for the same partition: disturbances only make them
/// longer. Keeps the wrong rows of both; a refused repetition changes nothing else. Pure.
void keep_least(PartitionOutlook& outlook, const PartitionOutlook& again);

struct PartitionsReport : MatrixFacts {
  int ranks = 1;
  double load_s = 0;
  double products = 0;  // that the total is for
  std::vector<PartitionOutlook> outlooks;

  /// Whether a product was wrong.
  bool wrong() const;
};

/// For people. Pure.
std::string to_text(const PartitionsReport& report);

/// Everything, with the share of every rank, as one JSON object. Pure.
std::string to_json(const PartitionsReport& report);

}  // namespace spmv
