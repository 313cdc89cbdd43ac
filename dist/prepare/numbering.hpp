// From ids that ranks own in any order to ids of which every rank owns a contiguous range.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// New ids for the ids [0, total), of which every rank owns a list: the k-th of this rank's list becomes
/// the k-th id of its range. Who owns what is kept in a directory that no rank holds whole. Immutable.
class Numbering {
 public:
  /// `what` one of the ids is, for messages: "row". Collective; throws AgreedError(input) where a list
  /// names an id outside the range, or an id is in two lists or in none.
  Numbering(const Communicator& communicator, gidx total, const std::vector<gidx>& mine, std::string what);

  const RowPartition& partition() const { return partition_; }  // of the new ids
  bool identity() const { return identity_; }                   // every new id is the old one
  /// Replaces ids, any of [0, total) and repeated at will, by the new ones. Collective.
  void rename(std::vector<gidx>& ids) const;

 private:
  /// An id, and what it becomes.
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
  RowPartition home_;            // which rank knows an id's new one
  std::vector<gidx> directory_;  // of the ids that this rank is home to; empty where identity()
  bool identity_ = false;
};

}  // namespace spmv
