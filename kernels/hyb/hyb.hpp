// HYB [Vazquez 2011, sect. 3.4], [Wang 2020, sect. 2.3.4]: the first K nonzeros of every row as ELLPACK, the
// rest as COO. A few long rows then pad no others. Two operators one after the other: the ELLPACK-R one
// writes y, the COO one adds.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "kernels/format.hpp"

namespace spmv {

/// K, the greatest length for which a column of ELLPACK takes fewer bytes than its elements in COO: the rows that reach it
/// times the bytes of a COO element times 1.5 are at least all rows times the bytes of an ELLPACK element. In double
/// precision that is half of the rows. [Wang 2020] and [Vazquez 2011] keep a column that a third of the rows reach, because
/// their COO part adds with atomics, at a third of ELLPACK's speed. The kernel here has no atomics, so bytes decide: where
/// long and short rows are mixed, the threads of a column touch nearly all its sectors. The factor 1.5 (an assumption) is
/// for the sums over lanes. `rows_of_length[l]` counts the rows of l nonzeros.
lidx hyb_width(const std::vector<offset>& rows_of_length, lidx rows, std::size_t value_bytes);

/// Nonzeros that rows of these lengths have beyond `width`. Pure.
offset hyb_rest(const std::vector<offset>& rows_of_length, lidx width);

/// A block cut after `width` nonzeros of every row.
template <class T>
struct Hyb {
  Csr<T> ell;                  // the beginnings of all rows
  Csr<T> rest;                 // the ends of those rows that are longer
  std::vector<lidx> rest_row;  // which these are
};

template <class T>
Hyb<T> split_hyb(const Csr<T>& block, lidx width);

/// hyb.
template <class T>
std::vector<Format<T>> hyb_formats();

}  // namespace spmv
