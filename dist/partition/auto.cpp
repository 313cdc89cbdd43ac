// Contiguous rows cost nothing; a graph partition takes seconds to minutes, once. For few products contiguous rows are taken
// as they are. Otherwise they are examined first, which bounds what a graph partition could save. METIS is asked only if
// that, in all products together, is more than METIS and moving the rows will take. A ready partition costs the moving
// alone: each is examined, and METIS is not asked again if one of them is METIS's.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dist/machine/product_time.hpp"
#include "dist/partition/assign.hpp"
#include "dist/partition/local_graph.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

// Seconds per nonzero on a core of about 3 GHz: of the whole matrix for METIS, of a rank for the others. METIS takes metis_s
// on grids and meshes in any order, and metis_hubs_s times hubs() more on networks.
constexpr double metis_s = 0.1e-6, metis_hubs_s = 0.1e-6;
constexpr double contract_s = 10e-9;
constexpr double move_s = 40e-9;

/// A partition replaces the best so far if its products are predicted to take less than this share of the best's.
constexpr double equal_share = 0.97;
/// The share of the greatest possible saving that is expected.
constexpr double likely_share = 0.6;

std::string microseconds(double seconds) {
  return fmt::format("{:.4g} us", seconds * 1e6);
}

/// Examines one partition after the other and keeps the best.
class Search {
 public:
  Search(const Communicator& communicator, const Pattern& pattern, const PartitionRequest& request)
      : communicator_(communicator),
        pattern_(pattern),
        request_(request),
        nonzeros_(static_cast<double>(communicator.sum(pattern.row_ptr.back()))),
        parts_(parts_of(communicator, request)),
        part_nonzeros_(nonzeros_ / parts_) {}

  Assignment run() {
    Assignment by_rows = assign_by_rows(communicator_, pattern_, request_);
    if (request_.ready.empty() && pays_for_nothing(by_rows)) {
      by_rows.choice = {"rows", std::move(reason_), {}};
      return by_rows;
    }
    look_at("rows", std::move(by_rows), 0);
    if (unbalanced()) look_at("nonzeros", assign_by_nonzeros);
    look_at_ready();
    const bool asked =
        find_ready(request_, "metis") != nullptr || find_ready(request_, "metis_groups") != nullptr;
    if (!asked && could_pay("moving the rows alone takes", least_cost())) try_graphs();
    std::string reason = from_ + microseconds(best_s_) + " a product predicted";
    if (!reason_.empty()) reason += "; " + reason_;
    best_.choice = {taken_, std::move(reason), std::move(predicted_)};
    return std::move(best_);
  }

 private:
  /// Whether contiguous rows are balanced, and moving rows costs more than any partition could save in these products. If so,
  /// sets the reason. Collective.
  bool pays_for_nothing(const Assignment& by_rows) {
    const std::vector<PartShare> parts = without_halo(by_rows);
    PartShare worst;
    for (const PartShare& part : parts) {
      worst.rows = std::max(worst.rows, part.rows);
      worst.nonzeros = std::max(worst.nonzeros, part.nonzeros);
    }
    if (is_unbalanced(worst.nonzeros)) return false;
    worst.halo = std::min(worst.nonzeros, pattern_.cols.total());
    worst.neighbours = parts_ - 1;
    const double gain_s = most_of_a_product(worst, request_.rates) - least_product(parts, request_.rates);
    const double saved_s = likely_share * gain_s * request_.products;
    if (saved_s > least_cost()) return false;
    reason_ = fmt::format(
        "even where they need all of x, another would save some {:.2g} s in {:g} products, and moving the rows "
        "alone takes about {:.2g} s",
        saved_s, request_.products, least_cost());
    return true;
  }

  /// Rows and nonzeros of its parts. Collective.
  std::vector<PartShare> without_halo(const Assignment& assignment) const {
    std::vector<PartShare> shares(static_cast<std::size_t>(parts_));
    for (std::size_t row = 0; row < assignment.rows.size(); ++row) {
      PartShare& share = shares[static_cast<std::size_t>(assignment.rows[row])];
      ++share.rows;
      share.nonzeros += pattern_.row_ptr[row + 1] - pattern_.row_ptr[row];
    }
    return sum_of_shares(communicator_, shares);
  }

  /// Seconds that any graph partition takes at least: contracting groups of rows, and moving rows.
  double least_cost() const { return (contract_s + move_s) * part_nonzeros_; }

  void look_at_ready() {
    const double move = move_s * part_nonzeros_;
    for (const ReadyPartition& ready : request_.ready)
      if (look_at(ready.partitioner, ready.assignment, move))
        from_ = fmt::format("read from {}; ", ready.place);
      else if (reason_.empty())
        reason_ =
            fmt::format("{} in {} would save too little of it, and moving the rows takes about {:.2g} s",
                        ready.partitioner, ready.place, move);
  }

