// A grid whose points are numbered at random is a grid still, and its graph tells where each point lies. The fewer
// neighbours, the more sides of the box a point is at:
//
//     corner ─ side ─ side ─ side ─ corner        sides     those of a box of d dimensions: 2d, of d - 1 dimensions each
//        │                            │           middle    points of one side alone, not next to another: they hang
//      side   inside inside inside  side                    together within each side, and with those of no other
//        │                            │           distance  from all points of a side, in steps: a coordinate
//
// So the middles are found first, then the sides that every point is at, then the distances from the d sides of one
// corner. In the end all is checked: every place of the box has one point. (Neighbours' distances differ by one at most.)
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "dist/order/find.hpp"

namespace spmv {
namespace {

constexpr int most_dimensions = 3;
constexpr lidx unknown = -1;

using Side = std::uint8_t;
constexpr Side no_side = 255;
constexpr std::size_t most_sides = 2 * std::size_t{most_dimensions};
using Sides = std::array<Side, most_dimensions>;  // then no_side
using Queue = std::vector<lidx>;

/// Recognises a box; each step returns false where the graph cannot be one.
class Box {
 public:
  explicit Box(const OwnGraph& graph) : graph_(graph) {}

  bool recognise() {
    return count_sides() && find_middles() && find_sides_of_points() && find_coordinates() &&
           holds_all_points();
  }

  /// Longest lines first, then the shorter plane: so that few lines end, and few points lie between a line and the next.
  std::vector<lidx> order() const {
    std::vector<lidx> order(points());
    for (lidx v = 0; v < graph_.vertices(); ++v) order[static_cast<std::size_t>(place(v))] = v;
    return order;
  }

 private:
  std::size_t points() const { return static_cast<std::size_t>(graph_.vertices()); }
  lidx degree(lidx v) const { return static_cast<lidx>(graph_.neighbours(v).size()); }

  /// At how many sides every point is, by its number of neighbours; there are as many kinds of points as dimensions, and
  /// those inside.
  bool count_sides() {
    std::vector<lidx> degrees;  // descending
    for (lidx v = 0; v < graph_.vertices(); ++v) {
      const auto at = std::lower_bound(degrees.begin(), degrees.end(), degree(v), std::greater<>());
      if (at != degrees.end() && *at == degree(v)) continue;
      degrees.insert(at, degree(v));
      if (degrees.size() > most_dimensions + 1) return false;
    }
    dimensions_ = static_cast<int>(degrees.size()) - 1;
    if (dimensions_ < 1) return false;
    at_sides_.resize(points());
    for (lidx v = 0; v < graph_.vertices(); ++v)
      at_sides_[static_cast<std::size_t>(v)] = static_cast<std::int8_t>(
          std::lower_bound(degrees.begin(), degrees.end(), degree(v), std::greater<>()) - degrees.begin());
    return true;
  }
  int at_sides(lidx v) const { return at_sides_[static_cast<std::size_t>(v)]; }

  /// Visits what `queue` leads to over points that may(v): each is visited once, with the point that led to it.
  template <class May, class Visit>
  void spread(Queue& queue, const May& may, const Visit& visit) const {
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const lidx u : graph_.neighbours(queue[next]))
        if (may(u)) {
          visit(u, queue[next]);
          queue.push_back(u);
        }
  }

  /// Numbers the sides by their middles, and gives every point of one side alone the number of the nearest.
  bool find_middles() {
    Sides none;
    none.fill(no_side);
    sides_of_.assign(points(), none);
    const auto is_middle = [&](lidx v) {
      const auto near = graph_.neighbours(v);
      return at_sides(v) == 1 &&
             std::none_of(near.begin(), near.end(), [&](lidx u) { return at_sides(u) > 1; });
    };
    const auto inherit = [&](lidx u, lidx from) { sides_of(u)[0] = sides_of(from)[0]; };
    Queue middles;
    Side sides = 0;
    for (lidx v = 0; v < graph_.vertices(); ++v) {
      if (sides_of(v)[0] != no_side || !is_middle(v)) continue;
      if (sides == 2 * dimensions_) return false;
      sides_of(v)[0] = sides++;
      Queue queue = {v};
      spread(
          queue, [&](lidx u) { return sides_of(u)[0] == no_side && is_middle(u); }, inherit);
      middles.insert(middles.end(), queue.begin(), queue.end());
    }
    spread(
        middles, [&](lidx u) { return sides_of(u)[0] == no_side && at_sides(u) == 1; }, inherit);
    return sides == 2 * dimensions_;
  }
  Sides& sides_of(lidx v) { return sides_of_[static_cast<std::size_t>(v)]; }
  const Sides& sides_of(lidx v) const { return sides_of_[static_cast<std::size_t>(v)]; }

