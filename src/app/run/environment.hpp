#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "comm/place/sharing.hpp"
#include "dist/place.hpp"

namespace spmv {

/// Where every rank runs, by rank; on rank 0. Collective.
std::vector<RankPlace> gather_places(const Communicator& communicator, const Place& place);

/// What this run runs in and on; complete on rank 0. Collective.
Environment find_environment(const Communicator& communicator, const Place& place);

/// The version in what NVIDIA's driver says of itself in /proc/driver/nvidia/version; empty where there is none. Pure.
std::string driver_version(std::string_view text);

}  // namespace spmv
