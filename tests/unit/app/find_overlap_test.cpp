// What limited the overlap of communication, on hand-made timelines. Times in microseconds.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/report/overlap.hpp"

namespace spmv::test {
namespace {

using Timeline = std::vector<std::vector<Interval>>;

Interval phase(Phase name, double begin_us, double end_us) {
  return {name, begin_us * 1e-6, end_us * 1e-6};
}

/// A rank whose exchange takes from 0 to 60: gather 10, D2H 10, MPI 30, H2D 10.
std::vector<Interval> rank_with_local(double begin_us, double end_us) {
  return {phase(Phase::gather, 0, 10), phase(Phase::d2h, 10, 20), phase(Phase::mpi, 20, 50),
          phase(Phase::h2d, 50, 60), phase(Phase::interior, begin_us, end_us)};
}

Overlap driven(const Timeline& timeline) {
  return find_overlap(timeline, MpiDriver::communication_thread, 30e-6);
}

TEST(FindOverlap, EverythingBesideTheLocalProduct) {
  const Overlap overlap = driven({rank_with_local(0, 100)});
  EXPECT_DOUBLE_EQ(overlap.share(), 1);
  EXPECT_NEAR(overlap.hidden_s, 60e-6, 1e-12);
  EXPECT_EQ(overlap.exposed_s, 0);
  EXPECT_EQ(overlap.limit, "nothing: the halo is hidden completely");
}

TEST(FindOverlap, MessagesBehindTheLocalProduct) {
  const Overlap overlap = driven({rank_with_local(0, 25)});
  EXPECT_NEAR(overlap.hidden_s, 25e-6, 1e-12);
  EXPECT_NEAR(overlap.exposed_s, 35e-6, 1e-12);
  EXPECT_NEAR(overlap.share(), 25.0 / 60, 1e-9);
  EXPECT_EQ(overlap.limit, "MPI: 25.0 of its 30.0 us run after the interior product on rank 0");
}

TEST(FindOverlap, TheRankThatWaitedLongestCounts) {
  const Overlap overlap = driven({rank_with_local(0, 45), rank_with_local(0, 22), rank_with_local(0, 58)});
  EXPECT_EQ(overlap.rank, 1);
  EXPECT_EQ(overlap.limit, "MPI: 28.0 of its 30.0 us run after the interior product on rank 1");
}

TEST(FindOverlap, GatherBeforeTheLocalProduct) {
  const Overlap overlap = driven({rank_with_local(10, 100)});
  EXPECT_NEAR(overlap.share(), 5.0 / 6, 1e-9);
  EXPECT_EQ(overlap.limit, "gather: 10.0 of its 10.0 us run before the interior product on rank 0");
}

TEST(FindOverlap, AGapCountsWhereItSticksOut) {
  const std::vector<Interval> late = {phase(Phase::gather, 0, 2), phase(Phase::d2h, 42, 44),
                                      phase(Phase::mpi, 44, 50), phase(Phase::h2d, 50, 52),
                                      phase(Phase::interior, 1, 12)};
  const Overlap overlap = driven({late});
  EXPECT_EQ(overlap.limit,
            "the wait between gather and D2H: 30.0 of its 40.0 us run after the interior product on rank 0");
  EXPECT_NEAR(overlap.hidden_s, 1e-6, 1e-12) << "of gather";
  EXPECT_NEAR(overlap.exposed_s, 41e-6, 1e-12);
}

TEST(FindOverlap, AWaitBesideTheLocalProductHidesNothing) {
  const std::vector<Interval> starved = {phase(Phase::gather, 0, 2), phase(Phase::d2h, 100, 102),
                                         phase(Phase::mpi, 102, 150), phase(Phase::h2d, 150, 152),
                                         phase(Phase::interior, 2, 100)};
  const Overlap overlap = driven({starved});
  EXPECT_EQ(overlap.share(), 0);
  EXPECT_EQ(overlap.limit,
            "MPI: 48.0 of its 48.0 us run after the interior product on rank 0, because D2H began when that "
            "was over");
}

TEST(FindOverlap, PhasesBesideEachOtherCountOnce) {
  const std::vector<Interval> piecewise = {phase(Phase::gather, 0, 10), phase(Phase::d2h, 5, 30),
                                           phase(Phase::mpi, 10, 50), phase(Phase::h2d, 20, 60),
                                           phase(Phase::interior, 0, 100)};
  EXPECT_NEAR(driven({piecewise}).hidden_s, 60e-6, 1e-12);
}

TEST(FindOverlap, ARankWithoutAHaloLimitsNothing) {
  const Overlap overlap = driven({{phase(Phase::interior, 0, 5)}, rank_with_local(0, 55)});
  EXPECT_EQ(overlap.rank, 1);
  EXPECT_EQ(overlap.limit, "H2D: 5.0 of its 10.0 us run after the interior product on rank 1");
}

TEST(FindOverlap, VectorModeHidesNothingByDesign) {
  const std::vector<Interval> rank = {phase(Phase::mpi, 0, 30), phase(Phase::h2d, 30, 40),
                                      phase(Phase::merged, 40, 100)};
  const Overlap overlap = find_overlap({rank, rank}, MpiDriver::nobody, 30e-6);
  EXPECT_EQ(overlap.share(), 0);
  EXPECT_EQ(overlap.limit, "no overlap by design: the product starts when the halo has arrived");
}

TEST(FindOverlap, NoHalo) {
  EXPECT_EQ(driven({{phase(Phase::interior, 0, 5)}}).limit, "nothing: there is no halo");
  EXPECT_EQ(driven({}).limit, "nothing: there is no halo");
}

/// Naive mode: MPI's interval begins before the interior product and ends after it.
std::vector<Interval> naive_rank(double mpi_end_us) {
  return {phase(Phase::gather, 0, 10), phase(Phase::d2h, 10, 20), phase(Phase::mpi, 20, mpi_end_us),
          phase(Phase::interior, 20, 100), phase(Phase::h2d, mpi_end_us, mpi_end_us + 10)};
}

TEST(FindOverlap, NobodyDrivesMpiAndItMovesNothing) {
  const Overlap overlap = find_overlap({naive_rank(130)}, MpiDriver::nobody, 30e-6);
  EXPECT_EQ(
      overlap.limit,
      "MPI moved no messages during the interior product, because no thread was in MPI; on rank 0 they took 30.0 us after "
      "it (alone 30.0 us)");
  EXPECT_EQ(overlap.hidden_s, 0) << "idle time inside MPI's interval is not hidden work";
  EXPECT_NEAR(overlap.exposed_s, 60e-6, 1e-12);
}

TEST(FindOverlap, NobodyDrivesMpiAndItMovesAPart) {
  const Overlap overlap = find_overlap({naive_rank(115)}, MpiDriver::nobody, 30e-6);
  EXPECT_EQ(
      overlap.limit,
      "MPI moved only part of the messages during the interior product, because no thread was in MPI; on rank 0 the rest took "
      "15.0 us after it (all of them alone 30.0 us)");
  EXPECT_NEAR(overlap.hidden_s, 15e-6, 1e-12);
}

TEST(FindOverlap, NobodyDrivesMpiButItIsNotWhatSticksOutMost) {
  const Overlap overlap = find_overlap({naive_rank(105)}, MpiDriver::nobody, 30e-6);
  EXPECT_EQ(overlap.limit, "gather: 10.0 of its 10.0 us run before the interior product on rank 0");
}

TEST(FindOverlap, NobodyDrivesMpiAndItsOwnTimeIsUnknown) {
  const Overlap overlap = find_overlap({naive_rank(130)}, MpiDriver::nobody, 0);
  EXPECT_EQ(overlap.limit, "MPI: 30.0 of its 30.0 us run after the interior product on rank 0");
}

}  // namespace
}  // namespace spmv::test
