// The Hamiltonian against closed forms, and against an independent construction from operator matrices.
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/generate/generator.hpp"
#include "tests/support/dense_holstein_hubbard.hpp"

namespace spmv::test {
namespace {

std::unique_ptr<RowSource> make(const std::string& parameters) {
  return make_generator("holstein-hubbard:" + parameters);
}

Dense dense(const std::string& parameters) {
  const auto source = make(parameters);
  const gidx rows = source->shape().rows;
  const RowBlock<double> block = generate_rows<double>(*source, 0, rows);
  Dense m(static_cast<int>(rows));
  for (int i = 0; i < m.n; ++i) {
    for (offset j = block.row_ptr[i]; j < block.row_ptr[i + 1]; ++j)
      m(i, static_cast<int>(block.col[j])) += block.value[j];
  }
  return m;
}

double ground_state(const std::string& parameters) {
  return lowest_eigenvalues(dense(parameters), 1)[0];
}

/// An orthonormal basis of the non-uniform modes that is not a Fourier basis (Helmert's): with a limit on the
/// total number of quanta the spectrum does not depend on the basis.
std::vector<std::vector<double>> helmert_modes(int sites) {
  std::vector<std::vector<double>> modes;
  for (int k = 1; k < sites; ++k) {
    std::vector<double> mode(sites, 0.0);
    for (int i = 0; i < k; ++i) mode[i] = 1 / std::sqrt(k * (k + 1.0));
    mode[k] = -k / std::sqrt(k * (k + 1.0));
    modes.push_back(mode);
  }
  return modes;
}

TEST(HolsteinHubbard, DimensionsAreProductsOfBinomials) {
  EXPECT_EQ(make("6,3,3,15")->shape().rows, 6'201'600);
  EXPECT_EQ(make("6,3,3,0")->shape().rows, 400);
  EXPECT_EQ(make("4,2,1,3")->shape().rows, 6 * 4 * 20);
  EXPECT_EQ(make("1,1,1,9")->shape().rows, 1);
  EXPECT_EQ(make("5,0,0,2")->shape().rows, 15);
}

TEST(HolsteinHubbard, FullSizeHasAboutFifteenNonzerosARow) {
  const auto source = make("6,3,3,15");
  offset nonzeros = 0;
#pragma omp parallel for reduction(+ : nonzeros)
  for (gidx row = 0; row < source->shape().rows; ++row) nonzeros += source->row_length(row);
  // 400 x 15504 diagonal entries; 7.2 hops per electron state; 1592 of the 2000 pairs of electron state and
  // mode couple, and each of these raises C(19, 5) states and lowers as many.
  EXPECT_EQ(nonzeros, 6'201'600 + 2880 * 15504 + 1592 * 2 * 11628);
}

TEST(HolsteinHubbard, RowsAreSortedAndTheMatrixIsExactlySymmetric) {
  for (const char* parameters :
       {"1,1,0,3", "2,1,1,4", "2,2,1,3", "3,2,1,3", "4,2,2,2", "5,2,3,2", "6,1,2,1"}) {
    const auto source = make(parameters);
    const gidx rows = source->shape().rows;
    const RowBlock<double> block = generate_rows<double>(*source, 0, rows);
    for (gidx i = 0; i < rows; ++i) {
      EXPECT_LE(block.row_ptr[i + 1] - block.row_ptr[i], source->longest_row());
      for (offset j = block.row_ptr[i]; j < block.row_ptr[i + 1]; ++j) {
        ASSERT_TRUE(j == block.row_ptr[i] || block.col[j - 1] < block.col[j]) << parameters << " row " << i;
        ASSERT_TRUE(block.col[j] == i || block.value[j] != 0) << parameters << " row " << i;
      }
    }
    const Dense h = dense(parameters);
    for (int i = 0; i < h.n; ++i) {
      for (int j = 0; j < i; ++j) ASSERT_EQ(h(i, j), h(j, i)) << parameters << " " << i << " " << j;
    }
  }
}

TEST(HolsteinHubbard, FreeElectronsFillTheBand) {  // levels -2 t cos(2 pi k / L)
  EXPECT_NEAR(ground_state("6,3,3,0,u=0,g=0"), -8, 1e-10);
  EXPECT_NEAR(ground_state("4,2,2,0,u=0,g=0,t=0.5"), -2, 1e-10);
  EXPECT_NEAR(ground_state("5,2,1,0,u=0,g=0"), -4 - 2 * std::cos(2 * std::acos(-1) / 5), 1e-10);
  EXPECT_NEAR(ground_state("3,2,0,0,u=0,g=0"), -1, 1e-10);
}

TEST(HolsteinHubbard, HubbardRingsHaveTheirKnownEnergies) {
  const double u = 3;
  EXPECT_NEAR(ground_state("2,1,1,0,u=3,g=0"), u / 2 - std::sqrt(u * u / 4 + 4), 1e-10);
  // Half-filled ring of 4, closed form (Schumann, Ann. Phys. 11, 49, 2002): a cubic's lowest root.
  const double a = (16 + u * u) / 3;
  EXPECT_NEAR(ground_state("4,2,2,0,u=3,g=0"),
              u - 2 * std::sqrt(a) * std::cos(std::acos(4 * u / std::pow(a, 1.5)) / 3), 1e-10);
  EXPECT_NEAR(ground_state("6,3,3,0,u=4,g=0"), -3.6687061788, 1e-8);  // Bethe ansatz (Lieb and Wu, 1968)
}

TEST(HolsteinHubbard, OneSiteIsTheUniformModeAlone) {
  const Dense h = dense("1,1,1,7,u=3,omega=0.5,g=2");
  ASSERT_EQ(h.n, 1);
  EXPECT_DOUBLE_EQ(h(0, 0), 3 - 2 * 2 * 0.5 * 2 * 2);
}

TEST(HolsteinHubbard, AtomicLimitConvergesFromAbove) {  // t = 0: E = U pairs - g^2 omega sum_i n_i^2
  const double g = 0.7, omega = 0.8, u = 0.5;
  const auto energy = [&](int up, int down, int cut) {
    return ground_state(fmt::format("3,{},{},{},t=0,u={},omega={},g={}", up, down, cut, u, omega, g));
  };
  for (const auto& [up, down, exact] :
       {std::tuple{1, 0, -g * g * omega}, std::tuple{1, 1, u - 4 * g * g * omega},
        std::tuple{2, 1, u - 5 * g * g * omega}}) {
    double before = energy(up, down, 0);
    for (const int cut : {1, 3, 6, 12}) {
      const double now = energy(up, down, cut);
      EXPECT_LE(now, before + 1e-12);
      EXPECT_GE(now, exact - 1e-12);
      before = now;
    }
    EXPECT_NEAR(before, exact, 1e-6);
  }
}

TEST(HolsteinHubbard, WholeSpectrumIsThatOfTheOperatorMatrices) {
  for (const auto& [m, cut] : {std::pair{DenseModel{1, 1, 1, 1.0, 3.0, 0.5, 1.2}, 3},
                               std::pair{DenseModel{2, 1, 1, 1.0, 4.0, 0.7, 0.9}, 6},
                               std::pair{DenseModel{3, 1, 1, 0.8, 2.5, 0.6, 1.1}, 3},
                               std::pair{DenseModel{3, 2, 1, 1.0, 1.5, 0.9, 0.6}, 3},
                               std::pair{DenseModel{4, 2, 1, 1.3, 3.0, 0.5, 0.8}, 2},
                               std::pair{DenseModel{4, 2, 2, 1.0, 2.0, 1.1, 0.7}, 1}}) {
    Dense expected = dense_hamiltonian(m, helmert_modes(m.sites), cut);
    const double electrons = m.up + m.down;
    add(expected, -m.g * m.g * m.omega * electrons * electrons / m.sites, identity(expected.n));
    const Dense h = dense(fmt::format("{},{},{},{},t={},u={},omega={},g={}", m.sites, m.up, m.down, cut, m.t,
                                      m.u, m.omega, m.g));
    ASSERT_EQ(h.n, expected.n);
    const auto found = lowest_eigenvalues(h, h.n);
    const auto known = lowest_eigenvalues(expected, h.n);
    for (int i = 0; i < h.n; ++i) ASSERT_NEAR(found[i], known[i], 1e-10) << m.sites << " sites, level " << i;
  }
}

TEST(HolsteinHubbard, GroundStateIsThatOfOnePhononModePerSite) {
  const DenseModel m{2, 1, 1, 1.0, 1.0, 1.0, 0.5};
  const double with_sites = lowest_eigenvalues(dense_hamiltonian(m, {{1, 0}, {0, 1}}, 14), 1)[0];
  EXPECT_NEAR(ground_state("2,1,1,14,u=1,omega=1,g=0.5"), with_sites, 1e-8);
}

TEST(HolsteinHubbard, BadParametersAreRefused) {
  for (const char* parameters : {"",
                                 "6,3,3",
                                 "6,3,3,15,1",
                                 "0,0,0,0",
                                 "33,1,1,1",
                                 "6,7,3,1",
                                 "6,3,-3,1",
                                 "6,3,3,1001",
                                 "6,3,3,x",
                                 "6,3,3,1,v=2",
                                 "6,3,3,1,u=",
                                 "6,3,3,1,u=1,u=2",
                                 "6,3,3,1,g=nan",
                                 "6,3,3,1,omega=-1",
                                 "6,3,3,1,t=1e999",
                                 "2,1,1,3,u=1e308,omega=1e308",
                                 "6,3,3,1,u=1e38",
                                 "6,3,3,1,g=1e20",
                                 "32,16,1,1",
                                 "32,1,1,1000",
                                 "20,10,10,20",
                                 "99999999999999999999,1,1,1"}) {
    try {
      make(parameters);
      ADD_FAILURE() << parameters;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("SITES,UP,DOWN,PHONONS"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace spmv::test
