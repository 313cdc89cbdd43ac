#include "kernels/packed/patterns.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

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
  bool has_all_lanes() const {
    constexpr std::uint32_t all = 0xffffffffu;
    return std::all_of(first_, first_ + width_, [](const Head<T>& head) { return head.lanes == all; });
  }

 private:
  const Head<T>* first_;
  lidx width_;
  lidx first_row_;
};

constexpr std::uint32_t no_kind = std::numeric_limits<std::uint32_t>::max();

/// Slices with the same heads.
struct Kind {
  std::size_t first;  // of the slices
  std::size_t width;
  std::size_t slices = 0;
  bool taken = false;                 // as a pattern
  std::uint32_t head_at = 0;          // of the pattern
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
    const SliceHeads<T> pattern = heads_of(kind.first);
    for (lidx j = 0; j < pattern.width(); ++j) found.head.push_back(pattern[j]);
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (kind_of[s] == no_kind || !kinds[kind_of[s]].taken) {
      found.other.push_back(static_cast<lidx>(s));
      continue;
    }
    Kind& kind = kinds[kind_of[s]];
    if (kind.filled == most_slices_of_group) {
      kind.open = found.group.size();
      kind.filled = 0;
      SliceGroup group;
      group.head_at = kind.head_at;
      group.shape = SliceGroup::shape_of(slices[s].width(), false);
      found.group.push_back(group);
    }
    SliceGroup& group = found.group[kind.open];
    group.slice[kind.filled++] = static_cast<lidx>(s);
    if (kind.filled == most_slices_of_group)
      group.shape = SliceGroup::shape_of(group.width(), heads_of(kind.first).has_all_lanes());
  }
  return found;
}

SPMV_INSTANTIATE(find_patterns);

}  // namespace spmv
