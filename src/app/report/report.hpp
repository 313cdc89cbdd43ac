// The run's results for people (stdout), for programs (JSON, CSV) and for timeline viewers.
#pragma once

#include <string>

#include "app/report/run_report.hpp"

namespace spmv {

/// The whole report as aligned text, ending in the comparison table. Pure.
std::string to_text(const RunReport& report);

/// Everything, as one JSON object. Pure.
std::string to_json(const RunReport& report);

/// A header line and one line per mode, each with its environment. Pure.
std::string to_csv(const RunReport& report);

/// The timeline of one product of every mode and rank in Chrome's trace format; times in microseconds since
/// the product began on its rank. Pure.
std::string to_trace(const RunReport& report);

/// Throws what write_file would throw, before a long run instead of after it. Local.
void require_writable(const std::string& path);

/// Writes a file whole or not at all: a failed write leaves what was there. Throws Error(environment). Local.
void write_file(const std::string& path, const std::string& text);

}  // namespace spmv
