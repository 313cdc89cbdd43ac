// Counts the files that a matrix keeps open.
#include "support/open_files.hpp"

#include <string>
#include <vector>

#include "callers_rows.hpp"

namespace spmv::test {
namespace {

TEST(LibraryFiles, MatricesKeepNoFileOpen) {
  const spmv_dist::Context context(world_comm(), {{"backend", "host"}, {"threads", "1"}});
  const auto rows = spmv_dist::LoadedRows<double>::generate(context, "random:160,160,40");
  for (const std::string transport : {"shm", "shm_copy", "p2p", "node_aware", "staged", "auto"}) {
    std::vector<spmv_dist::Matrix<double>> living;
    const auto add = [&] {
      living.emplace_back(context, rows.view(), spmv_dist::Options{{"transport", transport}});
    };
    add();  // MPI may open connections
    const std::size_t before = open_files();
    for (int more = 0; more < 3; ++more) add();
    EXPECT_EQ(open_files(), before) << transport;
  }
}

}  // namespace
}  // namespace spmv::test
