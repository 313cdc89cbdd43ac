// All tables on the battery: modes in their layouts x formats x transports x partitioners x backends x value
// types.
#include <algorithm>
#include <array>
#include <complex>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "support/check_products.hpp"
#include "support/mode_layouts.hpp"
#include "support/mpi_test.hpp"
#include "support/pairwise.hpp"
#include "support/problem.hpp"
#include "support/thorough.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

/// One way to multiply.
template <class T>
struct Variant {
  const TestBackend* backend;
  ModeLayout<T> way;
  const Format<T>* format;
  const Format<T>* nonlocal_format;
  const Transport* transport;
  lidx block_rows;
  bool vectors_on_host;
  int columns;

  std::string name() const {
    return std::string(backend->name) + ", " + way.name() + ", " + format->name + " + " +
           nonlocal_format->name + ", " + transport->name + ", b_r " + std::to_string(block_rows) +
           (vectors_on_host ? ", vectors on host" : "") + ", " + std::to_string(columns) + " columns";
  }
};

constexpr std::array<lidx, 2> block_rows_table = {1, 32};
constexpr std::array<int, 3> columns_table = {1, 2, 5};

/// Formats that run on all backends in the table.
template <class T>
std::vector<const Format<T>*> usable_formats() {
  std::vector<std::shared_ptr<Backend>> all;
  for (const TestBackend& backend : product_backends()) all.push_back(backend.make(world()));
  std::vector<const Format<T>*> usable;
  for (const Format<T>& format : formats<T>())
    if (std::all_of(all.begin(), all.end(), [&](const auto& b) { return why_unusable(format, *b).empty(); }))
      usable.push_back(&format);
  return usable;
}

/// Five formats from number 5 * `first` on, cyclic: pairs with all formats would take too long.
template <class T>
std::vector<const Format<T>*> some_formats(std::size_t first) {
  constexpr std::size_t most = 5;
  const std::vector<const Format<T>*> all = usable_formats<T>();
  std::vector<const Format<T>*> some;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    some.push_back(all[(most * first + i) % all.size()]);
  return some;
}

/// For each of product_backends(), the transports that work with it.
using UsableTransports = std::vector<std::vector<const Transport*>>;

/// Collective.
UsableTransports find_usable_transports() {
  const Communicator& communicator = world();
  UsableTransports usable;
  for (const TestBackend& backend : product_backends())
    usable.push_back(usable_transports(communicator, backend.make(communicator)));
  return usable;
}

/// Sizes of the tables that choices index; the nonlocal format is the same or the next one, the last ones are
/// partitioner, order and columns. The number of transports is that of the backend with the most.
std::vector<std::size_t> table_sizes(std::size_t format_count, const UsableTransports& usable) {
  std::size_t most = 0;
  for (const auto& of_backend : usable) most = std::max(most, of_backend.size());
  return {product_backends().size(),
          mode_layouts<double>().size(),
          format_count,
          2,
          most,
          block_rows_table.size(),
          2,
          built_partitioners().size(),
          tested_orders().size(),
          columns_table.size()};
}

/// If a backend has fewer transports than others, its indices wrap around.
template <class T>
Variant<T> variant(const std::vector<const Format<T>*>& some, const UsableTransports& usable,
                   const std::vector<std::size_t>& at) {
  const std::vector<const Transport*>& of_backend = usable[at[0]];
  const Format<T>* nonlocal = some[(at[2] + at[3]) % some.size()];
  const Transport* transport = of_backend[at[4] % of_backend.size()];
  return {&product_backends()[at[0]],
          mode_layouts<T>()[at[1]],
          some[at[2]],
          nonlocal,
          transport,
          block_rows_table[at[5]],
          at[6] == 1,
          columns_table[at[9]]};
}

template <class T>
void check_product(const Communicator& communicator, const Problem<T>& problem, const Variant<T>& variant) {
  DistOptions options;
  options.layout = variant.way.layout;
  options.format = variant.format->name;
  options.nonlocal_format = variant.nonlocal_format->name;
  options.transport = variant.transport->name;
  options.tune.columns = variant.columns;
  options.tune.options.block_rows = variant.block_rows;
  check_products(communicator, problem, *variant.way.mode, options, variant.vectors_on_host,
                 variant.backend->make(communicator));
}

