#pragma once

#include <algorithm>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

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
