// All formats against the serial reference, with host code.
#include <complex>
#include <string>
#include <vector>

#include <omp.h>

#include "kernels/parts/balanced_split.hpp"
#include "kernels/tune/format_models.hpp"
#include "kernels/tune/paces.hpp"
#include "support/format_battery.hpp"
#include "support/format_claims.hpp"

namespace spmv::test {
namespace {

template <class T>
class Formats : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Formats, ValueTypes);

// One thread: for such small blocks another would mostly sleep and wake up.
TYPED_TEST(Formats, BatteryOnHost) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  check_all_formats<TypeParam>(make_host_backend(DeviceRequest{}));
  omp_set_num_threads(threads);
}

// A backend that differs from the host only in timing and memory needs only one value type.
TEST(FormatsOnDebugDevice, BatteryInRealNumbers) {
  check_all_formats_in_turns<float>(make_debug_backend(DeviceRequest{}), 0);
}

TEST(FormatsOnDebugDevice, BatteryInComplexNumbers) {
  check_all_formats_in_turns<std::complex<double>>(make_debug_backend(DeviceRequest{}), 3);
}

// Several threads might skip or repeat the rows between their parts.
TYPED_TEST(Formats, BatteryInThreeThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  constexpr std::size_t turn = 2 * is_complex<TypeParam> + (sizeof(RealOf<TypeParam>) > 4);
  check_all_formats_in_turns<TypeParam>(make_host_backend(DeviceRequest{}), turn);
  omp_set_num_threads(threads);
}

TYPED_TEST(Formats, RelaunchedMultiplyAsIfBuiltSo) {
  check_relaunched<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(Formats, FuseAsTheirRowsSay) {
  check_which_formats_fuse<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(Formats, SumAsTheirRowsSay) {
  check_which_formats_sum<TypeParam>(make_host_backend(DeviceRequest{}));
}

TYPED_TEST(Formats, TakeColumnsAsTheirRowsSay) {
  check_which_formats_take_columns<TypeParam>(make_host_backend(DeviceRequest{}));
}

// A format that stops fusing is still correct but slower, which no other test would notice.
TEST(FormatTable, TheseFormatsFuse) {
  std::vector<std::string> fusing;
  for (const Format<double>& format : formats<double>())
    if (format.fuses) fusing.push_back(format.name);
  EXPECT_EQ(fusing,
            (std::vector<std::string>{"csr", "csr_packed", "csr_scalar", "csr_vector", "ellpack", "ellpack_r",
                                      "jad", "pellr", "pjds", "sell", "sell_packed", "sell_blocked"}));
}

// One that stops summing costs solvers a kernel.
TEST(FormatTable, TheseFormatsSum) {
  std::vector<std::string> summing;
  for (const Format<double>& format : formats<double>())
    if (format.sums) summing.push_back(format.name);
  EXPECT_EQ(summing, (std::vector<std::string>{"sell_packed", "sell_blocked"}));
}

// One that stops taking several columns reads its matrix again for every one.
TEST(FormatTable, TheseFormatsTakeColumns) {
  std::vector<std::string> taking;
  for (const Format<double>& format : formats<double>())
    if (format.columns) taking.push_back(format.name);
  EXPECT_EQ(taking,
            (std::vector<std::string>{"csr", "csr_packed", "csr_scalar", "csr_vector", "ellpack", "ellpack_r",
                                      "jad", "pellr", "pjds", "sell", "sell_packed", "sell_blocked"}));
}

TEST(FormatTable, IsInTheOrderOfTheList) {
  std::vector<std::string> names;
  for (const Format<double>& format : formats<double>()) names.push_back(format.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "csr",          "csr_packed",   "csr_scalar",    "csr_vector",  "spmv4gpu", "spmv4gpu_padded",
                "block",        "coo",          "ellpack",       "ellpack_r",   "hyb",      "biell",
                "jad",          "bijad",        "pellr",         "pjds",        "sell",     "sell_packed",
                "sell_blocked", "cusparse_csr", "cusparse_sell", "cusparse_bsr"}));
}

TEST(FormatTable, RowsAreComplete) {
  for (const Format<float>& format : formats<float>()) {
    ASSERT_NE(format.name, nullptr);
    SCOPED_TRACE(format.name);
    EXPECT_NE(format.summary, nullptr);
    EXPECT_NE(format.row_order, nullptr);
    EXPECT_NE(format.make, nullptr);
    EXPECT_NE(model_of(format.name).cost, nullptr);
    for (const bool on_host : {true, false}) {
      EXPECT_GT(pace_of(format.name, on_host).iteration_ns, 0);
      EXPECT_GT(pace_of(format.name, on_host).build_ns, 0);
    }
  }
}

TEST(FormatTable, TheTunerKnowsNoOtherFormats) {
  EXPECT_EQ(format_models().size(), formats<float>().size());
  for (const bool on_host : {true, false})
    EXPECT_EQ(device_paces(on_host).formats.size(), formats<float>().size());
}

TEST(BalancedSplit, PartsMeetAndShareTheCost) {
  const std::vector<offset> prefix = {0, 0, 100, 100, 101, 102, 103, 200};  // two heavy items among seven
  for (int parts = 1; parts <= 9; ++parts) {
    EXPECT_EQ(first_of_part(prefix.data(), 7, 0, parts), 0);
    EXPECT_EQ(first_of_part(prefix.data(), 7, parts, parts), 7);
    for (int part = 0; part < parts; ++part)
      EXPECT_LE(first_of_part(prefix.data(), 7, part, parts),
                first_of_part(prefix.data(), 7, part + 1, parts));
  }
  EXPECT_EQ(first_of_part(prefix.data(), 7, 1, 2), 3);
  const offset none = 0;
  EXPECT_EQ(first_of_part(&none, 0, 2, 3), 0);
}

}  // namespace
}  // namespace spmv::test
