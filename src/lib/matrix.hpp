// The state of spmv_dist::Matrix and spmv_dist::Vector.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/prepare/redistribute.hpp"
#include "kernels/gather.hpp"
#include "lib/caller_rows.hpp"
#include "lib/context.hpp"
#include "lib/settings.hpp"

namespace spmv::lib {

/// The order of x or y on this rank, which vectors share with their matrix. Holds nothing of MPI, so that a vector may
/// outlive its matrix and be destroyed at any time.
template <class T>
struct Basis {
  std::shared_ptr<Backend> backend;
  int threads = 1;
  lidx size = 0;
  lidx capacity = 0;                    // size plus the halo
  std::unique_ptr<Gather<T>> to_basis;  // nullptr: the natural order
  std::unique_ptr<Gather<T>> from_basis;
  Buffer<T> natural;                 // for conversions; allocated when first needed
  std::unique_ptr<Queue> own_queue;  // used after the matrix is destroyed
  Queue* products = nullptr;         // the matrix's; nullptr: the matrix is destroyed
  bool follows_stream = false;       // see Matrix::order_with()
  void* stream = nullptr;

  Queue& queue() const { return products != nullptr ? *products : *own_queue; }
};

/// Whether two arrays have memory in common. Pure.
template <class T>
bool overlap(const T* a, std::int64_t a_count, const T* b, std::int64_t b_count) {
  const std::less<> before;
  return a_count > 0 && b_count > 0 && before(a, b + b_count) && before(b, a + a_count);
}

template <class T>
struct VectorState {
  std::shared_ptr<Basis<T>> basis;
  Buffer<T> own;         // empty: a view that is used as it is
  T* data = nullptr;     // what products use: basis->capacity elements
  T* callers = nullptr;  // of a view
  bool callers_on_device = false;
  bool copied() const { return callers != nullptr && callers != data; }
  /// The caller's memory, or that of a vector that has its own.
  const T* begin() const { return callers != nullptr ? callers : data; }
  /// How many elements from begin() on belong to the vector: with the halo, unless products use a copy.
  lidx count() const { return copied() ? basis->size : basis->capacity; }
  /// Copies from and to the caller's memory if products use a copy. Queued.
  void fetch();
  void bring();
};

/// The options of a matrix.
struct MatrixOptions {
  DistOptions dist;
  std::string mode;
  std::string layout;
  std::string transport;
  std::string partition;
  int seed = 1;
  std::string symmetry;
  bool updates = true;
  std::string tune_cache;  // file of choices of format auto; empty: none
};

/// Local; throws Error(usage).
MatrixOptions read_options(Settings& settings);

template <class T>
class MatrixState {
 public:
  std::shared_ptr<ContextState> context;
  MatrixOptions options;
  // The caller's rows, and where they went.
  std::array<std::vector<gidx>, 2> ids;  // of x, of y
  std::optional<Moves> moves;            // nullopt: everything stayed
  offset elements = 0;
  std::vector<offset> place;
  std::vector<offset> callers_row_ptr;  // before the move
  gidx global_elements = 0;
  DistributedRows<T> rows{{}, RowPartition({0}), RowPartition({0}), {}, {}, {}, {}};  // without values
  // The matrix that multiplies.
  const Mode<T>* mode = nullptr;
  std::vector<std::string> why_not;  // why modes that were tried earlier cannot be used
  std::string why;                   // why this mode
  std::vector<std::string> notes;    // other lines for describe()
  int threads = 1;                   // of OpenMP during a product
  std::unique_ptr<DistMatrix<T>> matrix;
  std::shared_ptr<Basis<T>> x, y;  // the same for a square matrix
  Buffer<T> product;               // A x of a product with factors; empty: none yet
  bool has_product = false;        // the same on all ranks, also on those without rows, whose buffer is empty

  MatrixState(std::shared_ptr<ContextState> c, MatrixOptions o)
      : context(std::move(c)), options(std::move(o)) {}
  ~MatrixState();
  MatrixState(const MatrixState&) = delete;
  MatrixState& operator=(const MatrixState&) = delete;

  const std::shared_ptr<Basis<T>>& basis(spmv_dist::Side side) const {
    return side == spmv_dist::Side::x ? x : y;
  }
};

/// Takes the caller's rows, and repartitions them if the caller wants it. Collective; throws AgreedError.
template <class T>
void take_matrix(MatrixState<T>& state, const spmv_dist::Rows<T>& rows);

/// Chooses the mode and builds state.matrix from state.rows. Collective; throws AgreedError.
template <class T>
void build_matrix(MatrixState<T>& state);

/// Makes state.x and state.y for state.matrix; called once. Collective.
template <class T>
void make_bases(MatrixState<T>& state);

/// Everything that was chosen and why.
template <class T>
std::string describe(const MatrixState<T>& state);

}  // namespace spmv::lib
