#pragma once

#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/plan.hpp"
#include "app/run/prepared.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "app/run/verify.hpp"
#include "dist/modes.hpp"

namespace spmv {

/// Decides from the same numbers on every rank whether more products would change the median.
class Settling {
 public:
  /// `median`: of everything so far, after each further part of it. Whether it has settled.
  bool settled(double median);

 private:
  double last_ = -1;
  int close_ = 0;
};

/// One mode's products in one layout over one transport, which is set up and moves the halo at this moment: verified,
/// measured in turns with others, verified again.
template <class T>
class Series {
 public:
  /// Verifies the first products and runs those that are not measured. `prepared` and `problem` must outlive this.
  /// Collective.
  Series(const Run& run, Prepared<T>& prepared, const Measurement& measurement, const Problem<T>& problem);

  const Measurement& measurement() const { return measurement_; }
  /// What is known so far: the first verification, and the times of all turns. Collective.
  const ModeResult& result();

  /// Whether its median would gain by more products, and there is time for them. The same on every rank.
  bool wants_turn() const;
  /// Runs products that are not measured, until whatever others have left in caches and cores is gone, and then some that
  /// are. Collective.
  void take_turn();
  /// Behind all turns: times the phases of a few products, and the exchange alone, and verifies once more. Collective.
  void finish();

  /// Writes the y that the user wants. Collective; throws AgreedError.
  void write_product() const;

 private:
  void verify_products(OldData old_data);
  std::vector<double> time_in_a_row(int count);
  void keep_times();

  const Run& run_;
  Prepared<T>& prepared_;
  Measurement measurement_;
  const Problem<T>& problem_;
  const Mode<T>& mode_;
  ModeResult result_;
  std::vector<double> seconds_;  // per product, maximum over ranks
  Settling settling_;
  double single_s_ = 0;  // about, of one product by itself
  double spent_s_ = 0;   // on all turns; the slowest rank's
  double waited_s_ = 0;  // of it without a core
};

}  // namespace spmv
