#include "app/html/chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/html/words.hpp"

namespace spmv::html {
namespace {

constexpr std::size_t series_colours = 8;
constexpr std::size_t rank_colours = 12;

/// The smallest of 1, 2, 5, 10, 20, 50 ... that is at least `x`, which is positive.
double round_up(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= x * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::string title_of(const std::string& title) {
  return title.empty() ? "" : "<title>" + escape(title) + "</title>";
}

}  // namespace

Scale Scale::from_0(double largest) {
  if (!(largest > 0)) return {0, 1, false};
  const double step = round_up(largest / 5);
  return {0, step * std::ceil(largest / step * (1 - 1e-9)), false};
}

Scale Scale::linear(double least, double largest) {
  return {least, std::max(largest, least + std::max(1e-6, std::abs(least) * 1e-6)), false};
}

Scale Scale::logarithmic(double least, double largest, double room) {
  return {least / room, std::max(largest * room, least / room * (1 + 1e-6)), true};
}

double Scale::at(double value) const {
  const double share = logarithmic_ ? std::log(std::max(value, least_) / least_) / std::log(largest_ / least_)
                                    : (value - least_) / (largest_ - least_);
  return std::clamp(share, 0.0, 1.0);
}

std::vector<double> Scale::ticks() const {
  std::vector<double> ticks;
  if (!logarithmic_) {
    const double step = round_up((largest_ - least_) / 5);
    const double first = std::ceil(least_ / step);
    const auto last = static_cast<int>(std::floor(largest_ / step + 1e-9) - first);
    for (int i = 0; i <= last; ++i) ticks.push_back((first + i) * step);
    return ticks;
  }
  const bool few_powers = largest_ / least_ < 100;
  const auto first = static_cast<int>(std::floor(std::log10(least_))),
             last = static_cast<int>(std::ceil(std::log10(largest_)));
  for (int exponent = first; exponent <= last; ++exponent)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1 && !few_powers) continue;
      const double tick = factor * std::pow(10.0, exponent);
      if (tick >= least_ && tick <= largest_) ticks.push_back(tick);
    }
  return ticks;
}

std::string place(double share) {
  return fmt::format("{:.4g}%", share > 0 ? std::min(share, 1.0) * 100 : 0.0);
}

void Chart::line(double x1, double y1, double x2, double y2, const std::string& kind,
                 const std::string& title) {
  drawn_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}">{}</line>)", kind,
                        place(x_.scale.at(x1)), place(1 - y_.scale.at(y1)), place(x_.scale.at(x2)),
                        place(1 - y_.scale.at(y2)), title_of(title));
}

void Chart::polyline(const std::vector<std::pair<double, double>>& points, const std::string& kind) {
  for (std::size_t i = 1; i < points.size(); ++i)
    line(points[i - 1].first, points[i - 1].second, points[i].first, points[i].second, kind);
}

void Chart::point(double x, double y, const std::string& kind, const std::string& title) {
  drawn_ += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="5">{}</circle>)", kind,
                        place(x_.scale.at(x)), place(1 - y_.scale.at(y)), title_of(title));
}

void Chart::bar(double x1, double y1, double x2, double y2, const std::string& kind,
                const std::string& title) {
  const double left = x_.scale.at(std::min(x1, x2)), right = x_.scale.at(std::max(x1, x2));
  const double top = 1 - y_.scale.at(std::max(y1, y2)), bottom = 1 - y_.scale.at(std::min(y1, y2));
  drawn_ += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>)", kind,
                        place(left), place(top), place(right - left), place(bottom - top), title_of(title));
}

std::string Chart::html(const std::string& label, bool zooms) const {
  std::string y_ticks, x_ticks, lines;
  for (const auto& [value, words] : y_.ticks) {
    const std::string top = place(1 - y_.scale.at(value));
    y_ticks += fmt::format(R"(<span style="top:{}">{}</span>)", top, escape(words));
    lines += fmt::format(R"(<line class="rule" x1="0" x2="100%" y1="{0}" y2="{0}"/>)", top);
  }
  for (const auto& [value, words] : x_.ticks) {
    const std::string left = place(x_.scale.at(value));
    x_ticks += fmt::format(R"(<span style="left:{}">{}</span>)", left, escape(words));
    lines += fmt::format(R"(<line class="rule" y1="0" y2="100%" x1="{0}" x2="{0}"/>)", left);
  }
  return fmt::format(
      "<div class=\"chart\"{} role=\"img\" aria-label=\"{}\"><p class=\"axis\">{}</p>"
      "<div class=\"frame\"><div class=\"ys\" style=\"height:{}px\">{}</div><div class=\"window\"><div class=\"wide\">"
      "<svg width=\"100%\" height=\"{}\">{}{}</svg><div class=\"xs\">{}</div></div></div></div>"
      "<p class=\"axis right\">{}</p></div>\n",
      zooms ? " data-zooms" : "", escape(label), escape(y_.title), height_, y_ticks, height_, lines, drawn_,
      x_ticks, escape(x_.title));
}

