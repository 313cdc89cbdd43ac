#pragma once

#include <string>

#include "app/run/run.hpp"

namespace spmv {

/// Measures how fast every format is on the device of every rank, all ranks at once, and keeps it in the tuning
/// cache. Returns what is to be told about it. Collective; throws AgreedError where there is no such file, or it
/// cannot be written.
std::string calibrate_machine(const Run& run);

}  // namespace spmv
