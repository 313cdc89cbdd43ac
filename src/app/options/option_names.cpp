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
  static const std::vector<NamedText> table = [] {
    std::vector<NamedText> rows = {{auto_format, "what suits the matrix and --products, found by trials"}};
    for (const Format<double>& format : formats<double>()) rows.push_back({format.name, format.summary});
    return rows;
  }();
  return table;
}

const std::vector<NamedText>& transport_names() {
  static const std::vector<NamedText> table = [] {
    std::vector<NamedText> rows = {{auto_transport, "the fastest for the halo, found by trials of all"}};
    for (const Transport& transport : transports()) rows.push_back({transport.name, transport.summary});
    rows.push_back({"all", "auto, and each of the others that works"});
    return rows;
  }();
  return table;
}

const std::vector<NamedText>& mode_names() {
  static const std::vector<NamedText> table = [] {
    std::vector<NamedText> rows;
    for (const Mode<double>& mode : modes<double>()) rows.push_back({mode.name, mode.summary});
    rows.push_back({"all", "each of these that can be"});
    return rows;
  }();
  return table;
}

const std::vector<NamedText>& layout_names() {
  static const std::vector<NamedText> table = [] {
    std::vector<NamedText> rows = {{auto_layout, "the fastest one, found by measuring the mode in each"}};
    for (const Layout<double>& row : layouts())
      if (std::any_of(modes<double>().begin(), modes<double>().end(), [&](const Mode<double>& mode) {
            return mode.layouts.size() > 1 &&
                   std::count(mode.layouts.begin(), mode.layouts.end(), row.name) > 0;
          }))
        rows.push_back({row.name, row.summary});
    return rows;
  }();
  return table;
}

const std::vector<NamedText>& order_names() {
  static const std::vector<NamedText> table = [] {
    std::vector<NamedText> rows = {
        {auto_order, "another order where it saves more in --products products than it costs"}};
    for (const Order& row : orders()) rows.push_back({row.name, row.summary});
    return rows;
  }();
  return table;
}

std::vector<std::string> generator_words() {
  std::vector<std::string> words;
  for (const Generator& generator : generators()) words.push_back(generator.name + std::string(":"));
  return words;
}

std::string full_listing() {
  std::string text = listing("formats", format_names()) + listing("hints", hints()) +
                     listing("modes", mode_names()) + listing("layouts", layout_names()) +
                     listing("transports", transport_names()) + listing("partitioners", partitioners()) +
                     listing("orders", order_names()) + listing("backends", backends()) +
                     listing("value types", value_types()) + "generators\n";
  for (const Generator& g : generators())
    text += fmt::format("  {}:{}\n      {}\n", g.name, g.parameters, g.summary);
  return text;
}

}  // namespace spmv
