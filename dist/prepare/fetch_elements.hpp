// What other ranks know of ids that they own.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// What the owners of global ids store for them, such as elements of a vector or new ids. No rank holds it all. It uses no
/// HaloPlan, so that references for checking exchanges can be made of it.
template <class T>
class FetchedElements {
 public:
  /// `mine`: one element for each id that this rank owns by `owners`; `wanted`: the ids that this rank will ask for, in any
  /// order, each any number of times. Collective.
  FetchedElements(const Communicator& communicator, const RowPartition& owners, const std::vector<T>& mine,
                  std::vector<gidx> wanted)
      : ids_(std::move(wanted)) {
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    const Received<gidx> asked = communicator.all_to_all(ids_, owners.count_by_owner(ids_));
    const gidx first = owners.first(communicator.rank());
    std::vector<T> answers;
    answers.reserve(asked.data.size());
    for (const gidx id : asked.data) answers.push_back(mine[static_cast<std::size_t>(id - first)]);
    elements_ = communicator.all_to_all(answers, asked.counts).data;
  }

  /// The element of a wanted id. Pure.
  T operator()(gidx id) const {
    return elements_[static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin())];
  }
  /// The elements of all wanted ids, each once, by ascending id. Pure.
  const std::vector<T>& all() const { return elements_; }

 private:
  std::vector<gidx> ids_;
  std::vector<T> elements_;
};

}  // namespace spmv
