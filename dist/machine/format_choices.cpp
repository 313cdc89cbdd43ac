#include "dist/machine/format_choices.hpp"

#include <utility>

namespace spmv {

FormatChoices::FormatChoices(const Communicator& communicator, TuningCache cache, double products)
    : wanted_(true), products_(products), cache_(std::move(cache)) {
  RememberedTuning tuning = cache_.remembered(communicator);
  remembered_ = std::move(tuning.choices);
  calibration_ = std::move(tuning.calibration);
}

void FormatChoices::keep(const Communicator& communicator, const Decision& decision) {
  if (!wanted_) return;
  cache_.remember(communicator, decision, products_);
  constexpr const char* any_block = "";
  remembered_.insert(remembered_.begin(),
                     {any_block, decision.format, decision.options, decision.measured_s, products_});
}

}  // namespace spmv
