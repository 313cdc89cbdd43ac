// Distributed sparse matrix-vector products on MPI ranks with or without GPUs: the public interface for
// C++17.
//
//   MPI_Init(...)                                              MPI is yours: you start it and end it
//   spmv_dist::Context context(MPI_COMM_WORLD);                any communicator of yours
//   spmv_dist::Rows<double> mine;  mine.first_row = ...        the rows that this rank holds, as CSR arrays
//   spmv_dist::Matrix<double> A(context, mine);                chooses format, transport, mode
//   auto x = A.make_x(), y = A.make_y();  x.set(...);          vectors where the products run
//   multiply(A, x, y);  y.get(...);                            y = A x
//
// Calls. "Collective" calls are made by all ranks of the context, in the same order. They check what they
// are given together: an error of any rank is thrown on all of them, with the same text. Destroying a
// Matrix or a Context is Collective, too; after MPI_Finalize it is harmless. "Local" calls concern one
// rank alone.
//
// Errors. Everything throws Error, whose text names the cause and how to fix it. Nothing prints, installs
// a signal handler, ends the process, or keeps global state.
//
// Memory. With backend cuda, device memory is memory of the context's GPU; with host and debug, the
// products run on the host. Pointers may be host or device memory wherever nothing else is said: the
// library asks the CUDA driver.
//
// Threads. The library is content with any thread level of MPI; a mode that needs more than yours gives
// way to the next, see Matrix::describe(). A Context and all that is made from it is used by one thread at
// a time. Several contexts may be used by several threads at once if MPI provides MPI_THREAD_MULTIPLE.
//
// Versions. Within a minor version 0.x (later: a major version) a program runs with every later patch
// version of the shared library without being compiled again: nothing is removed, no signature and no
// struct changes. The classes hold one pointer each, to what the library alone knows. The standard
// library's types are passed as they are: compile with the C++ library (libstdc++ or libc++, and its ABI)
// that spmv_dist was compiled with; what is known to differ, as under _GLIBCXX_DEBUG, is refused by the compiler.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "spmv_dist/abi_cxx.h"
#include "spmv_dist/abi_mpi.h"
#include "spmv_dist/export.h"
#include "spmv_dist/version.h"

namespace spmv_dist {

namespace internal {
struct Access;
}

/// Version of the library that runs, such as "0.1.0"; SPMV_DIST_VERSION_STRING is that of this header. Local.
SPMV_DIST_EXPORT const char* version() noexcept;

/// What kind of failure it was. The numbers are the exit codes of the program spmv_dist.
enum class Code : int {
  internal = 1,     // a bug, or a failed call of MPI or CUDA
  usage = 2,        // an unknown option, or a call that makes no sense
  input = 4,        // the matrix is not what it should be
  environment = 5,  // no usable GPU, or nothing that can move the halo
  timeout = 7,      // no progress
  memory = 8,       // does not fit the host or the GPU
};

/// The only exception of this library. what() names the cause and, after it, the fix.
class SPMV_DIST_EXPORT Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message);
  ~Error() override;
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

/// One option by its name.
struct Setting {
  std::string name;
  std::string value;
};

/// Options by name, the same on every rank. An option that is not named keeps its default; src/lib/README.md
/// has the table. The constructors of Context and Matrix refuse names and values that do not exist.
class SPMV_DIST_EXPORT Options {
 public:
  Options();
  /// Options{{"mode", "task"}, {"format", "pjds"}}
  Options(std::initializer_list<Setting> settings);
  /// Of a text such as "mode=task format=pjds", with spaces or commas between.
  static Options parse(const std::string& text);
  Options(const Options& other);
  Options& operator=(const Options& other);
  ~Options();

  Options& set(const std::string& name, const std::string& value);
  /// As parse() takes it.
  std::string text() const;

 private:
  struct State;
  friend struct internal::Access;
  std::unique_ptr<State> state_;
};

/// Where an array lies.
enum class Where : int {
  automatic = 0,  // the library finds out
  host = 1,
  device = 2,  // refused where the products run on the host
};

/// The rows of the matrix that this rank holds: a view of arrays of the caller's, read by Matrix's
/// constructor and not needed afterwards. Every global row is held by exactly one rank; a rank may hold
/// none.
///
/// Columns of a row may come in any order, and repeatedly: the values of a column that is repeated are
/// summed.
template <class T>
struct Rows {
  std::int64_t global_rows = 0;  // of the whole matrix, the same on every rank
  std::int64_t global_cols = 0;
  std::int64_t rows = 0;                  // that this rank holds
  std::int64_t first_row = 0;             // global id of the first; the others follow it ...
  const std::int64_t* row_ids = nullptr;  // ... or the global id of each, in any order. Host memory
  const std::int64_t* row_ptr = nullptr;  // rows + 1: row i has elements row_ptr[i] to row_ptr[i + 1] - 1
  const std::int64_t* columns = nullptr;  // of each element, the global id
  const T* values = nullptr;              // of each element
  std::int64_t elements = 0;              // in columns and in values
  // Which elements of x this rank owns, where the matrix is not square (a square one's x is owned like
  // its rows):
  std::int64_t x_size = -1;             // so many; -1: an equal share of all, in the order of the ranks
  std::int64_t first_x = 0;             // global column of the first; the others follow it ...
  const std::int64_t* x_ids = nullptr;  // ... or the global column of each, in any order. Host memory
  Where where = Where::automatic;       // row_ptr, columns and values; all three in the same memory
};

