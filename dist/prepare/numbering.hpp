// New ids, of which every rank owns a contiguous range, for ids that ranks own in any order.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// Numbers the ids [0, total) anew. Every rank owns a list of them; the k-th id of its list becomes the k-th id of its range.
/// The new ids are in a directory that is distributed over the ranks. Immutable.
class Numbering {
 public:
  /// `mine`: this rank's list. `what`: the name of an id in messages, such as "row". Collective; throws AgreedError(input) if
  /// an id is outside the range, in two lists or in none.
  Numbering(const Communicator& communicator, gidx total, const std::vector<gidx>& mine, std::string what);

  const RowPartition& partition() const { return partition_; }  // of the new ids
  bool identity() const { return identity_; }                   // every new id equals the old one
  /// Replaces ids of [0, total), any of them and any number of times, by the new ones. Collective.
  void rename(std::vector<gidx>& ids) const;

 private:
  /// An id and its new id.
  struct Named {
    gidx id;
    gidx new_id;
  };
  void fill_directory(const std::vector<gidx>& mine);
  void enter(const std::vector<Named>& arrived);
  void require_complete() const;

  Communicator communicator_;
  std::string what_;
  RowPartition partition_;
  RowPartition home_;            // which rank has the directory entry of an id
  std::vector<gidx> directory_;  // this rank's entries: new ids; empty if identity()
  bool identity_ = false;
};

}  // namespace spmv
