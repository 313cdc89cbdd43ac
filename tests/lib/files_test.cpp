// Files from outside this repository, loaded, distributed and multiplied, all in one process.
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "callers_rows.hpp"
#include "support/manifest.hpp"

namespace spmv::test {
namespace {

using Complex = std::complex<double>;
using spmv_dist::Context;
using spmv_dist::LoadedRows;
using spmv_dist::Matrix;
using spmv_dist::Side;

/// Compares the product with the reference for the loaded rows. Collective.
void expect_product(const Context& context, const spmv_dist::Rows<Complex>& rows) {
  RowBlock<Complex> block;
  block.first_row = rows.first_row;
  block.row_ptr.assign(rows.row_ptr, rows.row_ptr + rows.rows + 1);
  block.col.assign(rows.columns, rows.columns + rows.elements);
  block.value.assign(rows.values, rows.values + rows.elements);
  const Reference<Complex> reference = reference_product(block, 0);
  Matrix<Complex> A(context, rows, {{"format", "csr"}, {"mode", "vector"}, {"transport", "staged"}});
  auto x = A.make_x(), y = A.make_y();
  x.set(x_for<Complex>(A.ids(Side::x), 0));
  multiply(A, x, y);
  EXPECT_EQ(compare(y.get().data(), reference).rows_wrong, 0);
}

TEST(Files, EveryEdgeCaseIsMultipliedOrRefused) {
  const char* folder = std::getenv("SPMV_TEST_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "SPMV_TEST_MATRICES does not name a folder with edge/";
  const std::string edge = folder + std::string("/edge/");
  const std::vector<ManifestRow> manifest = read_manifest(edge + "manifest.tsv");
  ASSERT_FALSE(manifest.empty()) << edge;
  const Context context(world_comm(), {{"backend", "host"}});
  for (const ManifestRow& file : manifest) {
    const std::string path = edge + file.at("file"), expected = file.at("expected");
    SCOPED_TRACE(path);
    try {
      const auto loaded = LoadedRows<Complex>::read(context, path);
      EXPECT_NE(expected, "reject");
      const auto rows = loaded.view();
      expect_product(context, rows);
      if (file.at("rows").empty()) continue;  // readers that accept this file may disagree
      EXPECT_EQ(std::to_string(rows.global_rows), file.at("rows"));
      EXPECT_EQ(std::to_string(rows.global_cols), file.at("cols"));
      const gidx elements = world().sum(rows.elements), named = std::stoll(file.at("nnz_expanded"));
      EXPECT_LE(elements, named);
      const std::string note = file.at("why_or_hazard") + file.at("note") + file.at("file");
      const bool repeats = note.find("uplicate") != std::string::npos;
      EXPECT_TRUE(elements == named || expected == "either" || repeats) << elements << " of " << named;
    } catch (const spmv_dist::Error& error) {
      EXPECT_NE(expected, "accept") << error.what();
      EXPECT_TRUE(error.code() == spmv_dist::Code::input || error.code() == spmv_dist::Code::memory)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace spmv::test
