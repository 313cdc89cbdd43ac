// [Kreutzer 2012, Eq. 1 to 3], with numbers worked out by hand.
#include "app/report/model.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

/// A million rows of 15 nonzeros, as HMEp has them, at 100 GB/s on the device and 5 GB/s over PCIe.
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

}  // namespace
}  // namespace spmv::test
