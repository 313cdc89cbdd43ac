// The state of spmv_dist::Matrix.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/solve/workspace.hpp"
#include "lib/caller_rows.hpp"
#include "lib/context.hpp"
#include "lib/settings.hpp"
#include "lib/vector.hpp"

namespace spmv::lib {

constexpr int most_block_rows = 64;  // of preconditioner block_jacobi, as in the program

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
  int largest_block = 8;  // rows of the largest block that preconditioner block_jacobi may use
  bool inner = false;     // whether a copy in single precision is kept for solvers
  std::string inner_format;
  std::string tune_cache;  // file of choices of format auto; empty: none
};

/// Local; throws Error(usage).
MatrixOptions read_options(Settings& settings);

/// What a matrix has for products of multivectors with so many columns, besides what it has for vectors.
template <class T>
struct SeveralColumns {
  std::shared_ptr<Basis<T>> x, y;  // the same for a square matrix
  /// That of vectors while multivectors are multiplied.
  typename DistMatrix<T>::ForColumns put_away;
  std::optional<Operator<T>> normalised;  // as solvers multiply by it; nullopt: not asked for yet
};

/// A copy of a matrix in single precision, for solvers that iterate on it.
template <class T>
struct InnerMatrix {
  using S = SingleOf<T>;
  DistOptions options;  // that it was built with
  std::unique_ptr<DistMatrix<S>> matrix;
  std::optional<Operator<S>> by;
};

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
  std::shared_ptr<Basis<T>> x, y;            // the same for a square matrix
  std::map<int, SeveralColumns<T>> several;  // what is set up for multivectors, by their number of columns
  Buffer<T> product;                         // A x of a product with factors; empty: none yet
  bool scales_rows = false;                  // DistMatrix::scales_rows() of this rank
  bool has_product = false;  // the same on all ranks, also on those without rows, whose buffer is empty
  bool is_complete = true;   // not after update_values() has failed on any rank; the same on all
  // For solvers.
  std::string not_finite;  // which element of this rank's rows is not; empty: all are
  Csr<T>
      near_diagonal;  // of a square matrix, in natural order: elements that a block of largest_block rows may have
  double eigenvalue_bound = 0;  // of a square matrix: bound_largest_eigenvalue()
  int updates = 0;              // of the values, so far
  std::string sums_transport;   // what carries sums over ranks; empty: not chosen yet
  std::optional<Operator<T>> as_given,
      normalised;                                // as workspaces multiply by it; nullopt: not asked for yet
  std::unique_ptr<InnerMatrix<T>> inner;         // nullptr: none was asked for
  std::unique_ptr<Workspace<T>> kept_workspace;  // for the next OwnWorkspace; nullptr: none, or it is lent

  MatrixState(std::shared_ptr<ContextState> c, MatrixOptions o)
      : context(std::move(c)), options(std::move(o)) {}
  ~MatrixState();
  MatrixState(const MatrixState&) = delete;
  MatrixState& operator=(const MatrixState&) = delete;

  const std::shared_ptr<Basis<T>>& basis(spmv_dist::Side side) const {
    return side == spmv_dist::Side::x ? x : y;
  }
  /// Those of vectors and of all multivectors.
  std::vector<Basis<T>*> all_bases() const {
    std::vector<Basis<T>*> all{x.get(), y.get()};
    for (const auto& [columns, bases] : several) all.insert(all.end(), {bases.x.get(), bases.y.get()});
    return all;
  }
};

/// Takes the caller's rows, and repartitions them if the caller wants it. Collective; throws AgreedError.
template <class T>
void take_matrix(MatrixState<T>& state, const spmv_dist::Rows<T>& rows);

/// Chooses the mode and builds state.matrix from state.rows. Collective; throws AgreedError.
template <class T>
void build_matrix(MatrixState<T>& state);

/// Makes A.inner, of A.rows, which still have their values, with the queue, layout, mode and transport of A.matrix.
/// Collective; throws AgreedError, of usage if they are in single precision or not square.
template <class T>
void build_inner(MatrixState<T>& A);
/// Gives A.inner the new values of A.rows, after A.matrix has got them. Collective; throws AgreedError.
template <class T>
void replace_inner(MatrixState<T>& A);

/// Makes state.x and state.y for state.matrix; called once. Collective.
template <class T>
void make_bases(MatrixState<T>& state);

/// The basis of multivectors with 2 to most_columns columns, the same number on all ranks; sets up their products the first time.
/// Collective; throws AgreedError, and then the matrix is as before.
template <class T>
const std::shared_ptr<Basis<T>>& basis_of_columns(MatrixState<T>& state, spmv_dist::Side side, int columns);

/// Drops the values of state.rows, which the matrix has been built from, and notes what solvers need of them: the elements
/// near the diagonal, a bound of the eigenvalues, and whether all values are finite. Collective.
template <class T>
void drop_values(MatrixState<T>& state);

/// Everything that was chosen and why.
template <class T>
std::string describe(const MatrixState<T>& state);

}  // namespace spmv::lib
