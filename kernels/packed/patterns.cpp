#include "kernels/packed/patterns.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/value_types.hpp"
#include "core/xxh64.hpp"

namespace spmv {
namespace {

/// The bits of a head that are compared; its padding is not.
template <class T>
bool same(const Head<T>& a, const Head<T>& b) {
  const auto bits = [](const T& value) {
    return std::string_view(reinterpret_cast<const char*>(&value), sizeof(T));
  };
  return a.base == b.base && a.lanes == b.lanes && bits(a.value) == bits(b.value);
}

/// Heads of one slice, their columns counted from its first row.
template <class T>
class SliceHeads {
 public:
  SliceHeads(const std::vector<Slice>& slices, const std::vector<Head<T>>& heads, std::size_t s)
      : first_(heads.data() + slices[s].head_at),
        width_(slices[s].width()),
        first_row_(static_cast<lidx>(s) * slice_rows) {}

  lidx width() const { return width_; }
  Head<T> operator[](lidx j) const {
    Head<T> head = first_[j];
    head.base -= first_row_;
    return head;
  }
  bool operator==(const SliceHeads& other) const {
    for (lidx j = 0; j < width_; ++j)
      if (!same((*this)[j], other[j])) return false;
    return width_ == other.width_;
  }
  std::size_t hash() const {
    auto sum = static_cast<std::uint64_t>(width_);
    for (lidx j = 0; j < width_; ++j) {
      const Head<T> head = (*this)[j];
      const std::uint64_t place = static_cast<std::uint32_t>(head.base) | std::uint64_t{head.lanes} << 32;
      sum = xxh64(&place, sizeof(place), sum);
      sum = xxh64(&head.value, sizeof(T), sum);
    }
    return sum;
  }
  std::vector<Head<T>> all() const {
    std::vector<Head<T>> heads;
    for (lidx j = 0; j < width_; ++j) heads.push_back((*this)[j]);
    return heads;
  }
  bool has_all_lanes() const {
    constexpr std::uint32_t all = 0xffffffffu;
    return std::all_of(first_, first_ + width_, [](const Head<T>& head) { return head.lanes == all; });
  }

