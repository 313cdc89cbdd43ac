#pragma once

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"

namespace spmv::test {

/// Whether a transport only queues work, on ranks of one node, as modes that queue whole products require.
/// Repeated here on purpose: a transport that stops being queued then fails tests instead of silently
/// dropping out of them. A new transport needs a line here.
inline bool only_queues_work(const std::string& transport) {
  static const std::map<std::string, bool> table = {
      {"staged", false}, {"shm", true},        {"shm_copy", false}, {"p2p", true},
      {"mpi", false},    {"gpu_aware", false}, {"nccl", true},      {"node_aware", true},
  };
  const auto row = table.find(transport);
  if (row == table.end()) ADD_FAILURE() << "transport " << transport << " is missing in " << __FILE__;
  return row != table.end() && row->second;
}

/// The matrix as `mode` needs it, or nullptr if the transport cannot do what the mode requires. Then the
/// refusal must be a usage error, and the transport one that does not only queue work. Collective.
template <class T>
std::unique_ptr<DistMatrix<T>> make_matrix(const Communicator& communicator, const DistributedRows<T>& rows,
                                           const Mode<T>& mode, DistOptions options,
                                           const std::shared_ptr<Backend>& backend) {
  options.needs_queued_exchange = mode.needs_queued_exchange;
  try {
    return std::make_unique<DistMatrix<T>>(communicator, rows, options, backend);
  } catch (const AgreedError& error) {
    if (!mode.needs_queued_exchange) throw;
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    EXPECT_FALSE(only_queues_work(options.transport)) << error.what();
    return nullptr;
  }
}

}  // namespace spmv::test
