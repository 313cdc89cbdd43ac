// Files from outside this repository, read in parts.
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/manifest.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

using Complex = std::complex<double>;
using Row = ManifestRow;
void expect_read_right(const Row& row, const WholeMatrix<Complex>& read) {
  EXPECT_EQ(std::to_string(read.header.rows), row.at("rows"));
  EXPECT_EQ(std::to_string(read.header.cols), row.at("cols"));
  EXPECT_EQ(std::to_string(read.header.stored), row.at("nnz_stored"));
  EXPECT_EQ(std::to_string(read.entries.size()), row.at("nnz_expanded"));
}

void expect_sum(const Row& row, const WholeMatrix<Complex>& read) {
  long double sum = 0;
  long double magnitude = 0;
  for (const Entry<Complex>& entry : read.entries) {
    sum += entry.value.real();
    magnitude += std::abs(entry.value.real());
  }
  const double expected = std::strtod(row.at("sum_expanded_real").c_str(), nullptr);
  EXPECT_NEAR(static_cast<double>(sum), expected, 1e-13 * static_cast<double>(magnitude));
}

class OutsideMatrices : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("SPMV_TEST_MATRICES");
    if (folder == nullptr) GTEST_SKIP() << "SPMV_TEST_MATRICES does not name a folder with edge/ and real/";
    folder_ = folder;
  }
  std::string folder_;
};

TEST_F(OutsideMatrices, EveryEdgeCase) {
  const std::vector<Row> rows = read_manifest(folder_ + "/edge/manifest.tsv");
  ASSERT_FALSE(rows.empty()) << folder_;
  for (const Row& row : rows) {
    const std::string path = folder_ + "/edge/" + row.at("file");
    for (int parts : {1, 2, 3, 7}) {
      SCOPED_TRACE(path + " in " + std::to_string(parts) + " parts");
      try {
        const auto read = read_whole<Complex>(path, parts);
        EXPECT_NE(row.at("expected"), "reject");
        if (row.at("rows").empty()) continue;  // readers that accept this file may disagree
        expect_read_right(row, read);
        expect_sum(row, read);
      } catch (const Error& error) {
        EXPECT_NE(row.at("expected"), "accept") << error.what();
        EXPECT_EQ(error.code(), ExitCode::input) << error.what();
        EXPECT_EQ(std::string(error.what()).rfind(path, 0), 0u) << error.what();
      }
    }
  }
}

TEST_F(OutsideMatrices, EveryRealMatrix) {
  const std::vector<Row> rows = read_manifest(folder_ + "/real/manifest.tsv");
  int read = 0;
  for (const Row& row : rows) {
    const std::string path = folder_ + "/real/" + row.at("name") + ".mtx.gz";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path);
    expect_read_right(row, read_whole<Complex>(path, 3));
    ++read;
  }
  EXPECT_GT(read, 0) << folder_;
}

}  // namespace
}  // namespace spmv::test