/// Rows that follow each other from `first_row` on, in host memory. The vectors must outlive the view.
template <class T>
Rows<T> rows_from(std::int64_t global_rows, std::int64_t global_cols, std::int64_t first_row,
                  const std::vector<std::int64_t>& row_ptr, const std::vector<std::int64_t>& columns,
                  const std::vector<T>& values) {
  if (row_ptr.empty() || columns.size() != values.size())
    throw Error(Code::input,
                "row_ptr must have one element more than there are rows, and columns as many as values");
  Rows<T> rows;
  rows.global_rows = global_rows;
  rows.global_cols = global_cols;
  rows.first_row = first_row;
  rows.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  rows.row_ptr = row_ptr.data();
  rows.columns = columns.data();
  rows.values = values.data();
  rows.elements = static_cast<std::int64_t>(columns.size());
  rows.where = Where::host;
  return rows;
}

/// The vector that a map or a conversion belongs to: x is multiplied, y is the result.
enum class Side : int { x = 0, y = 1 };

/// A group of ranks and what their products run on. Copies are the same context. It works on a duplicate
/// of the communicator, which may be freed as soon as the constructor has returned.
///
/// Options: backend (auto, host, cuda, debug), device (auto: the GPUs of a node are dealt to its ranks round
/// robin; current: the calling thread's; or a number), threads (of OpenMP for a product; 0: as many as
/// the calling thread would use anyway).
class SPMV_DIST_EXPORT Context {
 public:
  /// Collective on `communicator`.
  explicit Context(MPI_Comm communicator, const Options& options = Options());

  int rank() const;
  int size() const;
  /// "host", "cuda" or "debug".
  std::string backend() const;
  /// This rank's host, device, cores and threads, and why they were chosen: for people. Local.
  std::string describe() const;

 private:
  friend struct internal::Access;
  std::shared_ptr<void> state_;
};

/// Rows that the library has loaded, an even share of all of them on each rank. It owns the arrays that
/// view() refers to; copies are the same rows.
template <class T>
class SPMV_DIST_EXPORT LoadedRows {
 public:
  /// Of a Matrix Market file, plain, compressed by gzip or alone in a tar archive, or of a .spmv or PETSc file, that
  /// every rank can open; each rank reads a part. The values must be of a kind that T can hold. Collective.
  static LoadedRows read(const Context& context, const std::string& path);
  /// Of a generator, named as for --generate of the program: "stencil27:96,96,96". Collective.
  static LoadedRows generate(const Context& context, const std::string& specification);

  /// For the constructor of Matrix. Must not be used after the last copy of this object has gone. Local.
  Rows<T> view() const;

 private:
  friend struct internal::Access;
  explicit LoadedRows(std::shared_ptr<void> state) : state_(std::move(state)) {}
  std::shared_ptr<void> state_;
};

/// This rank's elements of x or y of one matrix, in the memory where products run, and in the basis of
/// this rank: the order in which its storage format wants the rows. set() and get() convert from and to
/// the natural order, that of Matrix::ids(). Behind the elements there is room for those of other ranks,
/// the halo. Copies are the same vector. It may outlive its matrix. Destroying the last copy waits for the work
/// that is queued, unless it is a view. All calls are Local.
template <class T>
class SPMV_DIST_EXPORT Vector {
 public:
  /// Elements that this rank owns.
  std::int64_t size() const;
  /// The elements in the basis of this rank, size() of them and room for the halo after them. Device memory
  /// with backend cuda. Of a view: the memory that it was made of.
  T* data();
  const T* data() const;

  /// From the natural order: `count` = size() elements in host or device memory. Returns when done.
  void set(const T* natural, std::int64_t count);
  void set(const std::vector<T>& natural) { set(natural.data(), static_cast<std::int64_t>(natural.size())); }
  /// To the natural order, likewise, after all products that were queued so far.
  void get(T* natural, std::int64_t count) const;
  std::vector<T> get() const {
    std::vector<T> natural(static_cast<std::size_t>(size()));
    get(natural.data(), size());
    return natural;
  }
  /// Whether every product copies it: a view of memory that products cannot use as it is.
  bool is_copied() const;

 private:
  friend struct internal::Access;
  explicit Vector(std::shared_ptr<void> state) : state_(std::move(state)) {}
  std::shared_ptr<void> state_;
};

