#pragma once

#include <algorithm>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// Elements of a vector that any ranks own, by their ids. It goes by no plan of a halo: references that judge the
/// halo's way are made of it.
template <class T>
class FetchedElements {
 public:
  /// `mine`: this rank's elements of the vector that is distributed as `owners` says; `wanted`: ids that this rank
  /// will ask for, in any order. Collective.
  FetchedElements(const Communicator& communicator, const RowPartition& owners, const std::vector<T>& mine,
                  std::vector<gidx> wanted)
      : ids_(std::move(wanted)) {
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
    for (const gidx id : ids_) ++counts[static_cast<std::size_t>(owners.owner(id))];
    const Received<gidx> asked = communicator.all_to_all(ids_, counts);
    std::vector<T> answers;
    answers.reserve(asked.data.size());
    for (const gidx id : asked.data)
      answers.push_back(mine[static_cast<std::size_t>(id - owners.first(communicator.rank()))]);
    elements_ = communicator.all_to_all(answers, asked.counts).data;
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