template <class T>
void check_matrix(const GlobalMatrix& global, const std::vector<const Format<T>*>& some,
                  const UsableTransports& usable, const std::vector<std::vector<std::size_t>>& choices) {
  const Communicator& communicator = world();
  std::set<std::pair<std::size_t, std::size_t>> ways;  // a partitioner and an order
  for (const auto& choice : choices) ways.emplace(choice[7], choice[8]);
  for (const auto& [p, o] : ways) {
    const Order& order = tested_orders()[o];
    const Problem<T> problem = make_problem<T>(communicator, global, built_partitioners()[p], order);
    for (const auto& choice : choices) {
      if (choice[7] != p || choice[8] != o) continue;
      const Variant<T> v = variant<T>(some, usable, choice);
      SCOPED_TRACE("'" + global.name + "', " + value_name<T>() + ", " + built_partitioners()[p].name +
                   ", order " + order.name + ", " + v.name());
      check_product(communicator, problem, v);
    }
  }
}

template <class T>
class Products : public BackendsTest {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Products, ValueTypes);

/// Index of T, 0 to 3.
template <class T>
constexpr std::size_t value_index() {
  return 2 * is_complex<T> + (sizeof(RealOf<T>) > 4);
}

/// Whether to test a matrix with a value type on this many ranks. On one and two ranks all value types are
/// tested; on more they take turns: even numbers of ranks test those that odd ones leave out.
bool is_its_turn(std::size_t matrix, std::size_t value_type, int ranks) {
  return thorough() || ranks <= 2 || (matrix + value_type + static_cast<std::size_t>(ranks)) % 2 == 0;
}

// Every pair of table rows on every matrix, in different combinations for every matrix and value type.
// Formats take turns: over value types and numbers of ranks, each is tested on every matrix.
TYPED_TEST(Products, EveryPairOnTheBattery) {
  unsigned seed = 100 * sizeof(TypeParam) + is_complex<TypeParam>;
  std::size_t turn = value_index<TypeParam>() + 4 * static_cast<std::size_t>(world().size());
  const UsableTransports usable = find_usable_transports();
  std::size_t number = 0;
  for (const GlobalMatrix& matrix : matrix_battery(world().size())) {
    const auto some = some_formats<TypeParam>(turn++);
    ++seed;
    if (is_its_turn(number++, value_index<TypeParam>(), world().size()))
      check_matrix<TypeParam>(matrix, some, usable, pairwise(table_sizes(some.size(), usable), seed));
  }
}

// Packed slices of stencils, which a GPU multiplies in groups if it has one thread per row; dense blocks,
// which must stay whole; several tiles of boundary rows. The halos are whole planes, with hardly any
// interior, or more boundary than interior. Transports take turns.
TYPED_TEST(Products, StencilsAndBlocks) {
  const Communicator& communicator = world();
  const TestBackend& backend = product_backends().front();
  const auto transports = usable_transports(communicator, backend.make(communicator));
  struct Case {
    const char* matrix;
    const char* format;
    int threads_per_row;
  };
  std::size_t turn = value_index<TypeParam>();
  for (const Case& c :
       {Case{"stencil7:32,8,41", "sell_packed", 1}, Case{"stencil27:33,5,40", "sell_packed", 1},
        Case{"stencil5:64,16", "sell_packed", 1}, Case{"shuffled:1,stencil7:6,7,8", "sell_packed", 1},
        Case{"elasticity:4,5,20", "sell_blocked", 0}, Case{"blocks:6,5,9,4", "sell_blocked", 2},
        Case{"stencil27:16,16,40", "csr", 0}, Case{"stencil7:16,24,40", "csr_packed", 0}}) {
    const auto problem = generated_problem<TypeParam>(communicator, c.matrix);
    for (const ModeLayout<TypeParam>& way : mode_layouts<TypeParam>()) {
      const Transport& transport = *transports[turn++ % transports.size()];
      SCOPED_TRACE(std::string(c.matrix) + ", " + c.format + ", " + way.name() + ", " + transport.name);
      DistOptions options;
      options.layout = way.layout;
      options.format = options.nonlocal_format = c.format;
      options.transport = transport.name;
      options.tune.options.threads_per_row = c.threads_per_row;
      check_products(communicator, problem, *way.mode, options, false, backend.make(communicator));
    }
  }
}

