// Generators in general, hand-made stencils, and the numbering of phonon states.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/generate/generator.hpp"
#include "io/generate/holstein_bases.hpp"

namespace spmv::test {
namespace {

template <class T = double>
RowBlock<T> whole(const std::string& specification) {
  const auto source = make_generator(specification);
  return generate_rows<T>(*source, 0, source->shape().rows);
}

/// Fails unless make_generator refuses it with a message that contains `part`.
void expect_refused(const std::string& specification, const std::string& part) {
  try {
    make_generator(specification);
    ADD_FAILURE() << specification << " is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Generate, EveryExampleWorksAndDescribesItself) {
  for (const Generator& generator : generators()) {
    const auto source = generator.make(generator.example);
    EXPECT_GT(source->shape().rows, 250'000) << generator.name;
    EXPECT_EQ(source->shape().rows, source->shape().cols);
    EXPECT_FALSE(source->describe().empty());
    EXPECT_EQ(generate_rows<double>(*source, source->shape().rows - 3, 3).rows(), 3);
  }
}

TEST(Generate, BadSpecificationsAreRefused) {
  expect_refused("stencil8:2,2,2", "stencil27");
  expect_refused("", "holstein-hubbard");
  for (const char* bad : {"stencil7", "stencil7:", "stencil7:2,2", "stencil7:2,2,2,2", "stencil7:2,,2",
                          "stencil7:0,2,2", "stencil7:2,-2,2", "stencil7:2,2,2x", "stencil7:2, 2,2",
                          "stencil27:2,2,2.5", "stencil7:2,2,2,u=1", "stencil27:4000000000,4000000000,1",
                          "stencil7:1,1,9999999999999999999", "stencil27:9223372036854775807,1,1",
                          "stencil5:2", "stencil5:2,2,2", "stencil9:0,2", "stencil9:2,2,2"}) {
    expect_refused(bad, "expected stencil");
  }
  for (const char* bad : {"blocks:2,2", "blocks:2,2,2,0", "blocks:2,2,2,65", "blocks:2,2,2,2,2",
                          "blocks:0,2,2", "blocks:4000000000,4000000000,1,2"}) {
    expect_refused(bad, "expected blocks:NX,NY,NZ[,B]");
  }
  for (const char* bad : {"elasticity:2,2", "elasticity:2,0,2", "elasticity:2,2,2,2"})
    expect_refused(bad, "expected elasticity:NX,NY,NZ");
}

TEST(Generate, DiffusionByHand) {
  const auto plain = whole("diffusion:4,3,5"), same = whole("stencil7:4,3,5");
  EXPECT_EQ(plain.col, same.col);
  EXPECT_EQ(plain.value, same.value);
  // k = 1, 1, 3, 3 along x; faces 1, 1.5, 3 between them and 1, 3 to the outside; two along y and, four times as large, z.
  const auto m = whole("diffusion:4,1,1,z=4,jump=3,cube=2");
  EXPECT_EQ(m.row_ptr, (std::vector<offset>{0, 2, 5, 8, 10}));
  EXPECT_EQ(m.col, (std::vector<gidx>{0, 1, 0, 1, 2, 1, 2, 3, 2, 3}));
  EXPECT_EQ(m.value, (std::vector<double>{12, -1, -1, 12.5, -1.5, -1.5, 34.5, -3, -3, 36}));
}

TEST(Generate, RowsBeyondTheMatrixAreAnInternalError) {
  const auto source = make_generator("stencil7:3,1,1");
  for (const auto& [first, count] : {std::pair<gidx, gidx>{-1, 1}, {0, 4}, {3, 1}, {4, 0}, {0, -1}}) {
    EXPECT_THROW(generate_rows<double>(*source, first, count), Error);
  }
  EXPECT_EQ(generate_rows<double>(*source, 3, 0).nonzeros(), 0);
}

TEST(Generate, TellsHowManyRowsAreMade) {
  const auto source = make_generator("stencil5:700,700");
  std::vector<std::uint64_t> told;
  generate_rows<double>(*source, 5, 480'000, [&](std::uint64_t done, std::uint64_t total) {
    told.push_back(done);
    EXPECT_EQ(total, 480'000u);
  });
  EXPECT_GT(told.size(), 1u);
  EXPECT_EQ(told.back(), 480'000u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
}

/// A small matrix for every generator.
constexpr const char* small_matrices[] = {"stencil5:7,6",
                                          "stencil9:6,7",
                                          "stencil7:4,3,5",
                                          "stencil27:3,4,2",
                                          "holstein-hubbard:4,2,1,3",
                                          "stencil7:20,30,20",
                                          "elasticity:5,4,3",
                                          "blocks:3,4,2,2",
                                          "powerlaw:5000,6,200",
                                          "diffusion:5,4,3,z=0.5,jump=9,cube=2",
                                          "anderson:5,4,3",
                                          "anderson:20,16,15",
                                          "banded:200,9,density=0.4",
                                          "random:5000,3000,6",
                                          "random:50,40,30",
                                          "rmat:9,12",
                                          "rmat:15,2",
                                          "dlr1:0.004",
                                          "dlr2:0.001",
                                          "uhbr:0.0002",
                                          "samg:0.002",
                                          "shuffled:3,stencil27:9,8,9",
                                          "shifted:2.5,random:90,90,3"};

TEST(Generate, RowsAreWhatTheyPromise) {
  for (const Generator& generator : generators()) {
    EXPECT_TRUE(std::any_of(
        std::begin(small_matrices), std::end(small_matrices),
        [&](const std::string& small) { return small.substr(0, small.find(':')) == generator.name; }))
        << generator.name;
  }
  for (const char* specification : small_matrices) {
    SCOPED_TRACE(specification);
    const auto source = make_generator(specification);
    const RowBlock<double> all = whole(specification);
    int longest = 0;
    for (gidx i = 0; i < all.rows(); ++i) {
      longest = std::max(longest, static_cast<int>(all.row_ptr[i + 1] - all.row_ptr[i]));
      for (offset k = all.row_ptr[i]; k < all.row_ptr[i + 1]; ++k) {
        ASSERT_TRUE(all.col[k] >= 0 && all.col[k] < source->shape().cols) << "row " << i;
        ASSERT_TRUE(k == all.row_ptr[i] || all.col[k - 1] < all.col[k]) << "row " << i;
      }
    }
    EXPECT_LE(longest, source->longest_row());
  }
}

TEST(Generate, AShiftIsAddedToTheDiagonalAlone) {
  // Some rows of this matrix store their diagonal, others do not.
  const RowBlock<double> plain = whole("random:90,90,30"), shifted = whole("shifted:2.5,random:90,90,30");
  std::map<std::pair<gidx, gidx>, double> expected;
  for (gidx i = 0; i < plain.rows(); ++i) {
    expected[{i, i}] = 2.5;
    for (offset k = plain.row_ptr[i]; k < plain.row_ptr[i + 1]; ++k)
      expected[{i, plain.col[k]}] += plain.value[k];
  }
  std::map<std::pair<gidx, gidx>, double> found;
  for (gidx i = 0; i < shifted.rows(); ++i)
    for (offset k = shifted.row_ptr[i]; k < shifted.row_ptr[i + 1]; ++k)
      found[{i, shifted.col[k]}] = shifted.value[k];
  EXPECT_EQ(found, expected);
  EXPECT_GT(shifted.nonzeros(), plain.nonzeros());
  EXPECT_LT(shifted.nonzeros(), plain.nonzeros() + plain.rows());
}

TEST(Generate, AnySplitOfTheRowsGivesTheSameMatrix) {
  for (const char* specification : small_matrices) {
    const auto source = make_generator(specification);
    const gidx rows = source->shape().rows;
    const RowBlock<double> all = whole(specification);
    for (const gidx step : {1, 7, 59, 5003}) {
      std::vector<gidx> col;
      std::vector<double> value;
      for (gidx first = 0; first < rows; first += step) {
        const RowBlock<double> part = generate_rows<double>(*source, first, std::min(step, rows - first));
        EXPECT_EQ(part.first_row, first);
        for (gidx i = 0; i < part.rows(); ++i) {
          EXPECT_EQ(part.row_ptr[i + 1] - part.row_ptr[i], source->row_length(first + i));
        }
        col.insert(col.end(), part.col.begin(), part.col.end());
        value.insert(value.end(), part.value.begin(), part.value.end());
      }
      EXPECT_EQ(col, all.col) << specification << " in blocks of " << step;
      EXPECT_EQ(value, all.value) << specification << " in blocks of " << step;
    }
  }
}

TEST(Generate, EveryValueTypeHoldsTheSameNumbers) {
  const auto d = whole("stencil27:3,3,3");
  const auto f = whole<float>("stencil27:3,3,3");
  const auto cf = whole<std::complex<float>>("stencil27:3,3,3");
  const auto cd = whole<std::complex<double>>("stencil27:3,3,3");
  ASSERT_EQ(d.nonzeros(), cd.nonzeros());
  for (offset j = 0; j < d.nonzeros(); ++j) {
    EXPECT_EQ(d.value[j], f.value[j]);
    EXPECT_EQ(std::complex<double>(d.value[j]), cd.value[j]);
    EXPECT_EQ(std::complex<double>(d.value[j]), std::complex<double>(cf.value[j]));
  }
}

TEST(Stencil, SevenPointRowsByHand) {
  const auto line = whole("stencil7:3,1,1");
  EXPECT_EQ(line.row_ptr, (std::vector<offset>{0, 2, 5, 7}));
  EXPECT_EQ(line.col, (std::vector<gidx>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(line.value, (std::vector<double>{6, -1, -1, 6, -1, -1, 6}));

  const auto cube = whole("stencil7:2,2,2");  // x, y and z are the row's bits
  EXPECT_EQ(cube.row_ptr, (std::vector<offset>{0, 4, 8, 12, 16, 20, 24, 28, 32}));
  EXPECT_EQ(std::vector<gidx>(cube.col.begin() + 20, cube.col.begin() + 24), (std::vector<gidx>{1, 4, 5, 7}));
  EXPECT_EQ(std::vector<double>(cube.value.begin() + 20, cube.value.begin() + 24),
            (std::vector<double>{-1, -1, 6, -1}));
}

TEST(Stencil, TwentySevenPointRowsByHand) {
  const auto cube = whole("stencil27:2,2,2");
  ASSERT_EQ(cube.nonzeros(), 64);
  for (offset j = 0; j < 64; ++j) {
    EXPECT_EQ(cube.col[j], j % 8);
    EXPECT_EQ(cube.value[j], j / 8 == j % 8 ? 26 : -1);
  }
  const auto plane = whole("stencil27:3,2,1");
  EXPECT_EQ(plane.row_ptr, (std::vector<offset>{0, 4, 10, 14, 18, 24, 28}));
  EXPECT_EQ(std::vector<gidx>(plane.col.begin() + 14, plane.col.begin() + 18),
            (std::vector<gidx>{0, 1, 3, 4}));
}

TEST(Stencil, PlaneRowsByHand) {
  const auto star = whole("stencil5:3,2");
  EXPECT_EQ(star.row_ptr, (std::vector<offset>{0, 3, 7, 10, 13, 17, 20}));
  EXPECT_EQ(std::vector<gidx>(star.col.begin() + 3, star.col.begin() + 7), (std::vector<gidx>{0, 1, 2, 4}));
  EXPECT_EQ(std::vector<double>(star.value.begin() + 3, star.value.begin() + 7),
            (std::vector<double>{-1, 4, -1, -1}));
  const auto square = whole("stencil9:3,3");
  EXPECT_EQ(square.row_ptr, (std::vector<offset>{0, 4, 10, 14, 20, 29, 35, 39, 45, 49}));
  for (offset k = 20; k < 29; ++k) {
    EXPECT_EQ(square.col[k], k - 20);
    EXPECT_EQ(square.value[k], k == 24 ? 8 : -1);
  }
  EXPECT_EQ(make_generator("stencil5:3,2")->describe(),
            "5-point stencil on 3 x 2 points, Dirichlet, 4 and -1, dimensionless");
}

TEST(Stencil, IsSymmetricWithKnownRowSums) {
  for (const char* specification : {"stencil7:5,4,3", "stencil27:5,4,3"}) {
    const auto m = whole(specification);
    std::vector<double> dense(60 * 60, 0.0);
    for (gidx i = 0; i < 60; ++i) {
      for (offset j = m.row_ptr[i]; j < m.row_ptr[i + 1]; ++j) dense[i * 60 + m.col[j]] += m.value[j];
    }
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j < i; ++j) ASSERT_EQ(dense[i * 60 + j], dense[j * 60 + i]);
      const int x = i % 5, y = i / 5 % 4, z = i / 20;
      const bool interior = x > 0 && x < 4 && y > 0 && y < 3 && z == 1;
      const double sum = std::accumulate(dense.begin() + i * 60, dense.begin() + (i + 1) * 60, 0.0);
      EXPECT_EQ(sum == 0, interior) << specification << " row " << i;
      EXPECT_GE(sum, 0);
    }
  }
}

TEST(PhononBasis, NumbersEveryStateOnceInLexicographicOrder) {
  const PhononBasis basis(3, 4);
  EXPECT_EQ(basis.size(), 35);
  EXPECT_EQ(PhononBasis(5, 15).size(), 15504);
  EXPECT_EQ(PhononBasis(0, 7).size(), 1);

  const auto occupation = [&](gidx index) {
    PhononBasis::State s;
    basis.state(index, s);
    return std::vector<int>(s.occupation.begin(), s.occupation.begin() + 3);
  };
  gidx index = 0;
  for (int a = 0; a <= 4; ++a) {
    for (int b = 0; a + b <= 4; ++b) {
      for (int c = 0; a + b + c <= 4; ++c, ++index) {
        const std::vector<int> expected{a, b, c};
        ASSERT_EQ(occupation(index), expected);
        PhononBasis::State s;
        basis.state(index, s);
        ASSERT_EQ(s.total, a + b + c);
        gidx raise[3], lower[3];
        basis.steps(s, raise, lower);
        for (int k = 0; k < 3; ++k) {
          std::vector<int> changed = expected;
          if (s.total < 4) {
            ++changed[k];
            EXPECT_EQ(occupation(index + raise[k]), changed);
            --changed[k];
          }
          if (changed[k] > 0) {
            --changed[k];
            EXPECT_EQ(occupation(index - lower[k]), changed);
          }
        }
      }
    }
  }
  EXPECT_EQ(index, basis.size());
}

}  // namespace
}  // namespace spmv::test
