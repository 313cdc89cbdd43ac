#include "kernels/packed/patterns.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "core/value_types.hpp"

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
    auto sum = static_cast<std::size_t>(width_);
    const auto mix = [&](std::size_t more) {
      constexpr std::size_t odd = 0x9e3779b97f4a7c15u;
      sum = (sum ^ more) * odd;
      sum ^= sum >> 32;
    };
    for (lidx j = 0; j < width_; ++j) {
      const Head<T> head = (*this)[j];
      mix(static_cast<std::uint32_t>(head.base) | static_cast<std::size_t>(head.lanes) << 32);
      mix(std::hash<std::string_view>{}({reinterpret_cast<const char*>(&head.value), sizeof(T)}));
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

}  // namespace

template <class T>
Patterns<T> find_patterns(const std::vector<Slice>& slices, const std::vector<Head<T>>& heads,
                          std::size_t most_heads) {
  const std::size_t count = slices.size();
  const auto heads_of = [&](std::size_t s) { return SliceHeads<T>(slices, heads, s); };
  std::vector<std::size_t> hash(count);
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < count; ++s) hash[s] = heads_of(s).hash();

  Patterns<T> found;
  std::vector<std::size_t> first_of;             // of every pattern, its first slice
  std::vector<std::uint32_t> pattern_of(count);  // of every slice
  std::vector<std::uint32_t> head_at;            // of every pattern
  std::unordered_map<std::size_t, std::uint32_t> known;
  for (std::size_t s = 0; s < count; ++s) {
    const auto [at, is_new] = known.try_emplace(hash[s], static_cast<std::uint32_t>(first_of.size()));
    pattern_of[s] = at->second;
    if (!is_new) continue;
    const SliceHeads<T> mine = heads_of(s);
    if (found.head.size() + static_cast<std::size_t>(mine.width()) > most_heads) return {};
    first_of.push_back(s);
    head_at.push_back(static_cast<std::uint32_t>(found.head.size()));
    for (lidx j = 0; j < mine.width(); ++j) found.head.push_back(mine[j]);
  }
  // Two patterns of one hash: too rare to be worth a table that could hold them.
  bool all_alike = true;
#pragma omp parallel for schedule(static) reduction(&& : all_alike)
  for (std::size_t s = 0; s < count; ++s)
    all_alike = all_alike && heads_of(s) == heads_of(first_of[pattern_of[s]]);
  if (!all_alike) return {};

  std::vector<std::size_t> open(first_of.size());  // of every pattern, the group that is filled
  std::vector<int> filled(first_of.size(), most_slices_of_group);
  for (std::size_t s = 0; s < count; ++s) {
    const std::uint32_t p = pattern_of[s];
    if (filled[p] == most_slices_of_group) {
      open[p] = found.group.size();
      filled[p] = 0;
      SliceGroup group;
      group.head_at = head_at[p];
      group.shape = SliceGroup::shape_of(heads_of(s).width(), false);
      found.group.push_back(group);
    }
    SliceGroup& group = found.group[open[p]];
    group.slice[filled[p]++] = static_cast<lidx>(s);
    if (filled[p] == most_slices_of_group)
      group.shape = SliceGroup::shape_of(group.width(), heads_of(first_of[p]).has_all_lanes());
  }
  return found;
}

SPMV_INSTANTIATE(find_patterns);

}  // namespace spmv
