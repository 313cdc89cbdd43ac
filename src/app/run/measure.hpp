#pragma once

#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/measurements.hpp"
#include "app/run/prepared.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/modes.hpp"

namespace spmv {

/// Decides from the same numbers on every rank whether more products would change the median.
class Settling {
 public:
  /// `median`: of all times so far; called after each turn. Returns whether it has settled.
  bool settled(double median);

 private:
  double last_ = -1;
  int close_ = 0;
};

/// The products of one mode in one layout over one transport, which must be set up: verified, timed in turns with other
/// series, and verified again.
template <class T>
class Series {
 public:
  /// Verifies the first products and runs those that are not measured. `prepared` and `problem` must outlive this.
  /// Collective.
  Series(const Run& run, Prepared<T>& prepared, const Measurement& measurement, const Problem<T>& problem);

  const Measurement& measurement() const { return measurement_; }
  /// The result so far: of the first verification and of all turns. Collective.
  const ModeResult& result();

  /// Whether more products would improve the median and there is time for them. The same on every rank.
  bool wants_turn() const;
  /// Runs products until caches and cores no longer show what ran before, and then times some. Collective.
  void take_turn();
  /// After all turns: times the phases of a few products and the exchange alone, and verifies again. Collective.
  void finish();

  /// Writes y to the file of option --write-y. Collective; throws AgreedError.
  void write_product() const;

 private:
  /// What the vectors hold before a product that is verified: NaN wherever it must write, or what the last product left.
  enum class OldData { poisoned, kept };

  /// Multiplies every x once, compares each row of y with the reference and adds wrong rows to the result. Collective.
  void verify_products(OldData old_data);
  void add_mismatch(const Mismatch& mismatch);
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
  double single_s_ = 0;  // of one product by itself, roughly
  double spent_s_ = 0;   // on all turns; the slowest rank's
  double waited_s_ = 0;  // part of spent_s_ in which a thread waited for a core
};

}  // namespace spmv
