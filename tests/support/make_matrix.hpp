#pragma once

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"

namespace spmv::test {

/// Whether a transport only queues work, as the modes need it that queue whole products; on the ranks of one
/// node. Written down here a second time, apart from the transports, so that one that stops being queued fails
/// tests instead of leaving them without a word. A new transport gets its line here.
inline bool only_queues_work(const std::string& transport) {
  static const std::map<std::string, bool> table = {
      {"staged", false},    {"shm", true},  {"shm_copy", false},  {"p2p", true},
      {"gpu_aware", false}, {"nccl", true}, {"node_aware", true},
  };
  const auto row = table.find(transport);
  if (row == table.end()) ADD_FAILURE() << "transport " << transport << " has no line in " << __FILE__;
  return row != table.end() && row->second;
}

/// The matrix as `mode` needs it, or nullptr where the transport cannot do what the mode asks of it: then it
/// must have been refused as a wrong combination, and be one that does more than queue work. Collective.
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