/// A distributed matrix, ready to multiply. T: float, double, std::complex<float> or
/// std::complex<double>. Copies are the same matrix.
///
/// Options, with the program's defaults where it has them: mode (fastest: by trial), layout, transport, format, nonlocal_format,
/// partition (keep: the rows stay where they are), seed, products, hint, block_rows, chunk_rows, sigma,
/// threads_per_row, threads_per_block, unroll, popular_first, entry_block, tune_cache (off, or a file in which
/// choices of format auto are remembered, the program's --tune-cache as well), symmetry (general, symmetric,
/// hermitian: what you know of A), updates (on: the pattern is kept on the host for update_values()), sums (on:
/// format auto chooses for solvers, which want two sums of every product).
template <class T>
class SPMV_DIST_EXPORT Matrix {
 public:
  using Value = T;

  /// Collective.
  Matrix(const Context& context, const Rows<T>& rows, const Options& options = Options());

  std::int64_t global_rows() const;
  std::int64_t global_cols() const;
  /// Of all rows, repeated columns counted once.
  std::int64_t global_elements() const;
  /// Elements of x or y on this rank.
  std::int64_t size(Side side) const;
  /// Global ids of these elements, in the natural order of vectors: that of the caller's rows, unless
  /// they were repartitioned. The rows of this rank are ids(Side::y).
  std::vector<std::int64_t> ids(Side side) const;
  /// Whether every element is still on the rank, and at the place, where the caller had it.
  bool keeps_distribution() const;
  /// Elements in the distribution and order of the caller's Rows to those of the matrix, and back.
  /// Collective.
  std::vector<T> to_matrix(Side side, const std::vector<T>& callers) const;
  std::vector<T> to_caller(Side side, const std::vector<T>& matrixs) const;

  /// New vectors; their elements are zero. Of a square matrix each serves as x and as y, and y may be
  /// the next x.
  Vector<T> make_x() const { return make(Side::x); }
  Vector<T> make_y() const { return make(Side::y); }
  Vector<T> make(Side side) const;
  /// A vector in the caller's memory, in the basis of this rank: at least size(side) elements from `at`
  /// on. It is used as it is if the products reach it, it has capacity(side) elements and, on a GPU, its address is a multiple
  /// of 16 bytes (float: of 8); otherwise every product copies it. The memory must outlive the vector. Local.
  Vector<T> view(Side side, T* at, std::int64_t count) const;
  /// size(side) and the room for the halo.
  std::int64_t capacity(Side side) const;

  /// Other values for the same pattern, in the order of the caller's Rows; `count` = Rows::elements.
  /// Neither plan, transport nor choice is made again, but the arrays of the chosen format are built
  /// anew. Vectors keep their basis. After products that are queued. Where memory runs out on a rank, the matrix may be left
  /// without values: then all ranks refuse to work with it until a later call succeeds. Collective.
  void update_values(const T* values, std::int64_t count, Where where = Where::automatic);

  /// From now on a product starts after all that `cuda_stream` (a cudaStream_t; nullptr: the default
  /// stream) holds when it is called, and what is put there afterwards starts when the product is
  /// complete. Local.
  void order_with(void* cuda_stream);
  void order_with_none();
  /// Returns when all queued products are complete on this rank. Local.
  void synchronize();

  /// What was chosen, one word each. Local.
  std::string mode() const;
  std::string layout() const;
  std::string transport() const;
  std::string format() const;
  /// Everything that was chosen and why, in lines for people. Local.
  std::string describe() const;

 private:
  friend struct internal::Access;
  std::shared_ptr<void> state_;
};

/// y = A x. Returns when y is complete on this rank. x and y are vectors of A that have no memory in common, the room for
/// the halo included: views that overlap are refused, wherever the memory lies.
/// Collective; what is wrong with its arguments is found before anything is sent, and thrown by the ranks
/// where it is wrong.
template <class T>
SPMV_DIST_EXPORT void multiply(Matrix<T>& A, Vector<T>& x, Vector<T>& y);

/// The same, but returns when it is queued: x must not change and y is not complete before
/// A.synchronize(), the next get(), or, in the order of order_with(), in the caller's stream. Modes that
/// wait for messages on the host do so here.
template <class T>
SPMV_DIST_EXPORT void multiply_queued(Matrix<T>& A, Vector<T>& x, Vector<T>& y);

/// y = alpha A x + beta y; where beta is 0, y is not read. x and y may be the same vector of a square matrix;
/// views that overlap otherwise are refused.
template <class T>
SPMV_DIST_EXPORT void multiply_add(const typename Matrix<T>::Value& alpha, Matrix<T>& A, Vector<T>& x,
                                   const typename Matrix<T>::Value& beta, Vector<T>& y);
template <class T>
SPMV_DIST_EXPORT void multiply_add_queued(const typename Matrix<T>::Value& alpha, Matrix<T>& A, Vector<T>& x,
                                          const typename Matrix<T>::Value& beta, Vector<T>& y);

/// y = transposed A x, where that costs no more than A x: for option symmetry=symmetric. Otherwise
/// Error(usage).
template <class T>
SPMV_DIST_EXPORT void multiply_transposed(Matrix<T>& A, Vector<T>& x, Vector<T>& y);
/// y = conjugate transposed A x: for symmetry=hermitian, or symmetric and real.
template <class T>
SPMV_DIST_EXPORT void multiply_adjoint(Matrix<T>& A, Vector<T>& x, Vector<T>& y);

}  // namespace spmv_dist
