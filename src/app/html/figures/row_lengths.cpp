#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

struct Class {
  double from, to, rows;
  std::string name() const {
    return from == to ? plural(from, "nonzero") : fmt::format("{} to {} nonzeros", count(from), count(to));
  }
};

std::vector<Class> classes_of(const Json& run) {
  std::vector<Class> classes;
  constexpr std::size_t most = 256;
  for (const Json& one : member(member(run, "pictures"), "row_lengths")) {
    const std::vector<double> values = numbers(one, 3);
    if (values.size() == 3 && values[0] >= 0 && values[1] >= values[0] && values[2] > 0 &&
        classes.size() < most)
      classes.push_back({values[0], values[1], values[2]});
  }
  return classes;
}

}  // namespace

Drawing draw_row_lengths(const Json& run) {
  const std::vector<Class> classes = classes_of(run);
  if (classes.empty()) return left_out(no_pictures);
  double rows = 0, most = 0, shortest = classes.front().from, longest = 0;
  const Class* commonest = &classes.front();
  for (const Class& c : classes) {
    rows += c.rows;
    most = std::max(most, c.rows);
    shortest = std::min(shortest, c.from);
    longest = std::max(longest, c.to);
    if (c.rows > commonest->rows) commonest = &c;
  }
  // Widths of classes may grow with their lengths: then the axis is logarithmic, and a length of 0 stands before 1.
  const bool wide = std::any_of(classes.begin(), classes.end(), [](const Class& c) { return c.to > c.from; });
  const auto left = [&](double length) { return wide ? std::max(length, 0.5) : length - 0.5; };
  const auto right = [&](double length) { return wide ? length + 1 : length + 0.5; };
  Axis x{wide ? Scale::logarithmic(left(shortest), right(longest))
              : Scale::linear(left(shortest), right(longest)),
         "nonzeros in a row",
         {}};
  for (const double tick : x.scale.ticks()) x.ticks.emplace_back(tick, count(tick));
  Axis y{Scale::logarithmic(0.5, most, 1.2), "number of rows", {}};
  for (const double tick : y.scale.ticks()) y.ticks.emplace_back(tick, count(tick));
  Chart chart(x, y, 220);
  for (const Class& c : classes)
    chart.bar(left(c.from), y.scale.least(), right(c.to), c.rows, "best",
              fmt::format("{} with {}, {} of all", plural(c.rows, "row"), c.name(), percent(c.rows / rows)));
  const double nonzeros = matrix_of(run).nonzeros;
  std::string says;
  if (shortest == longest) {
    says = fmt::format("Every row has {}.", plural(longest, "nonzero"));
  } else {
    says = fmt::format("Rows have {} to {} nonzeros", count(shortest), count(longest));
    if (nonzeros > 0) says += fmt::format(", {} on average", digits(nonzeros / rows));
    says += fmt::format("; most often {}, in {} of the rows.", commonest->name(),
                        percent(commonest->rows / rows));
  }
  if (nonzeros > 0 && longest > 0)
    says += fmt::format(
        " ELLPACK, which fills every row up to the longest, would store {} elements for each nonzero.",
        digits(longest * rows / nonzeros));
  return {chart.html("Numbers of rows by their lengths"), says};
}

}  // namespace spmv::html
