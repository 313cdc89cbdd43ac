#include "app/options/option_names.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "comm/choose/choose_transport.hpp"
#include "core/backend.hpp"
#include "dist/layouts.hpp"
#include "dist/modes.hpp"
#include "dist/order/choose_order.hpp"
#include "dist/partitioner.hpp"
#include "dist/solve/solver.hpp"
#include "io/generate/generator.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {
namespace {

template <class Row>
std::string listing(std::string_view title, const std::vector<Row>& table) {
  std::string text = fmt::format("{}\n", title);
  for (const Row& row : table) text += fmt::format("  {:<16} {}\n", row.name, row.summary);
  return text;
}

/// The rows of a table between others.
template <class Row>
std::vector<NamedText> rows_of(std::vector<NamedText> first, const std::vector<Row>& table,
                               const std::vector<NamedText>& last = {}) {
  for (const Row& row : table) first.push_back({row.name, row.summary});
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

/// Solvers, with what each needs of the matrix.
std::string solver_listing() {
  std::string text = "solvers\n";
  for (const SolverRow<double>& row : solvers())
    text += fmt::format("  {:<16} {}; the matrix: {}\n", row.name, row.summary, row.needs);
  return text;
}

/// Whether some mode has this layout and others.
bool is_a_choice(std::string_view layout) {
  return std::any_of(modes<double>().begin(), modes<double>().end(), [&](const Mode<double>& mode) {
    return mode.layouts.size() > 1 && std::count(mode.layouts.begin(), mode.layouts.end(), layout) > 0;
  });
}

}  // namespace

const std::vector<NamedText>& value_types() {
  static const std::vector<NamedText> table = {
      {"auto", "what the file has: double or complex_double for Matrix Market"},
      {"float", "32-bit real"},
      {"double", "64-bit real"},
      {"complex_float", "two 32-bit reals"},
      {"complex_double", "two 64-bit reals"},
  };
  return table;
}

const std::vector<NamedText>& vector_places() {
  static const std::vector<NamedText> table = {
      {"device", "x and y stay on the device from product to product"},
      {"host", "x and y cross to the device and back in every product, as the paper counts it"},
  };
  return table;
}

const std::vector<NamedText>& format_names() {
  static const std::vector<NamedText> table =
      rows_of({{auto_format, "what suits the matrix and --products, found by trials"}}, formats<double>());
  return table;
}

const std::vector<NamedText>& transport_names() {
  static const std::vector<NamedText> table =
      rows_of({{auto_transport, "the fastest for the halo, found by trials of all"}}, transports(),
              {{"all", "auto, and each of the others that works"}});
  return table;
}

const std::vector<NamedText>& mode_names() {
  static const std::vector<NamedText> table =
      rows_of({}, modes<double>(), {{"all", "each of these that can be"}});
  return table;
}

const std::vector<NamedText>& layout_names() {
  static const std::vector<NamedText> table = [] {
    std::vector<Layout<double>> of_choice = layouts();
    std::erase_if(of_choice, [](const Layout<double>& row) { return !is_a_choice(row.name); });
    return rows_of({{auto_layout, "the fastest one, found by measuring the mode in each"}}, of_choice);
  }();
  return table;
}

const std::vector<NamedText>& order_names() {
  static const std::vector<NamedText> table = rows_of(
      {{auto_order, "another order where it saves more in --products products than it costs"}}, orders());
  return table;
}

const std::vector<NamedText>& backend_names() {
  static const std::vector<NamedText> table =
      rows_of({}, backends(), {{"auto", "a GPU if every rank has one, else the host"}});
  return table;
}

std::string full_listing() {
  std::string text = listing("formats", format_names()) + listing("hints", hints()) +
                     listing("modes", mode_names()) + listing("layouts", layout_names()) +
                     listing("transports", transport_names()) + listing("partitioners", partitioners()) +
                     listing("orders", order_names()) + solver_listing() +
                     listing("preconditioners", preconditioners()) + listing("backends", backends()) +
                     listing("value types", value_types()) + "generators\n";
  for (const Generator& g : generators())
    text += fmt::format("  {}:{}\n      {}\n", g.name, g.parameters, g.summary);
  return text;
}

}  // namespace spmv
