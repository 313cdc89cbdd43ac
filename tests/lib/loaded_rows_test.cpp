// Files and generators through the public interface, and choices remembered in a file.
#include <complex>
#include <regex>
#include <string>

#include "callers_rows.hpp"
#include "spmv_dist/spmv_dist.h"
#include "support/shared_folder.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::LoadedRows;
using spmv_dist::Matrix;
using spmv_dist::Side;

/// 7 x 5, so that most ranks own different shares of x and y; row 2 is empty.
constexpr const char* rectangle =
    "%%MatrixMarket matrix coordinate real general\n"
    "7 5 6\n1 1 2\n1 5 3\n2 4 -1\n4 2 0.5\n7 3 4\n7 1 -8\n";

TEST(LoadedRows, AFileBecomesRows) {
  const Context context(world_comm(), {{"backend", "host"}});
  const SharedFolder folder;
  const std::string file = folder.write("m.mtx", rectangle);
  Matrix<double> A(context, LoadedRows<double>::read(context, file).view());
  EXPECT_EQ(A.global_rows(), 7);
  EXPECT_EQ(A.global_cols(), 5);
  EXPECT_EQ(A.global_elements(), 6);
  auto x = A.make_x(), y = A.make_y();
  std::vector<double> mine;
  for (const gidx id : A.ids(Side::x)) mine.push_back(static_cast<double>(id + 1));
  x.set(mine);
  multiply(A, x, y);
  const double expected[] = {2 * 1 + 3 * 5, -4, 0, 0.5 * 2, 0, 0, 4 * 3 - 8};
  const std::vector<gidx> ids = A.ids(Side::y);
  const std::vector<double> result = y.get();
  ASSERT_EQ(result.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(result[i], expected[ids[i]]) << "in row " << ids[i];
}

TEST(LoadedRows, AGeneratorBecomesRowsWhateverTheRanks) {
  const Context context(world_comm(), {{"backend", "host"}});
  const auto rows = LoadedRows<float>::generate(context, "stencil7:5,4,3");
  const auto view = rows.view();
  EXPECT_EQ(view.global_rows, 60);
  EXPECT_EQ(world().sum(view.rows), 60);
  // Each of the 60 points has a diagonal element and its neighbours in the box.
  EXPECT_EQ(world().sum(view.elements), 60 + 2 * (4 * 4 * 3 + 5 * 3 * 3 + 5 * 4 * 2));
  Matrix<float> A(context, view, {{"partition", "metis"}});
  EXPECT_EQ(A.global_elements(), world().sum(view.elements));
}

TEST(LoadedRows, WhatCannotBeLoadedIsRefusedOnAllRanks) {
  const Context context(world_comm(), {{"backend", "host"}});
  const SharedFolder folder;
  const std::string complex =
      folder.write("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n");
  expect_error(Code::usage, "complex values", [&] { LoadedRows<double>::read(context, complex); });
  EXPECT_EQ(LoadedRows<std::complex<double>>::read(context, complex).view().global_rows, 1);
  const std::string broken =
      folder.write("broken.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 x 1\n");
  expect_error(Code::input, ".mtx:4: ", [&] { LoadedRows<double>::read(context, broken); });
  expect_error(Code::input, "no such file.mtx",
               [&] { LoadedRows<double>::read(context, "/no such file.mtx"); });
  expect_error(Code::usage, "stencil", [&] { LoadedRows<double>::generate(context, "stencil6:1,2,3"); });
}

TEST(LoadedRows, TheSameFromC) {
  const SharedFolder folder;
  const std::string file = folder.write("m.mtx", rectangle);
  spmv_dist_status status;
  spmv_dist_context* context = nullptr;
  ASSERT_EQ(spmv_dist_context_create(world_comm(), "backend=host", &context, &status), 0) << status.message;
  spmv_dist_matrix* matrix = nullptr;
  ASSERT_EQ(spmv_dist_matrix_read(context, SPMV_DIST_FLOAT, file.c_str(), "format=csr", &matrix, &status), 0)
      << status.message;
  EXPECT_EQ(world().sum(spmv_dist_matrix_size(matrix, SPMV_DIST_Y)), 7);
  EXPECT_EQ(world().sum(spmv_dist_matrix_size(matrix, SPMV_DIST_X)), 5);
  spmv_dist_matrix_free(matrix);
  ASSERT_EQ(spmv_dist_matrix_generate(context, SPMV_DIST_COMPLEX_DOUBLE, "stencil7:3,3,3", nullptr, &matrix,
                                      &status),
            0)
      << status.message;
  EXPECT_EQ(world().sum(spmv_dist_matrix_size(matrix, SPMV_DIST_X)), 27);
  spmv_dist_matrix_free(matrix);
  EXPECT_EQ(spmv_dist_matrix_read(context, SPMV_DIST_DOUBLE, nullptr, nullptr, &matrix, &status),
            SPMV_DIST_USAGE);
  EXPECT_EQ(matrix, nullptr);
  spmv_dist_context_free(context);
}

/// The text of a tuning cache in which every choice is sell, each with its own sigma, with times so short
/// that no measurement here contradicts them.
std::string each_with_its_sigma(const std::string& text) {
  const std::regex choice(R"re("format": "\w+",\s*"options": \{[^}]*\},\s*"measured_s": [^,]+)re");
  std::string result;
  int sigma = 2;
  auto rest = text.cbegin();
  for (std::smatch found; std::regex_search(rest, text.cend(), found, choice); rest = found[0].second) {
    result.append(rest, found[0].first);
    result +=
        R"("format": "sell", "options": {"sigma": )" + std::to_string(sigma) + R"(}, "measured_s": 1e-12)";
    sigma *= 2;
  }
  return result.append(rest, text.cend());
}

// The file gets what was measured for one matrix; the next matrix takes its choices from the file, without
// trials, each rank its own. Without the option no file is touched.
TEST(LoadedRows, ChoicesAreRememberedInTheFileNamed) {
  const Context context(world_comm(), {{"backend", "host"}});
  const SharedFolder folder;
  const auto rows = LoadedRows<double>::generate(context, "random:12000,12000,9");  // all ranks' parts differ
  const spmv_dist::Options options{{"products", "1e9"}, {"tune_cache", folder.path("tuning.json")}};
  const Matrix<double> first(context, rows.view(), options);
  EXPECT_EQ(first.describe().find("remembered"), std::string::npos) << first.describe();
  const std::string kept = contents(folder.path("tuning.json"));
  EXPECT_NE(kept.find("\"format\": \"" + first.format() + '"'), std::string::npos) << kept;

  world().barrier();  // all ranks have read it
  folder.write("tuning.json", each_with_its_sigma(kept));
  const Matrix<double> second(context, rows.view(), options);
  const std::string described = second.describe();
  EXPECT_NE(described.find(": remembered"), std::string::npos) << described;
  EXPECT_EQ(second.format(), "sell");
  const std::size_t sigma = described.find("sell (sigma ");
  ASSERT_NE(sigma, std::string::npos) << described;
  const int mine = std::stoi(described.substr(sigma + std::string("sell (sigma ").size()));
  EXPECT_EQ(world().sum(offset{mine}), (offset{2} << world().size()) - 2)
      << "the ranks' sigmas are 2, 4, 8, ...";
  const Matrix<double> third(context, rows.view(), {{"products", "1e9"}});
  EXPECT_EQ(third.describe().find("remembered"), std::string::npos) << third.describe();
}

}  // namespace
}  // namespace spmv::test
