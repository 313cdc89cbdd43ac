#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/reference.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/product.hpp"
#include "support/make_matrix.hpp"
#include "support/problem.hpp"

namespace spmv::test {

/// Whether products of the same x may differ in their last bits: cuSPARSE does not promise otherwise, and
/// auto may have chosen any format.
inline bool may_differ(const DistOptions& options) {
  const auto may = [](const std::string& format) {
    return format.rfind("cusparse", 0) == 0 || format == auto_format;
  };
  return may(options.format) || may(options.nonlocal_format);
}

/// Multiplies two different x in turn, the first again at the end, each into NaN. Fails unless the first and
/// the last result have the same bits. Collective.
template <class T>
void check_products(const Communicator& communicator, const Problem<T>& problem, const Mode<T>& mode,
                    const DistOptions& options, bool vectors_on_host,
                    const std::shared_ptr<Backend>& backend) {
  const auto built = make_matrix(communicator, problem.rows, mode, options, backend);
  if (!built) return;
  DistMatrix<T>& matrix = *built;
  Product<T> product(matrix, problem.rows.original_col, vectors_on_host);
  std::vector<std::vector<T>> first;
  for (const unsigned number : {0u, 1u, distinct_x}) {
    product.poison(number);
    product.run(mode, number, nullptr);
    const std::vector<std::vector<T>> columns = product.columns_of_y(number);
    ASSERT_EQ(columns.size(), static_cast<std::size_t>(matrix.columns()));
    for (int column = 0; column < matrix.columns(); ++column) {
      const std::vector<T>& y = columns[static_cast<std::size_t>(column)];
      ASSERT_EQ(y.size(), problem.rows.original_row.size());
      const Mismatch mismatch = compare(y.data(), problem.reference[column_of_x(number, column).number]);
      EXPECT_EQ(mismatch.rows_wrong, 0)
          << "product " << number << ", column " << column << ": row " << mismatch.worst_row
          << " of this rank is off by " << mismatch.worst_ratio << " bounds";
      if (number == 0) first.push_back(y);
      if (number == distinct_x && !may_differ(options)) {
        EXPECT_EQ(std::memcmp(first[static_cast<std::size_t>(column)].data(), y.data(), y.size() * sizeof(T)),
                  0)
            << "the same x gave another y";
      }
    }
  }
}

}  // namespace spmv::test
