#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/generate/binomial.hpp"
#include "io/generate/generators.hpp"
#include "io/generate/hash.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

struct Quarters {
  int scale = 0;
  gidx edges = 0;
  double edges_per_row = 0;
  double a = 0.57, b = 0.19, c = 0.19;
  double seed = 1;
  double d() const { return 1 - a - b - c; }
};

Quarters parse_quarters(const std::string& parameters) {
  Quarters q;
  const std::vector<double> numbers =
      parse_real_parameters(parameters, 2, {{"a", &q.a}, {"b", &q.b}, {"c", &q.c}, {"seed", &q.seed}});
  constexpr gidx largest_scale = 32;
  constexpr double most_edges = 1e4, least_probability = 1e-6;
  q.scale = static_cast<int>(whole_number(numbers[0], "SCALE", 1, largest_scale));
  q.edges_per_row = numbers[1];
  require_parameter(q.edges_per_row <= most_edges, "EDGES_PER_ROW = {}; it is at most {}", q.edges_per_row,
                    most_edges);
  require_parameter(std::min({q.a, q.b, q.c, q.d()}) >= least_probability,
                    "a = {}, b = {}, c = {} and 1 - a - b - c = {}; all must be above 0", q.a, q.b, q.c,
                    q.d());
  q.edges = std::llround(q.edges_per_row * static_cast<double>(gidx{1} << q.scale));
  return q;
}

/// The number of edges in each row, from a binary tree over the bits of the row: a node is a range of rows with common leading
/// bits, and a binomial draw distributes its edges over its two halves. The root has all edges.
class EdgeTree {
 public:
  EdgeTree(int levels, gidx edges, double lower_half, std::uint64_t seed)
      : levels_(levels),
        tabled_(std::min(levels, most_tabled)),
        lower_half_(lower_half),
        seed_(seed),
        table_(1, edges) {
    for (int level = 0; level < tabled_; ++level) {
      std::vector<gidx> next;
      next.reserve(2 * table_.size());
      for (std::size_t prefix = 0; prefix < table_.size(); ++prefix) {
        const gidx low = lower(level, prefix, table_[prefix]);
        next.push_back(low);
        next.push_back(table_[prefix] - low);
      }
      table_ = std::move(next);
    }
  }

  gidx edges(gidx row) const {
    const auto bits = static_cast<std::uint64_t>(row);
    gidx count = table_[bits >> (levels_ - tabled_)];
    for (int level = tabled_; level < levels_ && count > 0; ++level) {
      const int below = levels_ - level;
      const gidx low = lower(level, bits >> below, count);
      count = (bits >> (below - 1) & 1) == 0 ? low : count - low;
    }
    return count;
  }

  /// An upper bound of edges(). It divides the range with the most edges first, so if rows are unequal it soon arrives at the
  /// fullest row itself.
  gidx most_edges() const {
    struct Node {
      gidx edges;
      int level;
      std::uint64_t prefix;
      bool operator<(const Node& other) const { return edges < other.edges; }
    };
    std::priority_queue<Node> open;
    for (std::size_t prefix = 0; prefix < table_.size(); ++prefix)
      open.push({table_[prefix], tabled_, prefix});
    constexpr int most_opened = 100'000;
    for (int opened = 0; opened < most_opened && open.top().level < levels_; ++opened) {
      const Node node = open.top();
      open.pop();
      const gidx low = lower(node.level, node.prefix, node.edges);
      open.push({low, node.level + 1, 2 * node.prefix});
      open.push({node.edges - low, node.level + 1, 2 * node.prefix + 1});
    }
    return open.top().edges;
  }

 private:
  static constexpr int most_tabled = 14;  // levels in the table: 128 KiB

  gidx lower(int level, std::uint64_t prefix, gidx count) const {
    if (count == 0) return 0;
    return binomial_draw(count, lower_half_, mixed(seed_, std::uint64_t{1} << level | prefix));
  }

  int levels_, tabled_;
  double lower_half_;
  std::uint64_t seed_;
  std::vector<gidx> table_;  // edges of the nodes at level tabled_
};

/// Draws the bits of a column for given bits of its row. They are independent, so Walker's alias method draws four at once.
class ColumnBits {
 public:
  /// The probabilities that the column has a 0 where the row has a 0, and where it has a 1.
  ColumnBits(double zero_at_zero, double zero_at_one) : zero_{zero_at_zero, zero_at_one} {
    for (unsigned row = 0; row < 16; ++row) fill(row);
  }

  double zero(gidx row_bit) const { return zero_[static_cast<std::size_t>(row_bit)]; }

  /// The lowest `count` bits.
  gidx draw(gidx row, int count, std::uint64_t hash) const {
    std::uint64_t random = 0;
    gidx col = 0;
    for (int bit = 0; bit < count; bit += 4) {
      random = bit % 8 == 0 ? mixed(hash, static_cast<std::uint64_t>(bit)) : random >> 32;
      const Choice& choice = choices_[static_cast<std::size_t>(row >> bit & 15)][random & 15];
      const bool first = (random >> 4 & (whole - 1)) < choice.share;
      col |= static_cast<gidx>(first ? random & 15 : choice.other) << bit;
    }
    return col & ((gidx{1} << count) - 1);
  }

 private:
  static constexpr std::uint32_t whole = 1 << 28;
  /// One of 16 equal parts of all draws: its own number gets `share` of `whole`, the number `other` gets the rest.
  struct Choice {
    std::uint32_t share, other;
  };

