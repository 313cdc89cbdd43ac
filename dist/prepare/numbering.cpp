#include "dist/prepare/numbering.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dist/prepare/column_set.hpp"
#include "dist/prepare/fetch_elements.hpp"

namespace spmv {

Numbering::Numbering(const Communicator& communicator, gidx total, const std::vector<gidx>& mine,
                     std::string what)
    : communicator_(communicator),
      what_(std::move(what)),
      partition_(RowPartition::from_counts(communicator.all_gather(static_cast<gidx>(mine.size())))),
      home_(RowPartition::even(total, communicator.size())) {
  communicator.together([&] {
    for (const gidx id : mine)
      if (id < 0 || id >= total)
        throw Error(ExitCode::input,
                    fmt::format("rank {} holds {} {}, but the matrix has {} of them, numbered from 0",
                                communicator.rank(), what_, id, total));
  });
  const gidx first = partition_.first(communicator.rank());
  bool as_they_are = partition_.total() == total;
  for (std::size_t k = 0; as_they_are && k < mine.size(); ++k)
    as_they_are = mine[k] == first + static_cast<gidx>(k);
  identity_ = communicator.all_of(as_they_are);
  if (!identity_) fill_directory(mine);
}

void Numbering::fill_directory(const std::vector<gidx>& mine) {
  const int me = communicator_.rank();
  std::vector<Named> named;
  named.reserve(mine.size());
  for (const gidx id : mine) named.push_back({id, partition_.first(me) + static_cast<gidx>(named.size())});
  std::sort(named.begin(), named.end(), [](const Named& a, const Named& b) { return a.id < b.id; });
  std::vector<gidx> ids;
  ids.reserve(named.size());
  for (const Named& n : named) ids.push_back(n.id);
  const auto arrived = communicator_.all_to_all(named, home_.count_by_owner(ids));
  directory_.assign(static_cast<std::size_t>(home_.count(me)), -1);
  communicator_.together([&] { enter(arrived.data); });
  communicator_.together([&] { require_complete(); });
}

void Numbering::enter(const std::vector<Named>& arrived) {
  for (const auto& [id, new_id] : arrived) {
    gidx& entry = directory_[static_cast<std::size_t>(id - home_.first(communicator_.rank()))];
    if (entry >= 0) {
      const int one = partition_.owner(entry), other = partition_.owner(new_id);
      throw Error(ExitCode::input,
                  one == other
                      ? fmt::format("{} {} is listed twice by rank {}: list it once", what_, id, one)
                      : fmt::format("{} {} is held by rank {} and by rank {}: it must be on one rank only",
                                    what_, id, std::min(one, other), std::max(one, other)));
    }
    entry = new_id;
  }
}

void Numbering::require_complete() const {
  const auto hole = std::find(directory_.begin(), directory_.end(), -1);
  if (hole == directory_.end()) return;
  throw Error(
      ExitCode::input,
      fmt::format("{0} {1} is held by no rank: every {0} must be on one rank, even if it has no elements",
                  what_, home_.first(communicator_.rank()) + (hole - directory_.begin())));
}

void Numbering::rename(std::vector<gidx>& ids) const {
  if (identity_) return;
  const FetchedElements<gidx> new_id(communicator_, home_, directory_, columns_outside(ids, 0, 0));
  const auto size = static_cast<offset>(ids.size());
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < size; ++k)
    ids[static_cast<std::size_t>(k)] = new_id(ids[static_cast<std::size_t>(k)]);
}

}  // namespace spmv
