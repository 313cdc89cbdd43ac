// What is behind spmv_dist::Matrix.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/prepare/redistribute.hpp"
#include "lib/caller_rows.hpp"
#include "lib/context.hpp"
#include "lib/settings.hpp"
#include "lib/vector.hpp"

namespace spmv::lib {

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
