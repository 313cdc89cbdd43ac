#include "app/run/format_choices.hpp"

#include <string>

#include "app/report/version.hpp"
#include "app/say.hpp"

namespace spmv {

FormatChoices::FormatChoices(const Run& run)
    : run_(run),
      cache_(run.options.tune_cache, cache_device(*run.place.backend, run.place.threads, program_version()),
             [](const std::string& sentence) { say("warning: " + sentence); }) {
  if (run_.automatic_format()) remembered_ = cache_.recall(run_.communicator);
}

void FormatChoices::keep(const Decision& decision) {
  if (!run_.automatic_format()) return;
  cache_.remember(run_.communicator, decision, run_.options.products);
  constexpr const char* any_block = "";
  remembered_.insert(remembered_.begin(), {any_block, decision.format, decision.options, decision.measured_s,
                                           run_.options.products});
}

}  // namespace spmv