  /// A point at several sides is at those that most of its neighbours are at, among these that are at one side less.
  bool find_sides_of_points() {
    for (int at = 2; at <= dimensions_; ++at)
      for (lidx v = 0; v < graph_.vertices(); ++v) {
        if (at_sides(v) != at) continue;
        std::array<int, most_sides> count{};
        for (const lidx u : graph_.neighbours(v))
          if (at_sides(u) == at - 1)
            for (const Side side : sides_of(u))
              if (side != no_side) ++count[side];
        for (int i = 0; i < at; ++i) {
          const auto most =
              static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin());
          if (count[most] == 0) return false;
          count[most] = 0;
          sides_of(v)[static_cast<std::size_t>(i)] = static_cast<Side>(most);
        }
      }
    return true;
  }

  /// Steps from every point of a side.
  std::optional<std::vector<lidx>> distances(Side from) const {
    std::vector<lidx> distance(points(), unknown);
    Queue queue;
    for (lidx v = 0; v < graph_.vertices(); ++v) {
      const Sides& sides = sides_of(v);
      if (std::find(sides.begin(), sides.end(), from) == sides.end()) continue;
      distance[static_cast<std::size_t>(v)] = 0;
      queue.push_back(v);
    }
    spread(
        queue, [&](lidx u) { return distance[static_cast<std::size_t>(u)] == unknown; },
        [&](lidx u, lidx v) {
          distance[static_cast<std::size_t>(u)] = distance[static_cast<std::size_t>(v)] + 1;
        });
    if (queue.size() != points()) return std::nullopt;
    return distance;
  }

  bool find_coordinates() {
    const auto corner = std::find(at_sides_.begin(), at_sides_.end(), static_cast<std::int8_t>(dimensions_));
    for (const Side from : sides_of(static_cast<lidx>(corner - at_sides_.begin()))) {
      if (from == no_side) break;
      auto distance = distances(from);
      if (!distance) return false;
      axes_.push_back({1 + *std::max_element(distance->begin(), distance->end()), std::move(*distance)});
    }
    // From the one along which lines follow each other last to the longest, along which they go.
    std::stable_sort(axes_.begin(), axes_.end(),
                     [](const Axis& a, const Axis& b) { return a.length < b.length; });
    std::reverse(axes_.begin(), axes_.end() - 1);
    return true;
  }

  /// Of the box's places, line by line.
  offset place(lidx v) const {
    offset place = 0;
    for (const Axis& axis : axes_) place = place * axis.length + axis.at[static_cast<std::size_t>(v)];
    return place;
  }

  bool holds_all_points() const {
    offset places = 1;
    for (const Axis& axis : axes_) {
      places *= axis.length;
      if (places > graph_.vertices()) return false;
    }
    if (places != graph_.vertices()) return false;
    std::vector<bool> taken(points());
    for (lidx v = 0; v < graph_.vertices(); ++v) {
      const auto at = static_cast<std::size_t>(place(v));
      if (taken[at]) return false;
      taken[at] = true;
    }
    return true;
  }

  struct Axis {
    lidx length;
    std::vector<lidx> at;  // of every point
  };

  const OwnGraph& graph_;
  int dimensions_ = 0;
  std::vector<std::int8_t> at_sides_;
  std::vector<Sides> sides_of_;
  std::vector<Axis> axes_;  // of the box, the one last along which points follow each other
};

}  // namespace

std::vector<lidx> order_by_grid(const OwnGraph& graph, int) {
  Box box(graph);
  return box.recognise() ? box.order() : std::vector<lidx>{};
}

}  // namespace spmv
