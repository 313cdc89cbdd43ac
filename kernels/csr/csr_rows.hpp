// What the rows of the table share that give a fixed number of threads to every CSR row.
#pragma once

#include "kernels/csr/csr.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// CSR with `threads_per_row` threads a row; `name` is the format's, for messages.
template <class T>
std::unique_ptr<LocalOperator<T>> make_csr_rows(const char* name, int threads_per_row, const Csr<T>& block,
                                                const std::vector<lidx>& row_list,
                                                const FormatOptions& options,
                                                const std::shared_ptr<Backend>& backend);

Cost csr_rows_cost(const Analysis& analysis, int threads_per_row);

}  // namespace spmv
