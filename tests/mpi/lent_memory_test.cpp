// Device memory that ranks share, on every backend that can share it.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/transports/peer/mailboxes.hpp"
#include "core/backend.hpp"
#include "support/matrix_market.hpp"
#include "support/mpi_test.hpp"
#include "support/open_files.hpp"
#include "support/ring.hpp"

namespace spmv::test {
namespace {

class LentMemory : public BackendsTest {};

TEST_F(LentMemory, IsMappedByItsTokenAlone) {
  const Communicator& all = world();
  if (all.size() == 1) GTEST_SKIP() << "needs at least two ranks";
  for (const TestBackend& entry : product_backends()) {
    SCOPED_TRACE(entry.name);
    const auto backend = entry.make(all);
    const auto lent = all.together([&] { return backend->allocate_shared(1000); });
    const std::vector<std::string> handles = all.all_gather(lent->handle());
    const std::string handle = handles[static_cast<std::size_t>((all.rank() + 1) % all.size())];
    // The handle names existing memory, but the token belongs to other memory.
    std::string other = handle;
    other[0] = static_cast<char>(other[0] ^ 1);
    const Error error = error_of([&] { backend->map_shared(other); });
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("names other memory here"), std::string::npos) << error.what();
    EXPECT_NO_THROW(backend->map_shared(handle));
    all.barrier();
  }
}

TEST_F(LentMemory, WindowsKeepNoFileOpen) {
  for (const TestBackend& entry : product_backends()) {
    const ExchangeSetup setup = ring(world(), entry, 50);
    if (!setup.backend->runs_host_code()) continue;  // a driver may open files
    for (const Memory where : {Memory::device, Memory::staging}) {
      const std::size_t before = open_files();
      const Mailboxes mailboxes(setup, where, 1000);
      EXPECT_EQ(open_files(), before) << entry.name;
      EXPECT_NE(mailboxes.own(), nullptr);
    }
  }
}

}  // namespace
}  // namespace spmv::test
