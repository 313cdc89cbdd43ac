// Eigenvalues through the public interface.
#include "spmv_dist/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "callers_grid.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::EigenOptions;
using spmv_dist::EigenResult;
using spmv_dist::Matrix;
using spmv_dist::Side;
using spmv_dist::Stop;
using spmv_dist::Vector;
using spmv_dist::Which;

template <class T>
class LibrarySpectra : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibrarySpectra, Values);

template <class T>
constexpr double spectral_tolerance = sizeof(RealOf<T>) == sizeof(float) ? 2e-6 : 1e-10;

/// Of the five-point stencil, ascending.
std::vector<double> known_eigenvalues(GridShape shape) {
  const auto of_line = [](gidx k, gidx n) {
    return 2 - 2 * std::cos(static_cast<double>(k) * std::numbers::pi / static_cast<double>(n + 1));
  };
  std::vector<double> known;
  for (gidx i = 1; i <= shape.nx; ++i)
    for (gidx j = 1; j <= shape.ny; ++j)
      known.push_back(of_line(i, shape.nx) + of_line(j, shape.ny) + shape.shift);
  std::sort(known.begin(), known.end());
  return known;
}

/// The residual is that of the vector, as products say.
template <class T>
void expect_pair(Matrix<T>& A, Vector<T> v, double value, double residual) {
  auto product = A.make_y();
  multiply(A, v, product);
  const std::vector<T> x = v.get(), y = product.get();
  double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += std::norm(std::complex<double>(y[i]) - value * std::complex<double>(x[i]));
    size += std::norm(std::complex<double>(x[i]));
  }
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  EXPECT_NEAR(world().sum(size), 1, 100 * eps);
  EXPECT_NEAR(std::sqrt(world().sum(off)), residual, 0.1 * residual + 100 * eps);
}

TYPED_TEST(LibrarySpectra, EigenvaluesAreTheKnownOnes) {
  using T = TypeParam;
  const GridShape shape;
  const CallersGrid<T> mine(shape);
  const std::vector<double> known = known_eigenvalues(shape);
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    for (const std::string partition : {"keep", "metis"}) {
      Matrix<T> A(context, mine.view,
                  {{"format", "pjds"}, {"transport", "staged"}, {"partition", partition}});
      for (const Which which : {Which::lowest, Which::highest}) {
        EigenOptions options;
        options.count = 3;
        options.which = which;
        options.tolerance = spectral_tolerance<T>;
        const EigenResult<T> result = eigen(A, options);
        EXPECT_EQ(result.stop, Stop::converged) << result.reason;
        ASSERT_EQ(result.values.size(), 3U);
        ASSERT_EQ(result.vectors.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) {
          const double want = which == Which::lowest ? known[i] : known[known.size() - 1 - i];
          EXPECT_NEAR(result.values[i], want, options.tolerance * result.norm);
          expect_pair(A, result.vectors[i], result.values[i], result.residuals[i]);
          for (const double other : world().all_gather(result.values[i])) EXPECT_EQ(other, result.values[i]);
        }
      }
    }
  }
}

class SpectrumUse : public testing::Test {
 protected:
  const CallersGrid<double> mine_{{30, 20, 0}};
  const Context context_{world_comm(), {{"backend", "debug"}}};
  Matrix<double> A_{context_, mine_.view, {{"transport", "staged"}}};
};

TEST_F(SpectrumUse, StopsAreValues) {
  EigenOptions options;
  options.max_restarts = 1;
  const EigenResult<double> few = eigen(A_, options);
  EXPECT_EQ(few.stop, Stop::iterations);
  EXPECT_EQ(few.restarts, 1);
  EXPECT_EQ(few.vectors.size(), 4U);
  EXPECT_NE(few.reason.find("not enough"), std::string::npos) << few.reason;
  options = {};
  options.watch = [](int products, double) { return world().rank() == 0 && products > 30; };
  EXPECT_EQ(eigen(A_, options).stop, Stop::asked);
  options = {};
  if (world().rank() == 0) options.watch = [](int, double) -> bool { throw std::string("enough"); };
  if (world().rank() == 0)
    EXPECT_THROW(eigen(A_, options), std::string);
  else
    EXPECT_EQ(eigen(A_, options).stop, Stop::asked);
}

TEST_F(SpectrumUse, BadArguments) {
  const auto refused = [&](const EigenOptions& options, const char* words) {
    expect_error(Code::usage, words, [&] { eigen(A_, options); });
  };
  EigenOptions options;
  options.count = 601;
  refused(options, "600 rows");
  options = {};
  options.subspace = 5;
  refused(options, "too small");
  options = {};
  options.tolerance = -1;
  refused(options, "tolerance");
  options = {};
  options.which = static_cast<Which>(7);
  refused(options, "end of the spectrum");
  if (world().size() > 1) {
    options = {};
    options.count = 1 + world().rank();
    refused(options, "the count");
  }
  const CallersRows<double> upper(matrix_where("upper", 6, 6, [](gidx i, gidx j) { return i <= j; }),
                                  Deal::blocks);
  Matrix<double> B(context_, upper.view);
  expect_error(Code::input, "not symmetric", [&] { eigen(B); });
  const CallersRows<double> wide(matrix_where("wide", 6, 9, [](gidx, gidx) { return true; }), Deal::blocks);
  Matrix<double> C(context_, wide.view);
  expect_error(Code::usage, "square", [&] { eigen(C); });
}

}  // namespace
}  // namespace spmv::test
