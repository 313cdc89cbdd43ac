#pragma once

#include <string>
#include <string_view>

#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "dist/place.hpp"

namespace spmv {

/// What this run runs in and on; complete on rank 0. Collective.
Environment find_environment(const Communicator& communicator, const Place& place);

/// Ascending numbers of cores as ranges, such as 0-3,8. Pure.
std::string core_ranges(const std::vector<int>& cores);

/// The version in what NVIDIA's driver says of itself in /proc/driver/nvidia/version; empty where there is none. Pure.
std::string driver_version(std::string_view text);

}  // namespace spmv