  void fill(unsigned row) {
    std::array<double, 16> left{};  // draws of each number that have no part yet, in parts
    for (unsigned col = 0; col < 16; ++col) {
      left[col] = 16;
      for (unsigned bit = 0; bit < 4; ++bit) {
        const double zero = zero_[row >> bit & 1];
        left[col] *= (col >> bit & 1) == 0 ? zero : 1 - zero;
      }
    }
    std::array<bool, 16> done{};
    for (int part = 0; part < 16; ++part) {
      // The number with the fewest draws left gets its part; the one with the most fills up that part.
      unsigned fewest = 16, most = 16;
      for (unsigned col = 0; col < 16; ++col) {
        if (done[col]) continue;
        if (fewest == 16 || left[col] < left[fewest]) fewest = col;
        if (most == 16 || left[col] > left[most]) most = col;
      }
      const double own = part == 15 ? 1 : std::min(1.0, left[fewest]);
      choices_[row][fewest] = {static_cast<std::uint32_t>(std::llround(own * whole)), most};
      left[most] -= 1 - own;
      done[fewest] = true;
    }
  }

  std::array<double, 2> zero_;
  std::array<std::array<Choice, 16>, 16> choices_{};  // by four bits of the row and four random ones
};

class Rmat final : public RowSource {
 public:
  explicit Rmat(const Quarters& q)
      : q_(q),
        seed_(seed_bits(q.seed)),
        tree_(q.scale, q.edges, q.a + q.b, mixed(seed_)),
        bits_(q.a / (q.a + q.b), q.c / (q.c + q.d())) {
    constexpr gidx most = 100'000'000;
    const gidx fullest = tree_.most_edges();
    require_parameter(fullest <= most, "up to {} edges in one row; at most {} are possible", fullest, most);
    longest_ = static_cast<int>(std::min(fullest, gidx{1} << q.scale));
    checked_product(gidx{1} << q.scale, longest_);
  }

  Shape shape() const override { return {gidx{1} << q_.scale, gidx{1} << q_.scale}; }
  int longest_row() const override { return longest_; }
  std::string describe() const override {
    return fmt::format(
        "R-MAT graph of 2^{} rows, {} edges a row on average, a = {}, b = {}, c = {}, d = {:.6g}, seed {}; "
        "edges at one place are one nonzero",
        q_.scale, q_.edges_per_row, q_.a, q_.b, q_.c, q_.d(), q_.seed);
  }

  int row_length(gidx row) const override { return static_cast<int>(columns(row).size()); }

  int row(gidx row, gidx* cols, double* values) const override {
    const std::vector<gidx> found = columns(row);
    std::copy(found.begin(), found.end(), cols);
    const std::uint64_t hash = mixed(seed_ + 1, static_cast<std::uint64_t>(row));
    for (std::size_t i = 0; i < found.size(); ++i)
      values[i] = signed_value(mixed(hash ^ static_cast<std::uint64_t>(found[i])));
    return static_cast<int>(found.size());
  }

 private:
  /// Ascending, each once.
  std::vector<gidx> columns(gidx row) const {
    std::vector<gidx> cols;
    const gidx edges = tree_.edges(row);
    cols.reserve(static_cast<std::size_t>(std::min(edges, gidx{longest_})));
    const std::uint64_t hash = mixed(seed_, static_cast<std::uint64_t>(row));
    add_columns({row, hash}, {q_.scale, 0, edges}, cols);
    return cols;
  }

  struct Row {
    gidx number;
    std::uint64_t hash;
  };
  /// The columns whose bits from `level` upwards are `prefix`, and the number of edges in them.
  struct Range {
    int level;
    gidx prefix, edges;
  };

  /// Adds the columns of a range. Divides it into halves, as EdgeTree divides rows, until it has few edges or one column.
  void add_columns(const Row& row, const Range& range, std::vector<gidx>& cols) const {
    constexpr gidx few = 24;
    if (range.edges <= few) {
      add_drawn(row, range, cols);
    } else if (range.level == 0) {
      cols.push_back(range.prefix);
    } else {
      const int level = range.level - 1;
      const gidx low = binomial_draw(range.edges, bits_.zero(row.number >> level & 1), node_hash(row, range));
      add_columns(row, {level, range.prefix << 1, low}, cols);
      add_columns(row, {level, range.prefix << 1 | 1, range.edges - low}, cols);
    }
  }

  /// Adds the columns of a range, drawn edge by edge.
  void add_drawn(const Row& row, const Range& range, std::vector<gidx>& cols) const {
    const auto before = static_cast<std::ptrdiff_t>(cols.size());
    const std::uint64_t hash = node_hash(row, range);
    for (gidx edge = 0; edge < range.edges; ++edge)
      cols.push_back(range.prefix << range.level |
                     bits_.draw(row.number, range.level, hash + static_cast<std::uint64_t>(edge)));
    std::sort(cols.begin() + before, cols.end());
    cols.erase(std::unique(cols.begin() + before, cols.end()), cols.end());
  }

  std::uint64_t node_hash(const Row& row, const Range& range) const {
    return mixed(row.hash,
                 std::uint64_t{1} << (q_.scale - range.level) | static_cast<std::uint64_t>(range.prefix));
  }

  Quarters q_;
  std::uint64_t seed_;
  EdgeTree tree_;
  ColumnBits bits_;
  int longest_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> make_rmat(const std::string& parameters) {
  return std::make_unique<Rmat>(parse_quarters(parameters));
}

}  // namespace spmv
