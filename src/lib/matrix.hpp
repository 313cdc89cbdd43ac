// What is behind spmv_dist::Matrix and spmv_dist::Vector.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
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

/// The order of x or y on this rank: what vectors have in common with their matrix. Holds nothing of MPI,
/// so that vectors may go when they like.
template <class T>
struct Basis {
  std::shared_ptr<Backend> backend;
  int threads = 1;
  lidx size = 0;
  lidx capacity = 0;                    // size and the halo
  std::unique_ptr<Gather<T>> to_basis;  // nullptr: the natural order
  std::unique_ptr<Gather<T>> from_basis;
  Buffer<T> natural;                 // for conversions; empty: none yet
  std::unique_ptr<Queue> own_queue;  // for when the matrix has gone
  Queue* products = nullptr;         // the matrix's; nullptr: it has gone
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
  /// How many elements there belong to it: those of the halo, too, unless it is copied.
  lidx count() const { return copied() ? basis->size : basis->capacity; }
  /// To and from the caller's memory, where it is copied. Queued.
  void fetch();
  void bring();
};

/// What the options of a matrix say.
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
  // What the caller has given, and where it went.
  std::array<std::vector<gidx>, 2> ids;  // of x, of y
  std::unique_ptr<Moves> moves;          // nullptr: everything stayed
  offset elements = 0;
  std::vector<offset> place;
  std::vector<offset> callers_row_ptr;  // before the move
  gidx global_elements = 0;
  DistributedRows<T> rows{{}, RowPartition({0}), RowPartition({0}), {}, {}, {}, {}};  // without values
  // What multiplies.
  const Mode<T>* mode = nullptr;
  std::vector<std::string> why_not;  // modes that came first, and why they could not be
  std::string why;                   // why this mode
  std::vector<std::string> notes;    // what else the caller should know
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

/// Takes the caller's rows, and moves them where that was asked for. Collective; throws AgreedError.
template <class T>
void take_matrix(MatrixState<T>& state, const spmv_dist::Rows<T>& rows);

/// Chooses the mode and builds what multiplies, with state.rows complete. Collective; throws AgreedError.
template <class T>
void build_matrix(MatrixState<T>& state);

/// Of state.matrix, once. Collective.
template <class T>
void make_bases(MatrixState<T>& state);

/// Everything that was chosen and why.
template <class T>
std::string describe(const MatrixState<T>& state);

}  // namespace spmv::lib
