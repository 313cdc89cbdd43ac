// What other ranks know of ids that they own.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// `count` ids from `first` on. Pure.
inline std::vector<gidx> consecutive_ids(gidx first, gidx count) {
  std::vector<gidx> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// Sorts ids and removes repeated ones. Pure.
inline void make_set(std::vector<gidx>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// How many of the ids, which ascend, each rank owns. Pure.
inline std::vector<offset> count_by_owner(const RowPartition& owners, const std::vector<gidx>& ids) {
  std::vector<offset> counts(static_cast<std::size_t>(owners.ranks()), 0);
  auto from = ids.begin();
  for (int r = 0; r < owners.ranks(); ++r) {
    const auto until = std::lower_bound(from, ids.end(), owners.first(r + 1));
    counts[static_cast<std::size_t>(r)] = until - from;
    from = until;
  }
  return counts;
}

/// Asks the owners of these ids, which ascend: returns an element for each id. Every rank calls answer(id) with the ids that it
/// owns and is asked for. Collective.
template <class T, class Answer>
std::vector<T> ask_owners(const Communicator& communicator, const RowPartition& owners,
                          const std::vector<gidx>& ids, const Answer& answer) {
  Received<gidx> asked = communicator.all_to_all(ids, count_by_owner(owners, ids));
  std::vector<T> answers;
  answers.reserve(asked.data.size());
  for (const gidx id : asked.data) answers.push_back(answer(id));
  std::vector<gidx>().swap(asked.data);
  return communicator.all_to_all(answers, asked.counts).data;
}

/// Fetches elements of a distributed vector by their ids. It uses no halo plan, because references that check the halo are
/// made with it.
template <class T>
class FetchedElements {
 public:
  /// `owners`: the distribution of the vector; `mine`: this rank's elements; `wanted`: the ids that this rank will read, in
  /// any order. Collective.
  FetchedElements(const Communicator& communicator, const RowPartition& owners, const std::vector<T>& mine,
                  std::vector<gidx> wanted)
      : ids_(std::move(wanted)) {
    make_set(ids_);
    const gidx first = owners.first(communicator.rank());
    elements_ = ask_owners<T>(communicator, owners, ids_,
                              [&](gidx id) { return mine[static_cast<std::size_t>(id - first)]; });
  }

  /// The element of a wanted id. Pure.
  T operator()(gidx id) const {
    return elements_[static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin())];
  }

 private:
  std::vector<gidx> ids_;
  std::vector<T> elements_;
};

}  // namespace spmv