 private:
  const Head<T>* first_;
  lidx width_;
  lidx first_row_;
};

/// The heads of a pattern, triples first, and what makes slices a chain. Without triples there are none.
template <class T>
struct Pattern {
  std::vector<Head<T>> heads;
  lidx triples = 0;
  lidx stride = 0;  // slices from one of a chain to the next
};

/// Triples of diagonals that are `rows` apart, each diagonal in one of them at most: numbers of their heads, which are sorted by
/// column.
template <class T>
std::vector<std::array<std::size_t, 3>> triples_of(const std::vector<Head<T>>& heads, lidx rows) {
  std::vector<std::array<std::size_t, 3>> found;
  std::vector<bool> used(heads.size());
  const auto next = [&](std::size_t from) {
    const auto base = [](const Head<T>& head, offset column) { return head.base < column; };
    const offset wanted = offset{heads[from].base} + rows;
    const auto at = std::lower_bound(heads.begin(), heads.end(), wanted, base);
    const auto number = static_cast<std::size_t>(at - heads.begin());
    const bool is_next =
        at != heads.end() && at->base == wanted && at->lanes == heads[from].lanes && !used[number];
    return is_next ? number : heads.size();
  };
  for (std::size_t first = 0; first < heads.size(); ++first) {
    if (used[first]) continue;
    const std::size_t second = next(first);
    if (second == heads.size()) continue;
    const std::size_t third = next(second);
    if (third == heads.size()) continue;
    found.push_back({first, second, third});
    used[first] = used[second] = used[third] = true;
  }
  return found;
}

/// Looks for the stride of most triples, and of these for the shortest. Where most diagonals are in no triple, a chain saves fewer
/// loads than it costs where x is read from memory: then there are none.
template <class T>
Pattern<T> find_triples(std::vector<Head<T>> heads) {
  std::set<lidx> strides;
  for (std::size_t i = 0; i < heads.size(); ++i)
    for (std::size_t j = i + 1; j < heads.size(); ++j)
      if (const offset rows = offset{heads[j].base} - heads[i].base;
          rows > 0 && rows % slice_rows == 0 && rows <= std::numeric_limits<lidx>::max())
        strides.insert(static_cast<lidx>(rows));
  std::vector<std::array<std::size_t, 3>> best;
  Pattern<T> pattern;
  for (const lidx rows : strides)
    if (auto found = triples_of(heads, rows); found.size() > best.size()) {
      best = std::move(found);
      pattern.stride = rows / slice_rows;
    }
  if (2 * 3 * best.size() < heads.size()) best.clear();
  std::vector<bool> used(heads.size());
  for (const auto& triple : best)
    for (const std::size_t j : triple) {
      pattern.heads.push_back(heads[j]);
      used[j] = true;
    }
  for (std::size_t j = 0; j < heads.size(); ++j)
    if (!used[j]) pattern.heads.push_back(heads[j]);
  pattern.triples = static_cast<lidx>(best.size());
  return pattern;
}

constexpr std::uint32_t no_kind = std::numeric_limits<std::uint32_t>::max();

/// Slices with the same heads.
struct Kind {
  std::size_t first;  // of the slices
  std::size_t width;
  std::size_t slices = 0;
  bool taken = false;  // as a pattern
  bool has_all_lanes = false;
  std::uint32_t head_at = 0;          // of the pattern
  lidx triples = 0;                   // of the pattern
  lidx stride = 0;                    // of the pattern
  std::size_t open = 0;               // the group that is filled
  int filled = most_slices_of_group;  // slices that it has
};

/// Takes the kinds that stand for most heads, `most_heads` of their own at most. Returns for how many they stand.
std::size_t take_most(std::vector<Kind>& kinds, std::size_t most_heads) {
  std::vector<Kind*> order;
  order.reserve(kinds.size());
  for (Kind& kind : kinds) order.push_back(&kind);
  std::stable_sort(order.begin(), order.end(),
                   [](const Kind* a, const Kind* b) { return a->slices * a->width > b->slices * b->width; });
  std::size_t own = 0, stands_for = 0;
  for (Kind* kind : order) {
    if (own + kind->width > most_heads) continue;
    kind->taken = true;
    own += kind->width;
    stands_for += kind->slices * kind->width;
  }
  return stands_for;
}

/// Slices of the chain that begins with slice s.
int length_of_chain(const Kind& kind, const std::vector<std::uint32_t>& kind_of,
                    const std::vector<bool>& is_in_group, std::size_t s) {
  int length = 1;
  if (kind.triples == 0) return length;
  for (std::size_t next = s; length < most_slices_of_group; ++length) {
    next += static_cast<std::size_t>(kind.stride);
    if (next >= kind_of.size() || is_in_group[next] || kind_of[next] != kind_of[s]) break;
  }
  return length;
}

/// Puts every slice into a group of its kind, in a chain if it can, or among the others.
template <class T>
void add_groups(std::vector<Kind>& kinds, const std::vector<std::uint32_t>& kind_of, Patterns<T>& found) {
  std::vector<bool> is_in_group(kind_of.size());
  const auto add_group = [&](const Kind& kind, lidx triples) {
    SliceGroup group;
    group.head_at = kind.head_at;
    group.shape = SliceGroup::shape_of(static_cast<lidx>(kind.width), triples, false);
    found.group.push_back(group);
  };
  const auto put = [&](std::size_t s, const Kind& kind, std::size_t number, int place) {
    SliceGroup& group = found.group[number];
    group.slice[place] = static_cast<lidx>(s);
    if (place + 1 == most_slices_of_group)
      group.shape = SliceGroup::shape_of(group.width(), group.triples(), kind.has_all_lanes);
    is_in_group[s] = true;
  };
  for (std::size_t s = 0; s < kind_of.size(); ++s) {
    if (is_in_group[s]) continue;
    if (kind_of[s] == no_kind || !kinds[kind_of[s]].taken) {
      found.other.push_back(static_cast<lidx>(s));
      continue;
    }
    Kind& kind = kinds[kind_of[s]];
    const int length = length_of_chain(kind, kind_of, is_in_group, s);
    if (length >= least_slices_of_chain) {
      add_group(kind, kind.triples);
      for (int i = 0; i < length; ++i)
        put(s + static_cast<std::size_t>(i) * static_cast<std::size_t>(kind.stride), kind,
            found.group.size() - 1, i);
      continue;
    }
    if (kind.filled == most_slices_of_group) {
      kind.open = found.group.size();
      kind.filled = 0;
      add_group(kind, 0);
    }
    put(s, kind, kind.open, kind.filled++);
  }
}

}  // namespace

template <class T>
Patterns<T> find_patterns(const std::vector<Slice>& slices, const std::vector<Head<T>>& heads,
                          std::size_t most_heads) {
  const std::size_t count = slices.size();
  const auto heads_of = [&](std::size_t s) { return SliceHeads<T>(slices, heads, s); };
  std::vector<std::size_t> hash(count);
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < count; ++s)
    if (has_heads_only(slices[s])) hash[s] = heads_of(s).hash();

  std::vector<Kind> kinds;
  std::vector<std::uint32_t> kind_of(count, no_kind);
  std::unordered_map<std::size_t, std::uint32_t> known;
  std::size_t all_heads = 0;
  for (std::size_t s = 0; s < count; ++s) {
    all_heads += static_cast<std::size_t>(slices[s].width());
    if (!has_heads_only(slices[s])) continue;
    const auto [at, is_new] = known.try_emplace(hash[s], static_cast<std::uint32_t>(kinds.size()));
    if (is_new) kinds.push_back({s, static_cast<std::size_t>(slices[s].width())});
    kind_of[s] = at->second;
    ++kinds[at->second].slices;
    // So many kinds stand for few slices each; where they do not, it is too late to find out.
    constexpr std::size_t most_kinds_of_a_head = 64;
    if (kinds.size() > most_kinds_of_a_head * (most_heads + 1)) return {};
  }
  // Another slice of the same hash: too rare to be worth a kind of its own.
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < count; ++s)
    if (kind_of[s] != no_kind && !(heads_of(s) == heads_of(kinds[kind_of[s]].first))) kind_of[s] = no_kind;

  Patterns<T> found;
  const std::size_t grouped_heads = take_most(kinds, most_heads);
  if (static_cast<double>(grouped_heads) < least_grouped_share * static_cast<double>(all_heads)) return {};
  for (Kind& kind : kinds) {
    if (!kind.taken) continue;
    kind.head_at = static_cast<std::uint32_t>(found.head.size());
    const SliceHeads<T> heads_of_kind = heads_of(kind.first);
    kind.has_all_lanes = heads_of_kind.has_all_lanes();
    const Pattern<T> pattern = find_triples(heads_of_kind.all());
    kind.triples = pattern.triples;
    kind.stride = pattern.stride;
    found.head.insert(found.head.end(), pattern.heads.begin(), pattern.heads.end());
  }
  add_groups(kinds, kind_of, found);
  return found;
}

SPMV_INSTANTIATE(find_patterns);

}  // namespace spmv
