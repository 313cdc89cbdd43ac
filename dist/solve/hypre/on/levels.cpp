#include "dist/solve/hypre/levels.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "dist/solve/adjoint.hpp"

namespace spmv::hypre {
namespace {

/// hypre, loaded when it is first needed: so programs that need none have neither it nor the libraries that it brings along.
/// nullptr: it is not there.
void* library() {
  static void* const loaded = dlopen(SPMV_HYPRE_FILE, RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

/// Throws Error(environment) if hypre is not there, or lacks it.
template <class Function>
Function* function(const char* name) {
  void* const found = library() == nullptr ? nullptr : dlsym(library(), name);
  if (found == nullptr)
    throw Error(ExitCode::environment,
                fmt::format("{} was not found in {}, which makes the levels of preconditioner multigrid",
                            name, SPMV_HYPRE_FILE));
  return reinterpret_cast<Function*>(found);
}

/// Throws Error(input) if a call has failed. Local.
void check(HYPRE_Int error, const char* what) {
  if (error == 0) return;
  char text[256] = {};
  function<decltype(HYPRE_DescribeError)>("HYPRE_DescribeError")(error, text);
  function<decltype(HYPRE_ClearAllErrors)>("HYPRE_ClearAllErrors")();
  throw Error(ExitCode::input, fmt::format("hypre failed to {}: {}", what, text));
}

/// Calls a function of hypre inside which ranks wait for each other. So that none waits for a rank that failed before, each step of the
/// set-up is agreed on before the next one begins; and what fails on one rank alone, such as memory or an option, is in steps of
/// its own, without messages. What is left is a rank that fails between hypre's own messages. Collective; throws AgreedError.
template <class Function, class... Arguments>
void call_together(const Communicator& communicator, const char* name, const char* what,
                   Arguments... arguments) {
  Function* const call = communicator.together([&] { return function<Function>(name); });
  communicator.together([&] { check(call(arguments...), what); });
}

/// What hypre makes, and destroys by a function of this name.
template <class Handle>
class Owned {
 public:
  explicit Owned(const char* destroy) : destroy_(function<HYPRE_Int(Handle)>(destroy)) {}
  ~Owned() {
    if (handle_ != nullptr) destroy_(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle* address() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  HYPRE_Int (*destroy_)(Handle);
  Handle handle_ = nullptr;
};
using Matrix = Owned<HYPRE_IJMatrix>;
using Amg = Owned<HYPRE_Solver>;

template <class Integer>
HYPRE_Int as_int(Integer number) {
  return static_cast<HYPRE_Int>(number);
}

void require_countable(const Communicator& communicator, const DistributedRows<double>& rows) {
  const gidx most = std::numeric_limits<HYPRE_Int>::max();
  communicator.together([&] {
    if (rows.shape.rows > most || rows.block.nonzeros() > most)
      throw Error(ExitCode::input,
                  fmt::format("the matrix has {} rows, and {} elements on rank {}: this hypre counts to {}",
                              rows.shape.rows, rows.block.nonzeros(), communicator.rank(), most));
  });
}

/// Gives the rows to a matrix of hypre. Local.
void fill(Matrix& matrix, const DistributedRows<double>& rows, int rank) {
  check(function<decltype(HYPRE_IJMatrixSetObjectType)>("HYPRE_IJMatrixSetObjectType")(matrix.get(),
                                                                                       HYPRE_PARCSR),
        "set the type of a matrix");
  std::vector<HYPRE_Int> lengths;
  lengths.reserve(static_cast<std::size_t>(rows.block.rows));
  for (lidx row = 0; row < rows.block.rows; ++row)
    lengths.push_back(as_int(rows.block.row_ptr[static_cast<std::size_t>(row) + 1] -
                             rows.block.row_ptr[static_cast<std::size_t>(row)]));
  check(function<decltype(HYPRE_IJMatrixSetRowSizes)>("HYPRE_IJMatrixSetRowSizes")(matrix.get(),
                                                                                   lengths.data()),
        "size a matrix");
  check(function<decltype(HYPRE_IJMatrixInitialize)>("HYPRE_IJMatrixInitialize")(matrix.get()),
        "initialize a matrix");
  const lidx owned = rows.owned();
  std::vector<HYPRE_BigInt> cols;
  for (lidx row = 0; row < rows.block.rows; ++row) {
    const offset from = rows.block.row_ptr[static_cast<std::size_t>(row)];
    cols.clear();
    for (offset k = from; k < rows.block.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const lidx col = rows.block.col[static_cast<std::size_t>(k)];
      cols.push_back(as_int(col < owned ? rows.cols.first(rank) + col
                                        : rows.ghosts[static_cast<std::size_t>(col - owned)]));
    }
    const HYPRE_BigInt global = as_int(rows.rows.first(rank) + row);
    check(function<decltype(HYPRE_IJMatrixSetValues)>("HYPRE_IJMatrixSetValues")(
              matrix.get(), 1, &lengths[static_cast<std::size_t>(row)], &global, cols.data(),
              rows.block.value.data() + from),
          "fill a matrix");
  }
}

/// The matrix as hypre keeps it. Collective; throws AgreedError.
HYPRE_ParCSRMatrix assemble(Matrix& matrix, const Communicator& communicator,
                            const DistributedRows<double>& rows) {
  const MPI_Comm comm = *static_cast<const MPI_Comm*>(communicator.handle());
  const int rank = communicator.rank();
  const auto first = as_int(rows.rows.first(rank)), last = as_int(rows.rows.first(rank + 1) - 1);
  call_together<decltype(HYPRE_IJMatrixCreate)>(communicator, "HYPRE_IJMatrixCreate", "create a matrix", comm,
                                                first, last, first, last, matrix.address());
  communicator.together([&] { fill(matrix, rows, rank); });
  call_together<decltype(HYPRE_IJMatrixAssemble)>(communicator, "HYPRE_IJMatrixAssemble", "assemble a matrix",
                                                  matrix.get());
  void* parcsr = nullptr;
  communicator.together([&] {
    check(function<decltype(HYPRE_IJMatrixGetObject)>("HYPRE_IJMatrixGetObject")(matrix.get(), &parcsr),
          "hand over a matrix");
  });
  return static_cast<HYPRE_ParCSRMatrix>(parcsr);
}

/// Which of a grid point's unknowns each row is. Rows of a point followed each other when they were read; since then they may
/// have moved. hypre frees it.
HYPRE_Int* unknown_of_rows(const DistributedRows<double>& rows, int unknowns) {
  const std::vector<gidx>& ids = rows.original_row;
  auto* const all = static_cast<HYPRE_Int*>(std::calloc(ids.size() + 1, sizeof(HYPRE_Int)));
  if (all == nullptr) throw Error(ExitCode::memory, "no memory for the unknowns of grid points");
  std::transform(ids.begin(), ids.end(), all, [&](gidx id) { return as_int(id % unknowns); });
  return all;
}

/// BoomerAMG's defaults for GPUs, whose interpolation has few elements; the first coarser level is much coarser, because the
/// finest one is often packed, and others are not. Jacobi and no direct solve: its own cycle is never run. Local.
void choose(Amg& amg, const DistributedRows<double>& rows, const LevelOptions& options) {
  constexpr HYPRE_Int hmis = 10, extended_i = 6, two_stage_extended_i = 6, jacobi = 7, coarsest = 3,
                      most_elements = 4, coarse_rows = 1200;
  constexpr HYPRE_Int most_levels = 30;
  check(function<decltype(HYPRE_BoomerAMGCreate)>("HYPRE_BoomerAMGCreate")(amg.address()),
        "create BoomerAMG");
  const HYPRE_Solver solver = amg.get();
  const auto set = [&](const char* option, HYPRE_Int number) {
    check(function<decltype(HYPRE_BoomerAMGSetMaxLevels)>(option)(solver, number), option);
  };
  set("HYPRE_BoomerAMGSetPrintLevel", 0);
  set("HYPRE_BoomerAMGSetMaxLevels", most_levels);
  set("HYPRE_BoomerAMGSetCoarsenType", hmis);
  set("HYPRE_BoomerAMGSetInterpType", extended_i);
  set("HYPRE_BoomerAMGSetPMaxElmts", most_elements);
  set("HYPRE_BoomerAMGSetMaxCoarseSize", coarse_rows);
  set("HYPRE_BoomerAMGSetAggNumLevels", 1);
  set("HYPRE_BoomerAMGSetAggInterpType", two_stage_extended_i);
  set("HYPRE_BoomerAMGSetAggPMaxElmts", most_elements);
  set("HYPRE_BoomerAMGSetNumFunctions", options.unknowns);
  set("HYPRE_BoomerAMGSetRelaxType", jacobi);
  if (options.unknowns > 1)
    check(function<decltype(HYPRE_BoomerAMGSetDofFunc)>("HYPRE_BoomerAMGSetDofFunc")(
              solver, unknown_of_rows(rows, options.unknowns)),
          "say which unknown each row is");
  check(function<decltype(HYPRE_BoomerAMGSetCycleRelaxType)>("HYPRE_BoomerAMGSetCycleRelaxType")(
            solver, jacobi, coarsest),
        "choose a smoother");
  check(function<decltype(HYPRE_BoomerAMGSetStrongThreshold)>("HYPRE_BoomerAMGSetStrongThreshold")(
            solver, options.strong),
        "choose strong couplings");
}

/// This rank's rows with global columns.
RowBlock<double> rows_of(hypre_ParCSRMatrix* matrix) {
  hypre_CSRMatrix *const own = hypre_ParCSRMatrixDiag(matrix), *const others = hypre_ParCSRMatrixOffd(matrix);
  const HYPRE_BigInt* const names = hypre_ParCSRMatrixColMapOffd(matrix);
  RowBlock<double> rows;
  rows.first_row = hypre_ParCSRMatrixFirstRowIndex(matrix);
  for (HYPRE_Int row = 0; row < hypre_CSRMatrixNumRows(own); ++row) {
    const auto add = [&](hypre_CSRMatrix* part, const auto& global) {
      if (hypre_CSRMatrixNumNonzeros(part) == 0) return;
      for (HYPRE_Int k = hypre_CSRMatrixI(part)[row]; k < hypre_CSRMatrixI(part)[row + 1]; ++k) {
        rows.col.push_back(global(hypre_CSRMatrixJ(part)[k]));
        rows.value.push_back(hypre_CSRMatrixData(part)[k]);
      }
    };
    add(own, [&](HYPRE_Int col) { return gidx{hypre_ParCSRMatrixFirstColDiag(matrix)} + col; });
    add(others, [&](HYPRE_Int col) { return gidx{names[col]}; });
    rows.row_ptr.push_back(static_cast<offset>(rows.col.size()));
  }
  return rows;
}

}  // namespace

bool is_there() {
  return true;
}

std::vector<CoarseLevel<double>> make_levels(const Communicator& communicator,
                                             const DistributedRows<double>& rows,
                                             const LevelOptions& options) {
  require_countable(communicator, rows);
  call_together<decltype(HYPRE_Init)>(communicator, "HYPRE_Init", "start");
  const auto matrix = communicator.together([] { return std::make_unique<Matrix>("HYPRE_IJMatrixDestroy"); });
  const auto amg = communicator.together([] { return std::make_unique<Amg>("HYPRE_BoomerAMGDestroy"); });
  const HYPRE_ParCSRMatrix finest = assemble(*matrix, communicator, rows);
  communicator.together([&] { choose(*amg, rows, options); });
  call_together<decltype(HYPRE_BoomerAMGSetup)>(communicator, "HYPRE_BoomerAMGSetup", "make levels",
                                                amg->get(), finest, nullptr, nullptr);
  auto* const data = reinterpret_cast<hypre_ParAMGData*>(amg->get());
  std::vector<CoarseLevel<double>> levels;
  for (HYPRE_Int l = 1; l < hypre_ParAMGDataNumLevels(data); ++l) {
    RowBlock<double> A, P;
    communicator.together([&] {
      A = rows_of(hypre_ParAMGDataAArray(data)[l]);
      P = rows_of(hypre_ParAMGDataPArray(data)[l - 1]);
    });
    const RowPartition of_level = RowPartition::from_counts(communicator.all_gather(A.rows()));
    RowBlock<double> R = adjoint(communicator, P, of_level);
    levels.push_back({of_level, std::move(A), std::move(P), std::move(R)});
  }
  return levels;
}

}  // namespace spmv::hypre