std::string grid(int side, const std::vector<Cell>& cells, const CellTitles& titles,
                 const std::string& label) {
  constexpr int strengths = 4;
  double least = 0, largest = 0;
  for (const Cell& cell : cells) {
    least = least == 0 ? cell.value : std::min(least, cell.value);
    largest = std::max(largest, cell.value);
  }
  // Values that differ little look alike.
  constexpr double least_range = 16;
  least = std::min(least, largest / least_range);
  // Of each colour and strength one path: cells side by side in a row are drawn as one.
  std::vector<std::vector<std::string>> paths(rank_colours, std::vector<std::string>(strengths));
  std::string texts, data;
  const auto strength_of = [&](double value) {
    return 1 + static_cast<int>(
                   std::floor((strengths - 0.001) * std::log(value / least) / std::log(largest / least)));
  };
  for (std::size_t i = 0; i < cells.size();) {
    const Cell& first = cells[i];
    const int strength = strength_of(first.value);
    int width = 0;
    for (; i < cells.size() && cells[i].row == first.row && cells[i].col == first.col + width &&
           cells[i].colour == first.colour && strength_of(cells[i].value) == strength;
         ++i, ++width) {
      const Cell& cell = cells[i];
      data += fmt::format("{},{},{:.15g},{};", cell.row, cell.col, cell.value, cell.colour);
      if (!cell.text.empty())
        texts += fmt::format(R"(<text x="{}" y="{}">{}</text>)", cell.col + 0.5, cell.row + 0.56,
                             escape(cell.text));
    }
    const auto colour = static_cast<std::size_t>(first.colour) % rank_colours;
    paths[colour][static_cast<std::size_t>(strength) - 1] +=
        fmt::format("M{} {}h{}v1h-{}z", first.col, first.row, width, width);
  }
  std::string drawn;
  for (std::size_t colour = 0; colour < paths.size(); ++colour)
    for (std::size_t strength = 0; strength < strengths; ++strength)
      if (!paths[colour][strength].empty())
        drawn += fmt::format(R"(<path class="{} strength{}" d="{}"/>)", rank_class(colour), strength + 1,
                             paths[colour][strength]);
  return fmt::format(
      "<div class=\"grid\" data-zooms role=\"img\" aria-label=\"{}\"><div class=\"window\"><div class=\"wide\">"
      "<svg class=\"cells\" viewBox=\"0 0 {} {}\" data-side=\"{}\" data-row=\"{}\" data-col=\"{}\" data-value=\"{}\" "
      "data-colour=\"{}\" data-row-ids=\"{:.0f}\" data-col-ids=\"{:.0f}\" data-ids=\"{:.0f}\" data-cells=\"{}\">{}{}</svg>"
      "</div></div></div>\n",
      escape(label), side, side, side, escape(titles.row), escape(titles.col), escape(titles.value),
      escape(titles.colour), titles.row_ids, titles.col_ids, titles.ids_per_cell, data, drawn, texts);
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& classes_and_words) {
  std::string out = "<p class=\"legend\">";
  for (const auto& [kind, words] : classes_and_words)
    out += fmt::format(
        R"(<span><svg width="12" height="12"><rect class="{}" width="12" height="12"/></svg>{}</span> )",
        kind, escape(words));
  return out + "</p>\n";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"window\"><table>";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (const std::string& cell : rows[i]) out += fmt::format("<t{0}>{1}</t{0}>", i == 0 ? 'h' : 'd', cell);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string series_class(std::size_t number) {
  return fmt::format("s{}", number % series_colours);
}

std::string rank_class(std::size_t rank) {
  return fmt::format("r{}", rank % rank_colours);
}

}  // namespace spmv::html
