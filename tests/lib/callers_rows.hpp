// A rank's rows as a user of the library may have them: scattered ids, columns descending and repeated.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/reference.hpp"
#include "spmv_dist/spmv_dist.hpp"
#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {

inline MPI_Comm world_comm() {
  return *static_cast<MPI_Comm*>(world().handle());
}

/// How rows are distributed to ranks.
enum class Deal { scattered, blocks, all_on_last };

template <class T>
struct CallersRows {
  std::vector<gidx> ids, row_ptr{0}, columns, x_ids;
  std::vector<T> values;
  spmv_dist::Rows<T> view;

  CallersRows(const GlobalMatrix& matrix, Deal deal, int rank = world().rank(), int ranks = world().size()) {
    const RowBlock<T> whole = whole_rows<T>(matrix);
    ids = dealt(matrix.shape.rows, deal, rank, ranks);
    for (const gidx row : ids) {
      for (offset k = whole.row_ptr[row + 1]; k-- > whole.row_ptr[row];) {
        columns.push_back(whole.col[k]);
        values.push_back(whole.value[k]);
      }
      row_ptr.push_back(static_cast<offset>(columns.size()));
    }
    view.global_rows = matrix.shape.rows;
    view.global_cols = matrix.shape.cols;
    view.rows = static_cast<gidx>(ids.size());
    view.row_ids = ids.data();
    view.row_ptr = row_ptr.data();
    view.columns = columns.data();
    view.values = values.data();
    view.elements = static_cast<gidx>(columns.size());
    if (matrix.shape.rows != matrix.shape.cols && deal == Deal::scattered) {
      x_ids = dealt(matrix.shape.cols, deal, rank, ranks);
      view.x_ids = x_ids.data();
      view.x_size = static_cast<gidx>(x_ids.size());
    }
  }
  CallersRows(const CallersRows&) = delete;
  CallersRows& operator=(const CallersRows&) = delete;

 private:
  static std::vector<gidx> dealt(gidx total, Deal deal, int rank, int ranks) {
    std::vector<gidx> mine;
    for (gidx id = total; id-- > 0;) {
      const gidx owner = deal == Deal::scattered ? (id * 11 + 3) % ranks
                         : deal == Deal::blocks  ? id * ranks / total
                                                 : ranks - 1;
      if (owner == rank) mine.push_back(id);
    }
    if (deal == Deal::blocks) std::reverse(mine.begin(), mine.end());
    return mine;
  }
};

/// The expected y of product number `step` for `rows`, in their order.
template <class T>
Reference<T> reference_for(const GlobalMatrix& matrix, unsigned step, const std::vector<gidx>& rows) {
  const Reference<T> all = reference_product(whole_rows<T>(matrix), step);
  Reference<T> mine;
  for (const gidx row : rows) {
    mine.y.push_back(all.y[row]);
    mine.bound.push_back(all.bound[row]);
  }
  return mine;
}

/// x number `step` for `ids`, in their order.
template <class T>
std::vector<T> x_for(const std::vector<gidx>& ids, unsigned step) {
  std::vector<T> x;
  for (const gidx id : ids) x.push_back(x_value<T>(id, step));
  return x;
}

/// Multiplies two x in turn; each row of y must be within its error bound.
template <class T>
void expect_products(const GlobalMatrix& matrix, spmv_dist::Matrix<T>& A, spmv_dist::Vector<T>& x,
                     spmv_dist::Vector<T>& y) {
  for (const unsigned step : {0u, 1u, 0u}) {
    x.set(x_for<T>(A.ids(spmv_dist::Side::x), step));
    multiply(A, x, y);
    const Mismatch mismatch =
        compare(y.get().data(), reference_for<T>(matrix, step, A.ids(spmv_dist::Side::y)));
    EXPECT_EQ(mismatch.rows_wrong, 0) << "x " << step << ": row " << mismatch.worst_row << " is off by "
                                      << mismatch.worst_ratio << " bounds\n"
                                      << A.describe();
  }
}

/// Runs work() on all ranks; on each it must throw Error with this code and text.
template <class Work>
void expect_error(spmv_dist::Code code, const std::string& part, const Work& work) {
  try {
    work();
    ADD_FAILURE() << "no error was thrown; expected one that contains '" << part << "'";
  } catch (const spmv_dist::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "it says: " << error.what();
  }
}

}  // namespace spmv::test
