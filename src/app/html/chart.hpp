// Charts as HTML and SVG. Places within a chart are percentages, so that it is as wide as the page lets it while its letters stay
// as large as they are: a telephone needs no other chart than paper.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace spmv::html {

/// From values to places between 0 and 1. Immutable.
class Scale {
 public:
  /// From 0 to a round number that `largest` does not pass.
  static Scale from_0(double largest);
  static Scale linear(double least, double largest);
  /// Both ends positive, each moved outward by the factor `room`.
  static Scale logarithmic(double least, double largest, double room = 1);

  /// Values beyond an end are at the end. Pure.
  double at(double value) const;
  /// Round values, ascending. Pure.
  std::vector<double> ticks() const;
  double least() const { return least_; }
  double largest() const { return largest_; }

 private:
  Scale(double least, double largest, bool logarithmic)
      : least_(least), largest_(largest), logarithmic_(logarithmic) {}
  double least_;
  double largest_;
  bool logarithmic_;
};

/// "12.5%" for 0.125, between 0 and 100. Pure.
std::string place(double share);

/// An axis: what it says, where.
struct Axis {
  Scale scale;
  std::string title;
  std::vector<std::pair<double, std::string>> ticks;  // value and text
};

/// A chart with two axes. Everything drawn has a class, which the page's style gives a colour, and a title, which is shown where a
/// pointer or a finger is; titles are text, not markup.
class Chart {
 public:
  Chart(Axis x, Axis y, int height) : x_(std::move(x)), y_(std::move(y)), height_(height) {}

  void line(double x1, double y1, double x2, double y2, const std::string& kind,
            const std::string& title = {});
  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& kind);
  void point(double x, double y, const std::string& kind, const std::string& title);
  /// From the value x1 to x2 and y1 to y2, whichever is larger.
  void bar(double x1, double y1, double x2, double y2, const std::string& kind, const std::string& title);

  /// `label`: what the chart is, for those who cannot see it. `zooms`: whether it can be drawn wider than the page. Pure.
  std::string html(const std::string& label, bool zooms = false) const;

 private:
  Axis x_;
  Axis y_;
  int height_;
  std::string drawn_;
};

/// A square of cells, each coloured by a class and a strength.
struct Cell {
  int row = 0;
  int col = 0;
  double value = 0;  // positive
  int colour = 0;    // of the page's colours for ranks
  std::string text;  // shown within the cell, where there are few; empty: nothing
};

/// What a cell's title says of it.
struct CellTitles {
  std::string row;     // "rows", "from rank"
  std::string col;     // "columns", "to rank"
  std::string value;   // "nonzeros", "bytes"
  std::string colour;  // "most of them of rank"; empty: the colour says nothing
  double row_ids = 1;  // of all cells together
  double col_ids = 1;
  double ids_per_cell = 0;  // 0: as evenly as it goes
};

/// Cells beyond `side` are left out. Strengths are by the logarithm of values. Pure.
std::string grid(int side, const std::vector<Cell>& cells, const CellTitles& titles,
                 const std::string& label);

/// A line of coloured words: what the classes stand for. Pure.
std::string legend(const std::vector<std::pair<std::string, std::string>>& classes_and_words);

/// A table; the first row is its head. Cells are HTML. Pure.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// The class of a series, or of a rank, by number: there are so many colours, then they begin again. Pure.
std::string series_class(std::size_t number);
std::string rank_class(std::size_t rank);

}  // namespace spmv::html
