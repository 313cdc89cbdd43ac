#pragma once

#include <string>
#include <vector>

#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "comm/place/sharing.hpp"
#include "dist/machine/place.hpp"

namespace spmv {

/// Where every rank runs, by rank; on rank 0. Collective.
std::vector<RankPlace> gather_places(const Communicator& communicator, const Place& place);

/// The environment of this run; complete on rank 0. Collective.
Environment find_environment(const Communicator& communicator, const Place& place);

/// The version of NVIDIA's driver in the text of /proc/driver/nvidia/version; empty if there is none. Pure.
std::string driver_version(const std::string& text);

}  // namespace spmv