  void look_at(const char* name, Assign* assign) {
    if (look_at(name, assign(communicator_, pattern_, request_), 0)) reason_.clear();
  }

  /// Whether it is the best so far, if taking it costs `cost_s` seconds.
  bool look_at(const std::string& name, Assignment assignment, double cost_s) {
    const std::vector<PartShare> shares = examine(communicator_, pattern_, assignment, parts_, parts_);
    const double product_s = predicted_product(shares, request_.rates);
    least_s_ = least_product(shares, request_.rates);
    if (taken_.empty()) shares_ = shares;
    predicted_.push_back({name, product_s});
    if (!taken_.empty() &&
        (product_s > equal_share * best_s_ || (best_s_ - product_s) * request_.products < cost_s))
      return false;
    taken_ = name;
    best_ = std::move(assignment);
    best_s_ = product_s;
    from_.clear();
    return true;
  }

  /// Whether equal numbers of rows have unequal numbers of nonzeros.
  bool unbalanced() const {
    gidx most = 0;
    for (const PartShare& s : shares_) most = std::max(most, s.nonzeros);
    return is_unbalanced(most);
  }
  bool is_unbalanced(gidx most) const { return static_cast<double>(most) > 1.02 * part_nonzeros_; }

  /// Whether the expected saving is more than these seconds, which `what` will take. If not, sets the reason.
  bool could_pay(const std::string& what, double seconds) {
    const double gain_s = best_s_ - least_s_;
    if (least_s_ > equal_share * best_s_) {
      reason_ = fmt::format("no partition can take less than {}", microseconds(least_s_));
      return false;
    }
    const double saved_s = likely_share * gain_s * request_.products;
    if (saved_s > seconds) return true;
    reason_ =
        fmt::format("another would save some {} of it, {:.2g} s in {:g} products, and {} about {:.2g} s",
                    microseconds(likely_share * gain_s), saved_s, request_.products, what, seconds);
    return false;
  }

  void try_graphs() {
    const double move = move_s * part_nonzeros_;
    const double pace = metis_s + metis_hubs_s * hubs();
    if (pattern_.square()) {
      constexpr double grouped =
          0.25;  // a larger share of edges left, and rows of a group have little in common
      const double left =
          edges_per_nonzero(communicator_, pattern_, group_rows(communicator_, pattern_, slice_rows));
      const double seconds = left * nonzeros_ * pace;
      if (left < grouped && could_pay("METIS on groups of rows takes", seconds + move))
        ask("metis_groups", assign_by_metis_groups, seconds);
    }
    const double seconds = nonzeros_ * pace;
    if (could_pay("METIS takes", seconds + move)) ask("metis", assign_by_metis, seconds);
  }

  /// By how much the row of an average nonzero is longer than an average row: 0 where all rows are equal, 10 and more
  /// in networks. Collective.
  double hubs() const {
    double squares = 0;
    for (std::size_t i = 0; i + 1 < pattern_.row_ptr.size(); ++i) {
      const auto length = static_cast<double>(pattern_.row_ptr[i + 1] - pattern_.row_ptr[i]);
      squares += length * length;
    }
    const auto rows = static_cast<double>(pattern_.rows.total());
    return communicator_.sum(squares) * rows / std::max(nonzeros_ * nonzeros_, 1.0) - 1;
  }

  /// Examines METIS's partition, which takes about `seconds`. If METIS refuses, sets the reason.
  void ask(const char* name, Assign* assign, double seconds) {
    if (request_.announce) request_.announce(fmt::format("partitioning with {}", name), seconds);
    try {
      reason_ = fmt::format("{} has found nothing better", name);
      look_at(name, assign);
    } catch (const AgreedError& error) {
      if (error.code() != ExitCode::environment && error.code() != ExitCode::memory) throw;
      reason_ = error.what();
    }
  }

  const Communicator& communicator_;
  const Pattern& pattern_;
  const PartitionRequest& request_;
  double nonzeros_;  // of the matrix
  int parts_;
  double part_nonzeros_;           // on average
  std::vector<PartShare> shares_;  // of contiguous rows
  double least_s_ = 0;
  Assignment best_;
  double best_s_ = 0;
  std::string taken_;
  std::string from_;    // where the best was ready; empty where it was made now
  std::string reason_;  // why nothing else was taken
  std::vector<PartitionChoice::Predicted> predicted_;
};

}  // namespace

Assignment assign_by_auto(const Communicator& communicator, const Pattern& pattern,
                          const PartitionRequest& request) {
  if (parts_of(communicator, request) > 1) return Search(communicator, pattern, request).run();
  Assignment assignment = assign_by_rows(communicator, pattern, request);
  assignment.choice = {"rows", "one rank has them all", {}};
  return assignment;
}

}  // namespace spmv
