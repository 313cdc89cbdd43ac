// What several reports of a run say in the same words.
#pragma once

#include <optional>
#include <string>

#include "app/report/run_report.hpp"

namespace spmv {

// All of these are pure.

/// "correct", "WRONG" or "unchecked".
std::string verdict(const ModeResult& mode);

/// How much of the communication time the computation covered, from 0 to 1. Nothing if no rank needs elements of another
/// one, and if communication takes less time than the measurement error.
std::optional<double> hidden_share(const RunReport& report, const ModeResult& mode);

/// The same as "83 %", or "-".
std::string hidden_percent(const RunReport& report, const ModeResult& mode);

/// Whether modes were measured over other transports than each other.
bool transports_differ(const RunReport& report);

/// Whether a mode was measured over several transports.
bool several_transports(const RunReport& report);

/// Which transport moves the halo and why, in one sentence for all modes.
std::string transports_taken(const RunReport& report);

/// Which rows of a mode are wrong, and by how much: one line.
std::string what_is_wrong(const RunReport& report, const ModeResult& mode);

/// That layouts were not measured in turns; empty: they were.
std::string not_in_turns(const RunReport& report);

/// One line of a run that ended early.
std::string why_incomplete(const RunReport& report);

}  // namespace spmv
