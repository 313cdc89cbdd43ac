// Products with several columns in formats that store elements in different ways: every kind of columns and values.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/pick.hpp"
#include "support/format_battery.hpp"

namespace spmv::test {

/// A block of diagonals of one value each, or of so many different values, exact in half their size or not.
struct ValuesOfBlock {
  const char* name;
  std::size_t kinds;  // 0: by diagonals
  bool exact;
};

template <class T>
Csr<T> block_with(const Pattern& pattern, const ValuesOfBlock& values) {
  Csr<T> block = make_block<T>(pattern);
  for (lidx row = 0; row < block.rows; ++row)
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k) {
      const auto number =
          static_cast<std::size_t>(values.kinds == 0 ? block.col[k] - row + 1000 : k * 31 + k / 97);
      const auto real = static_cast<RealOf<T>>(1 + number % (values.kinds == 0 ? 1009 : values.kinds));
      if constexpr (is_complex<T>)
        block.value[k] = T(real, 3 - real / 2);
      else
        block.value[k] = real;
      if (!values.exact) block.value[k] /= RealOf<T>(3);
    }
  return block;
}

template <class T>
void check_packed_columns(const std::shared_ptr<Backend>& backend) {
  const std::vector<Pattern> patterns = {
      grid_pattern("grid", 33, 20),                    // diagonals that some lanes lack
      grid_pattern("lines of two slices", 64, 9),      // chains of three and four slices
      diagonal_pattern("runs", 200, 210, {0, 3, 10}),  // whole diagonals, and a slice that lacks rows
      random_pattern("16 bits", 70, 5000, [](lidx) { return 9; }),
      random_pattern("32 bits", 64, 300'000, [](lidx i) { return i % 12; }),
      block_pattern("blocks of 3 with holes", 71, 3, true),
  };
  for (const Pattern& pattern : patterns)
    for (const ValuesOfBlock& values :
         {ValuesOfBlock{"constant diagonals", 0, false}, ValuesOfBlock{"one value", 1, false},
          ValuesOfBlock{"thirty values", 30, false}, ValuesOfBlock{"short values", 1009, true},
          ValuesOfBlock{"long values", 1009, false}}) {
      const Csr<T> block = block_with<T>(pattern, values);
      const ColumnsCheck<T> check = ProductCheck<T>(block, false, backend).of_columns(block, false);
      for (const char* name : {"csr_packed", "sell_packed", "sell_blocked"})
        for (const std::vector<lidx>& row_list : {std::vector<lidx>{}, sparse_row_list(block.rows)}) {
          const FormatOptions in_groups{.threads_per_row = 1};  // however few slices there are
          const auto op = pick(formats<T>(), name, "format").make({block, row_list, in_groups, backend});
          for (const Update update : {Update::assign, Update::add})
            for (const int k : column_counts(true, 0, block.rows, block.cols)) {
              SCOPED_TRACE(std::string(name) + " on '" + pattern.name + "', " + values.name +
                           (row_list.empty() ? "" : ", row list") + (update == Update::add ? ", add" : ""));
              check(*op, row_list, update, k);
            }
        }
    }
}

}  // namespace spmv::test
