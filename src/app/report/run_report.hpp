// The results of a run, as plain data: the run writes them and never reads them; reports are made of them.
// Complete on rank 0. Times are in seconds, sizes in bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/report/overlap.hpp"
#include "app/report/pictures.hpp"
#include "app/report/run_head.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/phase_log.hpp"
#include "dist/layouts.hpp"
#include "dist/machine/bandwidth.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// Sums over the ranks of one layout's operators.
struct FootprintStats {
  gidx nonzeros = 0;
  gidx stored_elements = 0;
  gidx ellpack_elements = 0;
  double bytes = 0;
  double moved_bytes = 0;  // by a product, at least: Traffic

  /// [Kreutzer 2012, Table 1, first row]: how much less than ELLPACK is stored.
  double reduction() const {
    return ellpack_elements > 0
               ? 1 - static_cast<double>(stored_elements) / static_cast<double>(ellpack_elements)
               : 0;
  }
};

/// How long one phase took: of each rank the median over products, of these the least, median and largest.
struct PhaseStats {
  Phase phase;
  double min = 0;
  double median = 0;
  double max = 0;
};

/// [Kreutzer 2012, Eq. 1 and 2] with this machine's bandwidths, for the rank that needs longest.
struct Model {
  double nonzeros_per_row = 0;
  double best_alpha = 0;     // 1 / nonzeros_per_row: every element of x is loaded from memory only once
  double balance_best = 0;   // code balance, bytes per flop, at best_alpha
  double balance_worst = 0;  // at alpha = 1
  double t_mvm_best = 0;     // T_MVM, seconds
  double t_mvm_worst = 0;
  double t_pci = 0;          // T_PCI: x and y over PCIe; 0 with vectors on the device
  double t_halo = 0;         // the halo over PCIe, both ways
  double nonzero_bytes = 0;  // that Eq. 1 counts for the value and the column of a nonzero
};

/// A layout in which a mode was measured, but whose result is not reported.
struct OtherLayout {
  std::string layout;
  double median_s;
  gidx rows_wrong;
  double median_low_s = 0;  // as in ModeResult
  double median_high_s = 0;
};

struct ModeResult {
  std::string mode;               // times are of products with all columns
  std::string transport;          // that moved the halo
  bool chosen = false;            // by transport auto
  std::string layout = "merged";  // that everything below was measured in
  std::vector<OtherLayout> other_layouts;
  bool verified = false;
  double first_right_s =
      0;  // from the program's start to its first verified product; 0: not right, or not verified
  gidx rows_wrong = 0;
  gidx worst_row = -1;  // id as in the source
  double worst_ratio = 0;
  int repetitions = 0;
  int products_in_a_row = 1;  // of a repetition, queued one after the other; times are of one of them
  bool settled = false;
  double waited_for_core = 0;     // share of the time in which a thread of some rank had no core
  std::vector<double> samples_s;  // of the maximum over ranks, per product, in the order of measurement
  double median_s = 0;
  double median_low_s = 0;  // of the interval that holds the median with 95 % confidence: median_interval()
  double median_high_s = 0;
  double min_s = 0;
  double p95_s = 0;
  std::vector<std::string> marks;  // why not to trust the median: see judge()
  std::string marks_cause;         // the likely cause in a few words; empty without marks
  std::string marks_reason;        // one sentence with the cause; empty without marks
  double gflops = 0;
  double gbytes_per_s =
      0;  // of effective_bytes(); like gflops 0 for a product of nothing, or too short to be timed
  double halo_alone_s = 0;  // gather, D2H, MPI, H2D with nothing beside them
  double hidden_share = 0;  // of halo_alone_s, 0 to 1
  int compute_threads = 0;
  bool comm_thread = false;  // whether the communication thread moves the halo
  std::vector<PhaseStats> phases;
  std::vector<std::vector<Interval>> timeline;  // the product of median length, per rank; on rank 0
  Overlap overlap;                              // of the timeline; on rank 0
};

/// What was not measured, and why: a mode over a transport, or a mode in a layout.
struct LeftOut {
  std::string mode;       // empty: no mode was measured over this transport
  std::string transport;  // empty: the mode was measured in this layout over no transport
  std::string reason;
  std::string layout = {};  // empty: in none of them

  bool operator==(const LeftOut& other) const {
    return mode == other.mode && transport == other.transport && layout == other.layout;
  }
};

/// How format auto chose, on rank 0; seconds are the slowest rank's.
struct TuningStats {
  bool automatic = false;  // false: the user named the format
  double products = 0;     // that the format is for
  std::string hint;
  Decision decision;
  Decision boundary_decision;
  double seconds = 0;           // on trials, of all layouts
  double cost_in_products = 0;  // as many products of the chosen format take as long; 0 where none was timed
};

/// What products were measured of, and what was measured.
struct RunReport : RunHead {
  std::string format;  // as named, or as chosen: "sell_packed (3 of 4 ranks), csr (1)"
  std::string boundary_format;
  TuningStats tuning;
  int block_rows = 0;
  std::string transport;                   // as named, or as chosen; of several, separated by commas
  TransportChoice transport_choice;        // of transport auto, or of the first one named
  TransportChoice queued_exchange_choice;  // of modes that need a queued exchange; without a name: none ran
  double build_s = 0;
  double first_product_s = 0;  // from the program's start to the first product that was right; 0: none was
  FootprintStats footprint;
  bool columns_together = true;  // the formats of all ranks read the matrix once for all columns
  Bandwidth bandwidth;           // sum over ranks; the spread is the largest
  double cache_bytes = 0;        // that a rank may count on; 0: not known
  Model model;
  std::vector<std::vector<std::string>>
      turns;                      // layouts in which products were measured in turns; one set after the other
  std::vector<ModeResult> modes;  // in the order of the user's list, each over one transport after the other
  std::vector<LeftOut> left_out;
  Pictures pictures;  // empty in a run that ended before it was through
};

}  // namespace spmv