// Local rows, nonlocal rows, ghosts and owned columns all have different orders.
class FullProducts : public BackendsTest {
 protected:
  static void check(const std::vector<const Format<double>*>& some, const UsableTransports& usable,
                    const std::vector<std::vector<std::size_t>>& choices) {
    for (const GlobalMatrix& matrix : matrix_battery(world().size()))
      if (matrix.name == "opposite lengths") check_matrix<double>(matrix, some, usable, choices);
  }
};

// Everything that matters during a product. Partitioners have finished by then and take turns:
// EveryPairOnTheBattery tests how they distribute rows.
TEST_F(FullProducts, EveryCombinationWithOneFormat) {
  const std::vector<const Format<double>*> pjds = {&pick(formats<double>(), "pjds", "format")};
  const UsableTransports usable = find_usable_transports();
  std::vector<std::size_t> sizes = table_sizes(1, usable);
  const std::size_t partitioner_count = sizes[7];
  sizes[3] = sizes[8] = 1;
  if (!thorough()) sizes[7] = 1;
  auto choices = full_product(sizes);
  if (!thorough())
    for (auto& at : choices) at[7] = (at[0] + at[1] + at[4] + at[5] + at[6]) % partitioner_count;
  std::erase_if(choices, [&](const auto& at) { return at[4] >= usable[at[0]].size(); });
  check(pjds, usable, choices);
}

// The tuner chooses by trials, by prediction, and from a stored choice, which sorts the rows.
TEST_F(FullProducts, FormatAutoInEveryModeAndLayout) {
  const Communicator& communicator = world();
  DistOptions options;
  options.format = options.nonlocal_format = auto_format;
  options.tune.bandwidth = 1e10;
  std::vector<DistOptions> ways(3, options);
  ways[0].tune.products = 1e6;
  ways[1].tune.products = 1;
  ways[2].remembered = {{"", "pjds", {}, 1e-6, options.tune.products}};
  for (const GlobalMatrix& matrix : matrix_battery(communicator.size())) {
    const auto problem =
        make_problem<double>(communicator, matrix, pick(partitioners(), "metis", "partitioner"));
    const bool all = matrix.name == "opposite lengths";
    for (const ModeLayout<double>& mode_layout : mode_layouts<double>())
      for (const TestBackend& backend : product_backends())
        for (DistOptions& way : ways) {
          if (!all && (&way != &ways.back() || &backend != &product_backends().front())) continue;
          SCOPED_TRACE("'" + matrix.name + "', " + mode_layout.name() + ", " + backend.name + ", way " +
                       std::to_string(&way - ways.data()));
          way.layout = mode_layout.layout;
          check_products(communicator, problem, *mode_layout.mode, way, false, backend.make(communicator));
        }
  }
}

TEST_F(FullProducts, EveryFormatInEveryModeAndLayout) {
  const auto all = usable_formats<double>();
  const UsableTransports usable = find_usable_transports();
  const std::vector<std::size_t> sizes = table_sizes(all.size(), usable);
  std::vector<std::vector<std::size_t>> choices;
  for (std::size_t mode = 0; mode < mode_layouts<double>().size(); ++mode) {
    for (std::size_t format = 0; format < all.size(); ++format) {
      choices.push_back({});
      for (const std::size_t size : sizes) choices.back().push_back((format + mode) % size);
      choices.back()[1] = mode;
      choices.back()[2] = format;
    }
  }
  check(all, usable, choices);
}

TEST_F(FullProducts, EveryOrderInEveryFormatModeAndLayout) {
  const auto all = usable_formats<double>();
  const UsableTransports usable = find_usable_transports();
  std::vector<std::size_t> sizes = table_sizes(all.size(), usable);
  std::vector<std::vector<std::size_t>> choices;
  for (std::size_t order = 0; order < sizes[8]; ++order)
    for (std::size_t mode = 0; mode < sizes[1]; ++mode)
      for (std::size_t format = 0; format < sizes[2]; ++format)
        choices.push_back({format % sizes[0], mode, format, 0, (format + mode) % sizes[4], format % sizes[5],
                           mode % sizes[6], (order + mode) % sizes[7], order,
                           (order + format + mode) % sizes[9]});
  check(all, usable, choices);
}

}  // namespace
}  // namespace spmv::test
