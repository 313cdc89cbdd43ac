#pragma once

#include <memory>

#include "kernels/row_order.hpp"
#include "kernels/tune/tuner.hpp"
#include "support/format_battery.hpp"

namespace spmv::test {

/// Fails unless the operator chosen for a square block multiplies correctly, with rows and columns in the
/// choice's order.
inline void check_choice(const Choice<double>& choice, const Csr<double>& block,
                         const std::shared_ptr<Backend>& backend) {
  ASSERT_NE(choice.op, nullptr);
  Csr<double> moved = block;
  if (!choice.row_order.empty()) {
    moved = permute_rows(block, choice.row_order);
    rename_columns(moved, inverse(choice.row_order));
  }
  ProductCheck(moved, false, backend)(*choice.op, {}, Update::assign);
}

}  // namespace spmv::test
