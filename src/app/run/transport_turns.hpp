// Transports that take turns in moving the halo of one matrix.
#pragma once

#include <string>

#include "app/options.hpp"
#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "dist/dist_matrix.hpp"

namespace spmv {

/// Lets the transport that was named `asked` move the matrix's halo in products of `mode`, with the probe and
/// the needs of `wanted`, and reports what was chosen. False: it cannot, and `report` says why; where it is
/// the only one named, and the mode was, throws AgreedError. Collective.
template <class T>
bool take_turn(const Communicator& communicator, const Options& options, const DistOptions& wanted,
               const std::string& asked, const std::string& mode, DistMatrix<T>& matrix, RunReport& report);

/// Throws AgreedError(environment) with all reasons where no mode could be measured with any transport.
void require_some_turn(const RunReport& report);

}  // namespace spmv
