// csr and csr_packed in products with an exchange: streamed tiles, even tiles, and rows that are cut into
// pieces.
#include <algorithm>
#include <complex>
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/partitioner.hpp"
#include "support/exchanging_products.hpp"
#include "support/matrix_battery.hpp"

namespace spmv::test {
namespace {

template <class T>
class TilesExchange : public BackendsTest {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TilesExchange, ValueTypes);

// Boundary tiles are streamed or not.
TYPED_TEST(TilesExchange, BehindStreamedTiles) {
  const std::string planes = std::to_string(40 * world().size());
  for (const auto& [matrix, format] :
       {std::pair{"stencil27:64,64," + planes, "csr"}, std::pair{"stencil27:160,160," + planes, "csr"},
        std::pair{"stencil7:96,96," + planes, "csr_packed"}})
    check_exchanging_products(matrix, generated_problem<TypeParam>(world(), matrix), format, 0, true);
}

/// Rows near the diagonal; every eighth is far longer than the others.
GlobalMatrix uneven_rows(gidx rows, gidx mean) {
  GlobalMatrix matrix{"uneven rows of " + std::to_string(mean) + " nonzeros", {rows, rows}, {}};
  for (gidx i = 0; i < rows; ++i) {
    const gidx half = (i % 8 == 0 ? 7 * mean : mean / 8) / 2;
    for (gidx j = std::max(gidx{0}, i - half); j <= std::min(rows - 1, i + half); ++j)
      matrix.at.emplace_back(i, j);
  }
  return matrix;
}

// Two, four and eight nonzeros per thread.
TYPED_TEST(TilesExchange, BesideEvenTiles) {
  for (const gidx mean : {6, 30, 170}) {
    const GlobalMatrix matrix = uneven_rows(gidx{20'000} * world().size(), mean);
    const auto problem =
        make_problem<TypeParam>(world(), matrix, pick(partitioners(), "rows", "partitioner"));
    for (const char* format : {"csr", "csr_packed"})
      check_exchanging_products(matrix.name, problem, format, 0, true);
  }
}

// Long rows in the interior and the boundary: every product must count their finished pieces from zero.
TYPED_TEST(TilesExchange, PiecesOfLongRows) {
  const gidx each = 6'000, rows = each * world().size();
  const GlobalMatrix matrix = matrix_where("long rows", rows, rows, [&](gidx i, gidx j) {
    return std::abs(i - j) < (i % (each / 2) == 0 ? each / 2 - 100 : 2);
  });
  const auto problem = make_problem<TypeParam>(world(), matrix, pick(partitioners(), "rows", "partitioner"));
  check_exchanging_products(matrix.name, problem, "csr", 0, true);
}

}  // namespace
}  // namespace spmv::test
