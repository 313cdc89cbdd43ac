// What a solver works with on one rank: products, combinations of vectors, and sums of all ranks. Everything is queued on the
// matrix's compute queue; the host reads only the record, some lines behind.
//
// A matrix whose elements are very small or large is normalised: products are those of 2^-k A, so that no square of a number
// is beyond the type. k is 0 for all other matrices.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/buffer.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/solve/rank_sums.hpp"
#include "kernels/combine/combine.hpp"

namespace spmv {

/// Slots for the inner products of a product y = A x, and what y is multiplied by in the second one.
template <class T>
struct ProductSums {
  int xy;               // of (x, y)
  int yy;               // of (y, w y)
  T* weight = nullptr;  // w, a diagonal; nullptr: 1
};

/// Whether products are those of A itself, or of A times a power of two that brings its elements near 1, if they are far from it.
enum class MatrixUnits { as_given, normalised };

template <class T>
class Workspace {
 public:
  /// `matrix`, which has a transport, and `mode` must outlive this. Collective; throws AgreedError as RankSums, or
  /// AgreedError(usage) if rows and columns of the matrix do not share a basis.
  Workspace(const Communicator& communicator, DistMatrix<T>& matrix, const Mode<T>& mode,
            const std::string& sums_transport, const TransportRequest& request,
            MatrixUnits units = MatrixUnits::normalised);

  /// Room for a vector and its halo, filled with zeros. Local.
  Buffer<T> make_vector() const;
  /// Owned elements of a vector. Local.
  lidx rows() const { return matrix_.rows(); }
  DistMatrix<T>& matrix() { return matrix_; }
  /// k: products are those of 2^-k A. The same on all ranks.
  int exponent() const {
    return units_ == MatrixUnits::as_given ? 0 : beyond_safe<T>(matrix_.magnitudes().largest);
  }
  /// How products of a very small or large matrix are scaled, such as "scaled by 2^-531 in a kernel of its own", which takes
  /// another pass over y; empty: exponent() is 0. The same on all ranks. Collective.
  std::string normalisation() const;
  const Communicator& communicator() const { return communicator_; }
  /// The transports of the sums over ranks, one after the other where they take several rounds; empty on one rank.
  std::vector<std::string> sums_transports() const { return sums_.transports(); }
  /// What work under way waits for at this moment, such as "adding up sums, which waits for flags from rank 3"; empty: for no
  /// other rank, or not known. Local, any thread, never blocks.
  std::string waiting_for() const;

  /// Queues y = 2^-k A x. Collective.
  void multiply(T* x, T* y);
  /// Queues y = 2^-k A x and leaves its inner products in parts. Collective.
  void multiply(T* x, T* y, const ProductSums<T>& sums);
  /// Queues a combination and returns the number of the line that it records. Local.
  std::uint64_t combine(const Combination<T>& combination);
  /// Queues the sums of all ranks: slots 0 to most_sums - 1 get the totals of their parts. Collective.
  void add_up() {
    sums_.start(matrix_.compute_queue());
    sums_.finish(matrix_.compute_queue());
  }
  /// The same in two steps: what is queued between them hides it, if it reads and leaves no sums. Collective.
  void start_adding_up() {
    sums_.start(matrix_.compute_queue());
    beside_ = true;
  }
  void finish_adding_up() {
    beside_ = false;
    sums_.finish(matrix_.compute_queue());
  }

  /// Queues what trials time for a solver: y = A x with its sums, and a kernel that changes x before the next product, as there is
  /// one in every iteration. A product behind another one would begin while that one ends. Collective.
  void multiply_and_change(T* x, T* y);

  /// The numbers of a recorded line, which is waited for. Lines come in order. Local; throws Error if the device fails.
  std::array<double, record_width> line(std::uint64_t number);
  /// The total in a slot: waits for all that is queued. Local.
  ScalarOf<T> read(int slot);
  /// |v|: waits for all that is queued. Uses slot 0. Collective.
  double norm(T* v);
  /// How many lines the host may leave unread so that the device never waits for it; the same on all ranks.
  std::uint64_t lines_ahead() const { return lines_ahead_; }
  /// How many combinations were queued that have no kernel of their own (kernels/combine/common_recipes.hpp): each takes several
  /// times as long. Local.
  std::uint64_t uncommon_combinations() const { return uncommon_; }

 private:
  void queue(const Combination<T>& combination, std::uint64_t line);
  void queue_product(T* x, T* y, RowSumsRequest<T> request);
  /// Whether products are to be scaled by a kernel behind theirs.
  bool scales_behind() const { return exponent() != 0 && !products_scale_; }
  void scale(Combination<T>& c, VectorName product) const;

  Communicator communicator_;
  DistMatrix<T>& matrix_;
  const Mode<T>& mode_;
  MatrixUnits units_;
  bool products_scale_;  // DistMatrix::scales_rows()
  bool products_sum_;    // DistMatrix::sums_rows()
  Scalars<T> scalars_;
  RankSums<T> sums_;
  std::uint64_t line_ = 0;
  std::uint64_t lines_ahead_;
  std::uint64_t uncommon_ = 0;
  std::atomic<bool> beside_{false};  // whether sums travel beside other work: nobody waits for them yet
};

}  // namespace spmv
