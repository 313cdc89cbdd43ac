// Our product and PETSc's on an aij matrix, side by side in one run: MatMult, or with several columns MatMatMult by a dense matrix.
//   mpirun -np 2 petsc_compare [generator specification or file] [blocks] [products per block] [columns] [format...]
// Both have the same rows on the same ranks, one compute thread per rank, and an x that changes between
// products. Blocks of products alternate, so that disturbances affect both. Reports the median and minimum of
// the maximum over ranks, and their ratios. Exit code 3 if the two disagree.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <omp.h>
#include <petscmat.h>

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "core/statistics.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/prepare/number_columns.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/product.hpp"
#include "io/generate/generator.hpp"
#include "io/matrix_market.hpp"
#include "kernels/format.hpp"
#include "whole_matrix.hpp"

namespace spmv {
namespace {

void check(PetscErrorCode code, const char* call) {
  if (code != 0) throw Error(ExitCode::internal, fmt::format("{} failed with PETSc's error {}", call, code));
}
#define SPMV_PETSC(call) check(call, #call)

/// PETSc's matrix for the rows of this rank, and the dense matrices x and y, which have their columns one after the other.
class PetscProduct {
 public:
  PetscProduct(const DistributedRows<double>& rows, int columns) : columns_(columns) {
    const Csr<double>& block = rows.block;
    const std::vector<PetscInt> row_ptr(block.row_ptr.begin(), block.row_ptr.end());
    std::vector<PetscInt> col;  // global ids, never renumbered
    for (const lidx c : block.col)
      col.push_back(static_cast<PetscInt>(c < rows.owned()
                                              ? rows.original_col[static_cast<std::size_t>(c)]
                                              : rows.ghosts[static_cast<std::size_t>(c - rows.owned())]));
    local_rows_ = static_cast<PetscInt>(block.rows);
    const auto local_cols = static_cast<PetscInt>(rows.original_col.size());
    SPMV_PETSC(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local_rows_, local_cols, PETSC_DETERMINE,
                                         PETSC_DETERMINE, row_ptr.data(), col.data(), block.value.data(),
                                         &matrix_));
    const auto x_of = [&](unsigned number) {
      std::vector<double> x;
      for (const gidx id : rows.original_col) x.push_back(x_value<double>(id, number));
      return x;
    };
    for (unsigned number = 0; number < distinct_x; ++number) {
      const std::vector<double> by_rows = columns_of_x<double>(x_of, number, columns);
      SPMV_PETSC(MatCreateDense(PETSC_COMM_WORLD, local_cols, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr,
                                &x_[number]));
      double* x = nullptr;
      SPMV_PETSC(MatDenseGetArray(x_[number], &x));
      for (std::size_t i = 0; i < by_rows.size(); ++i) {
        const auto row = static_cast<PetscInt>(i) / columns, column = static_cast<PetscInt>(i) % columns;
        x[column * local_cols + row] = by_rows[i];
      }
      SPMV_PETSC(MatDenseRestoreArray(x_[number], &x));
    }
    if (columns == 1) make_vectors();
  }
  ~PetscProduct() {
    for (Vec& x : vector_x_) VecDestroy(&x);
    VecDestroy(&vector_y_);
    for (Mat& x : x_) MatDestroy(&x);
    MatDestroy(&y_);
    MatDestroy(&matrix_);
  }
  PetscProduct(const PetscProduct&) = delete;
  PetscProduct& operator=(const PetscProduct&) = delete;

  void run(unsigned number) {
    const unsigned i = number % distinct_x;
    if (columns_ == 1) {
      SPMV_PETSC(MatMult(matrix_, vector_x_[i], vector_y_));
      return;
    }
    const MatReuse reuse = y_ == nullptr ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX;
    SPMV_PETSC(MatMatMult(matrix_, x_[i], reuse, PETSC_DEFAULT, &y_));
  }
  /// A column of the last product.
  std::vector<double> y(int column) const {
    const double* at = nullptr;
    if (columns_ == 1) {
      SPMV_PETSC(VecGetArrayRead(vector_y_, &at));
      std::vector<double> y(at, at + local_rows_);
      SPMV_PETSC(VecRestoreArrayRead(vector_y_, &at));
      return y;
    }
    SPMV_PETSC(MatDenseGetArrayRead(y_, &at));
    std::vector<double> y(at + column * local_rows_, at + (column + 1) * local_rows_);
    SPMV_PETSC(MatDenseRestoreArrayRead(y_, &at));
    return y;
  }

