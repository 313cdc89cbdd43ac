// [Kreutzer 2012, Eq. 1 to 3], with hand-computed numbers.
#include "app/report/model.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

/// A million rows of 15 nonzeros, like HMEp, at 100 GB/s on the device and 5 GB/s over PCIe.
ModelInput hmep() {
  ModelInput input;
  input.rows = 1e6;
  input.cols = 1e6;
  input.nonzeros = 15e6;
  return input;
}
const Bandwidth bandwidth{100e9, 5e9, 5e9};

TEST(Model, CodeBalanceOfDouble) {
  const Model m = model(hmep(), bandwidth);
  EXPECT_DOUBLE_EQ(m.nonzeros_per_row, 15);
  EXPECT_DOUBLE_EQ(m.best_alpha, 1.0 / 15);
  EXPECT_NEAR(m.balance_best, 6 + 4.0 / 15 + 8.0 / 15, 1e-12);  // Eq. 1 at alpha = 1 / N_nzr
  EXPECT_NEAR(m.balance_worst, 6 + 4 + 8.0 / 15, 1e-12);        // Eq. 1 at alpha = 1
}

TEST(Model, TimesOfDouble) {
  ModelInput input = hmep();
  input.vectors_on_host = true;
  const Model m = model(input, bandwidth);
  EXPECT_NEAR(m.t_mvm_best, 8e6 / 100e9 * (15 * (1.0 / 15 + 1.5) + 2), 1e-12);  // Eq. 2
  EXPECT_NEAR(m.t_mvm_worst, 8e6 / 100e9 * (15 * (1 + 1.5) + 2), 1e-12);
  EXPECT_NEAR(m.t_pci, 16e6 / 5e9, 1e-12);
}

// Eq. 3: at alpha = 1 and B_GPU = 10 B_PCI, T_PCI is at least T_MVM up to 7.2 nonzeros per row.
TEST(Model, TransferAndProductMeetWhereThePaperSays) {
  const Bandwidth ten_to_one{100e9, 10e9, 10e9};
  ModelInput input;
  input.vectors_on_host = true;
  input.rows = 5;
  input.cols = 5;
  input.nonzeros = 36;  // N_nzr = 7.2
  const Model m = model(input, ten_to_one);
  EXPECT_NEAR(m.t_pci, m.t_mvm_worst, 1e-12 * m.t_pci);
}

TEST(Model, VectorsOnTheDeviceCrossNothing) {
  EXPECT_EQ(model(hmep(), bandwidth).t_pci, 0);
}

TEST(Model, HaloCrossesBothWays) {
  ModelInput input = hmep();
  input.sent = 1000;
  input.ghosts = 2000;
  const Bandwidth uneven{100e9, 4e9, 8e9};
  EXPECT_NEAR(model(input, uneven).t_halo, 2000 * 8 / 4e9 + 1000 * 8 / 8e9, 1e-15);
}

TEST(Model, OtherValueTypes) {
  ModelInput single = hmep();
  single.value_bytes = 4;
  EXPECT_NEAR(model(single, bandwidth).balance_worst, (4 + 4 + 4 + 8.0 / 15) / 2, 1e-12);
  ModelInput complex = hmep();
  complex.value_bytes = 16;
  complex.flops_per_nonzero = 8;
  EXPECT_NEAR(model(complex, bandwidth).balance_worst, (16 + 4 + 16 + 32.0 / 15) / 8, 1e-12);
}

TEST(Model, NothingToMultiply) {
  const Model m = model(ModelInput{}, bandwidth);
  EXPECT_EQ(m.t_mvm_best, 0);
  EXPECT_EQ(m.balance_best, 0);
  EXPECT_EQ(implied_alpha(m, 1), 0);
}

TEST(Model, ImpliedAlphaInvertsTheModel) {
  const Model m = model(hmep(), bandwidth);
  EXPECT_NEAR(implied_alpha(m, m.t_mvm_best), 1.0 / 15, 1e-12);
  EXPECT_NEAR(implied_alpha(m, m.t_mvm_worst), 1, 1e-12);
  EXPECT_NEAR(implied_alpha(m, 8e6 / 100e9 * (15 * (0.5 + 1.5) + 2)), 0.5, 1e-12);
}

/// A run of that matrix, in a format whose data volume is the model's, with the kernel times of this alpha.
RunReport run_at(double alpha) {
  RunReport report;
  report.partition.nonzeros = 15000000;
  report.footprint = {15000000, 15000000, 15000000, 184e6};
  report.bandwidth = bandwidth;
  report.model = model(hmep(), bandwidth);
  report.cache_bytes = 50e6;
  const double seconds = 8e6 / 100e9 * (15 * (alpha + 1.5) + 2);
  report.modes.resize(1);
  report.modes[0].phases = {{Phase::interior, 0, 0, 0.75 * seconds},
                            {Phase::mpi, 0, 0, 1},
                            {Phase::boundary, 0, 0, 0.25 * seconds}};
  return report;
}

Alpha alpha_of(const RunReport& report) {
  return spmv::alpha_of(report, report.modes[0]);
}

TEST(Alpha, IsThatOfTheKernels) {
  ASSERT_TRUE(alpha_of(run_at(0.5)).value);
  EXPECT_NEAR(*alpha_of(run_at(0.5)).value, 0.5, 1e-12);
  EXPECT_EQ(alpha_of(run_at(0.5)).why_not, "");
  EXPECT_TRUE(alpha_of(run_at(1.0 / 15)).value);
  EXPECT_TRUE(alpha_of(run_at(1)).value);
}

TEST(Alpha, IsNoneOutsideItsRange) {
  EXPECT_FALSE(alpha_of(run_at(-0.1)).value);
  EXPECT_NE(alpha_of(run_at(-0.1)).why_not.find("caches"), std::string::npos);
  EXPECT_FALSE(alpha_of(run_at(1.5)).value);
  EXPECT_NE(alpha_of(run_at(1.5)).why_not.find("something else"), std::string::npos);
}

TEST(Alpha, NeedsTimesThatCanBeBelieved) {
  RunReport report = run_at(0.5);
  report.modes[0].marks = {"noisy", "disturbed"};
  EXPECT_FALSE(alpha_of(report).value);
  EXPECT_EQ(alpha_of(report).why_not, "the times are marked as noisy, disturbed");
}

TEST(Alpha, NeedsARunThatTheModelDescribes) {
  const auto why = [](auto change) {
    RunReport report = run_at(0.5);
    change(report);
    EXPECT_FALSE(alpha_of(report).value);
    EXPECT_EQ(alpha_of(report).why_not, why_no_model(report));
    return why_no_model(report);
  };
  EXPECT_EQ(why_no_model(run_at(0.5)), "");
  EXPECT_EQ(why([](RunReport& r) { r.footprint.bytes = 60e6; }),
            "the format packs a nonzero into 4.0 bytes, of which the model counts 12");
  EXPECT_EQ(why([](RunReport& r) { r.footprint.stored_elements = 45000000; }),
            "the format stores 3.0 elements for a nonzero, of which the model counts one");
  EXPECT_EQ(why([](RunReport& r) { r.ranks = 4; }), "a rank's 46 MB fit its 50 MB of cache");
  EXPECT_EQ(why([](RunReport& r) { r.bandwidth.spread = 0.3; }),
            "the bandwidth that it goes by was measured with a spread of 30 %");
  EXPECT_EQ(why([](RunReport& r) { r.partition.nonzeros = 0; }), "there is nothing to multiply");
}

}  // namespace
}  // namespace spmv::test
