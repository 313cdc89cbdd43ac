// Many products over each transport and in each mode. Every result is checked, and memory, files and threads
// must not grow. A few hundred products each by default; SPMV_SOAK_PRODUCTS=1000000 takes an hour.
// SPMV_SOAK_IN_A_ROW=10 queues ten products at a time, as a solver does, and checks the last of them: on a
// GPU the check takes longer than a product. SPMV_SOAK_SKIP=5 skips the first five combinations (one output
// line each), to continue an interrupted run.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/pick.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "support/make_matrix.hpp"
#include "support/mode_layouts.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

/// Resources of a process.
struct Held {
  std::size_t files = 0;
  std::size_t threads = 0;
  double resident_mib = 0;
};

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.exists() ? 1 : 0;
  return count;
}

Held held() {
  std::size_t all_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> all_pages >> resident_pages;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return {entries("/proc/self/fd"), entries("/proc/self/task"),
          static_cast<double>(resident_pages) * page / (1 << 20)};
}

unsigned number_from_environment(const char* name, unsigned otherwise) {
  const char* wanted = std::getenv(name);
  return wanted == nullptr ? otherwise : static_cast<unsigned>(std::atol(wanted));
}

class Soak : public BackendsTest {
 protected:
  /// `products` products, each with another x than the one before, sometimes into NaN; `in_a_row` are queued
  /// at a time and the last of them is checked: the first result of each x against the reference, later ones
  /// bit by bit against that. Collective.
  static void multiply(DistMatrix<double>& matrix, const Problem<double>& problem, const Mode<double>& mode,
                       unsigned products, unsigned in_a_row) {
    Product<double> product(matrix, problem.rows.original_col, false);
    std::array<std::vector<double>, distinct_x> first;
    Held before;
    unsigned looked = 0, different = 0;
    for (unsigned number = 0; number < products; ++number) {
      const bool looks = (number + 1) % in_a_row == 0;
      if (number % in_a_row == 0 && looked % 97 < distinct_x) product.poison(number);
      product.queue(mode, number, nullptr);
      if (!looks) continue;
      product.synchronize();
      ++looked;
      const std::vector<double> y = product.y();
      std::vector<double>& expected = first[number % distinct_x];
      if (expected.empty()) {
        expected = y;
        EXPECT_EQ(compare(y.data(), problem.reference[number % distinct_x]).rows_wrong, 0)
            << "product " << number;
      }
      different +=
          y.empty() || std::memcmp(y.data(), expected.data(), y.size() * sizeof(double)) == 0 ? 0 : 1;
      if (before.threads == 0 && number >= products / 4) before = held();
    }
    product.synchronize();
    const Held after = held();
    EXPECT_GT(looked, 0U);
    EXPECT_EQ(different, 0U) << "of " << looked << " products differ from the first one with the same x";
    EXPECT_EQ(after.files, before.files);
    EXPECT_EQ(after.threads, before.threads);
    EXPECT_LT(after.resident_mib, before.resident_mib + 4);
  }
};

TEST_F(Soak, NothingChangesAndNothingGrows) {
  const Communicator& communicator = world();
  const unsigned products = number_from_environment("SPMV_SOAK_PRODUCTS", 300);
  const unsigned in_a_row = std::max(1U, number_from_environment("SPMV_SOAK_IN_A_ROW", 1));
  unsigned left_out = number_from_environment("SPMV_SOAK_SKIP", 0);
  for (const GlobalMatrix& matrix : matrix_battery(communicator.size())) {
    if (matrix.name != "opposite lengths") continue;
    const auto problem =
        make_problem<double>(communicator, matrix, pick(partitioners(), "metis", "partitioner"));
    const TestBackend& backend = product_backends().front();
    for (const Transport* transport : usable_transports(communicator, backend.make(communicator)))
      for (const ModeLayout<double>& way : mode_layouts<double>()) {
        SCOPED_TRACE(std::string(backend.name) + ", " + way.name() + ", " + transport->name);
        DistOptions options;
        options.layout = way.layout;
        options.transport = transport->name;
        options.format = options.nonlocal_format = "sell";
        const auto built =
            make_matrix(communicator, problem.rows, *way.mode, options, backend.make(communicator));
        if (!built) continue;
        if (left_out > 0) {
          --left_out;
          continue;
        }
        multiply(*built, problem, *way.mode, products, in_a_row);
        if (std::getenv("SPMV_SOAK_PRODUCTS") != nullptr && communicator.rank() == 0)
          std::cout << backend.name << ", " << way.name() << ", " << transport->name << ": " << products
                    << " products, " << held().resident_mib << " MiB" << std::endl;
      }
  }
}

}  // namespace
}  // namespace spmv::test
