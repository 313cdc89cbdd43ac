#include "dist/machine/place.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include "core/error.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

TEST(Place, OfTheBackendNamed) {
  const Communicator& c = world();
  const int threads = omp_get_max_threads();
  const Place place = find_place(c, {"debug"});
  EXPECT_STREQ(place.backend->name(), "debug");
  EXPECT_EQ(place.why_no_gpu, "") << "the backend was given, not auto";
  EXPECT_EQ(place.nodes, 1);
  EXPECT_GE(place.threads, 1);
  EXPECT_NE(place.description.find(place.backend->describe()), std::string::npos) << place.description;
  EXPECT_EQ(omp_get_max_threads(), threads) << "the caller's number of threads must stay";
}

TEST(Place, AutoTakesOneBackendOnEveryRankAndSaysWhyNoGpu) {
  const Communicator& c = world();
  const Place place = find_place(c, {});
  const bool gpu = std::string(place.backend->name()) == "cuda";
  EXPECT_EQ(c.sum(gidx{gpu}), gpu ? c.size() : 0);
  EXPECT_EQ(place.why_no_gpu.empty(), gpu) << place.why_no_gpu;
}

TEST(Place, AnUnknownBackendIsEveryRanksError) {
  try {
    find_place(world(), {"abacus"});
    FAIL() << "taken";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("abacus"), std::string::npos) << error.what();
  }
}

TEST(Place, ThreadsLeaveTheCommunicationThreadItsCore) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  const int threads = omp_get_max_threads();
  Place place = find_place(world(), {"host"});
  place.threads = 4;
  place.cores.all = {0, 1};
  place.cores.compute = {0};
  place.cores.per_rank = 2;
  place.cores.comm_core = 1;
  place_threads(place, true);
  EXPECT_EQ(omp_get_max_threads(), 1) << "the communication thread takes one of two cores";
  place_threads(place, false);
  EXPECT_EQ(omp_get_max_threads(), 4);
  place.cores.comm_core = -1;
  place_threads(place, true);
  EXPECT_EQ(omp_get_max_threads(), 4) << "a communication thread without a core of its own takes none away";
  omp_set_num_threads(threads);
  sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace spmv::test