 private:
  /// From the dense matrices of one column.
  void make_vectors() {
    for (unsigned number = 0; number < distinct_x; ++number) {
      SPMV_PETSC(MatCreateVecs(matrix_, &vector_x_[number], number == 0 ? &vector_y_ : nullptr));
      SPMV_PETSC(MatGetColumnVector(x_[number], vector_x_[number], 0));
    }
  }

  int columns_;
  PetscInt local_rows_ = 0;
  Mat matrix_ = nullptr;
  Mat x_[distinct_x] = {};
  Mat y_ = nullptr;
  Vec vector_x_[distinct_x] = {};
  Vec vector_y_ = nullptr;
};

/// Rows `first` to `first + count` - 1 of a file; every rank reads the whole file.
RowBlock<double> read_rows(const std::string& path, gidx first, gidx count) {
  RowBlock<double> whole = load_whole<double>(path);
  RowBlock<double> mine;
  mine.first_row = first;
  const offset begin = whole.row_ptr[first], end = whole.row_ptr[first + count];
  mine.row_ptr.assign(whole.row_ptr.begin() + first, whole.row_ptr.begin() + first + count + 1);
  for (offset& at : mine.row_ptr) at -= begin;
  mine.col.assign(whole.col.begin() + begin, whole.col.begin() + end);
  mine.value.assign(whole.value.begin() + begin, whole.value.begin() + end);
  return mine;
}

/// The matrix's rows in even, contiguous ranges: without renumbering, both codes have the same order.
DistributedRows<double> make_rows(const Communicator& communicator, const std::string& name) {
  const bool from_file = std::ifstream(name).good();
  const Shape shape =
      from_file ? Shape{read_header(name).rows, read_header(name).cols} : make_generator(name)->shape();
  const auto [rows, cols] = Ownership::even(shape, communicator.size());
  const int me = communicator.rank();
  NumberedRows<double> numbered =
      number_columns(from_file ? read_rows(name, rows.first(me), rows.count(me))
                               : generate_rows<double>(*make_generator(name), rows.first(me), rows.count(me)),
                     cols.first(me), cols.count(me));
  DistributedRows<double> result{shape, rows, cols, std::move(numbered.block), std::move(numbered.ghosts),
                                 {},    {}};
  result.original_row.resize(static_cast<std::size_t>(rows.count(me)));
  result.original_col.resize(static_cast<std::size_t>(cols.count(me)));
  std::iota(result.original_row.begin(), result.original_row.end(), rows.first(me));
  std::iota(result.original_col.begin(), result.original_col.end(), cols.first(me));
  return result;
}

/// Appends this rank's seconds for some products.
template <class Run>
void time_block(const Communicator& communicator, unsigned products, const Run& run,
                std::vector<double>& seconds) {
  using Clock = std::chrono::steady_clock;
  for (unsigned i = 0; i < products; ++i) {
    communicator.barrier();
    const auto start = Clock::now();
    run(i);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

double largest_difference(const Communicator& communicator, const std::vector<double>& a,
                          const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double here = std::abs(a[i] - b[i]);
    if (!(here <= difference)) difference = std::isnan(here) ? INFINITY : here;
    size = std::max(size, std::abs(b[i]));
  }
  return communicator.max(difference) / std::max(communicator.max(size), 1e-300);
}

struct Plan {
  std::string specification = "stencil27:120,120,120";
  unsigned blocks = 10;
  unsigned products = 10;
  int columns = 1;
  std::vector<std::string> formats;  // empty: all
};

/// Compares one format in one mode; false if the results disagree.
bool compare(const Communicator& communicator, const Plan& plan, Product<double>& ours, PetscProduct& petsc,
             const Mode<double>& mode, const char* format, const std::string& layout) {
  const auto run_ours = [&](unsigned number) { ours.run(mode, number, nullptr); };
  const auto run_petsc = [&](unsigned number) { petsc.run(number); };
  std::vector<double> seconds_ours, seconds_petsc;
  time_block(communicator, plan.products, run_ours, seconds_ours);
  time_block(communicator, plan.products, run_petsc, seconds_petsc);
  seconds_ours.clear();  // drops the warm-up
  seconds_petsc.clear();
  for (unsigned block = 0; block < plan.blocks; ++block) {
    time_block(communicator, plan.products, run_ours, seconds_ours);
    time_block(communicator, plan.products, run_petsc, seconds_petsc);
  }
  const auto slowest_ours = communicator.max(seconds_ours);
  const auto slowest_petsc = communicator.max(seconds_petsc);
  const double t_ours = median(slowest_ours), t_petsc = median(slowest_petsc);
  const double best_ours = quantile(slowest_ours, 0), best_petsc = quantile(slowest_petsc, 0);
  // The last product of each was number `products - 1`.
  double difference = 0;
  const std::vector<std::vector<double>> mine = ours.columns_of_y(plan.products - 1);
  for (int column = 0; column < plan.columns; ++column) {
    std::vector<double> theirs = petsc.y(column);
    for (double& value : theirs) value = std::ldexp(value, -column_of_x(plan.products - 1, column).exponent);
    difference = std::max(difference,
                          largest_difference(communicator, mine[static_cast<std::size_t>(column)], theirs));
  }
  if (communicator.rank() == 0)
    fmt::print("{:<16}{:<8}{:<8}{:>10.3f}{:>11.3f}{:>9.2f} x{:>11.3f}{:>11.3f}{:>9.2f} x{:>13.1e}\n", format,
               mode.name, layout, t_ours * 1e3, t_petsc * 1e3, t_petsc / t_ours, best_ours * 1e3,
               best_petsc * 1e3, best_petsc / best_ours, difference);
  return difference < 1e-12;
}

ExitCode run(const Communicator& communicator, const Plan& plan) {
  omp_set_num_threads(1);
  const DistributedRows<double> rows = make_rows(communicator, plan.specification);
  PetscProduct petsc(rows, plan.columns);
  const std::shared_ptr<Backend> backend = make_host_backend({});
  if (communicator.rank() == 0)
    fmt::print(
        "{} on {} ranks, one compute thread each, {} blocks of {} products with {} columns; ms per product\n"
        "{:<16}{:<8}{:<8}{:>10}{:>11}{:>11}{:>11}{:>11}{:>11}{:>13}\n",
        plan.specification, communicator.size(), plan.blocks, plan.products, plan.columns, "format", "mode",
        "layout", "ours", "PETSc", "PETSc/ours", "ours best", "PETSc best", "of best", "difference");
  bool agree = true;
  for (const auto& format : formats<double>()) {
    if (!why_unusable(format, *backend).empty()) continue;
    const bool wanted = std::count(plan.formats.begin(), plan.formats.end(), format.name) > 0;
    if (!plan.formats.empty() && !wanted) continue;
    // Without mode device, because this exchange cannot be queued.
    for (const Layout<double>& row : layouts()) {
      const std::string layout = row.name;
      DistOptions options;
      options.layout = layout;
      options.format = options.nonlocal_format = format.name;
      options.tune.columns = plan.columns;
      options.tune.options.sigma = 1024;  // as auto chooses on processors
      DistMatrix<double> matrix(communicator, rows, options, backend);
      Product<double> ours(matrix, rows.original_col, false);
      for (const auto& mode : modes<double>())
        if (!mode.needs_queued_exchange && std::count(mode.layouts.begin(), mode.layouts.end(), layout) > 0)
          agree = compare(communicator, plan, ours, petsc, mode, format.name, layout) && agree;
    }
  }
  if (!agree && communicator.rank() == 0) fmt::print(stderr, "petsc_compare: the results disagree\n");
  return agree ? ExitCode::ok : ExitCode::wrong_result;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  using namespace spmv;
  const MpiSession session(argc, argv);
  const Communicator communicator = Communicator::world();
  try {
    Plan plan;
    if (argc > 1) plan.specification = argv[1];
    if (argc > 2) plan.blocks = number_in<unsigned>(argv[2]).value();
    if (argc > 3) plan.products = number_in<unsigned>(argv[3]).value();
    const auto columns = argc > 4 ? number_in<int>(argv[4]) : std::nullopt;
    plan.columns = columns.value_or(1);
    for (int i = columns ? 5 : 4; i < argc; ++i) plan.formats.emplace_back(argv[i]);
    SPMV_PETSC(PetscInitializeNoArguments());
    const ExitCode code = run(communicator, plan);
    SPMV_PETSC(PetscFinalize());
    return static_cast<int>(code);
  } catch (const Error& error) {
    fmt::print(stderr, "petsc_compare: rank {}: {}\n", communicator.rank(), error.what());
    communicator.abort(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "petsc_compare: rank {}: {}\n", communicator.rank(), error.what());
    communicator.abort(ExitCode::usage);
  }
}
