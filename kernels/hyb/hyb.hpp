// HYB (003, sect. 3.4; 001, sect. 2.3.4): the first K nonzeros of every row as ELLPACK, the rest as COO. A
// few long rows then pad no others.
#pragma once

#include "kernels/coo/coo.hpp"
#include "kernels/ellpack_r/ellpack_r.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// K, the largest for which its column pays: rows that reach it * bytes of a COO element * 1.5 are at least
/// all rows * bytes of an ELLPACK element. In double precision that is half of the rows. 001 and 003 keep a
/// column that a third of the rows reach: their COO part added with atomics, at a third of ELLPACK's speed.
/// The kernel here has none, so what decides is bytes: where rows of unlike length are mixed, the threads of
/// a column touch nearly all its sectors. 1.5 (assumed, not measured) is for the work of summing over lanes.
/// `rows_of_length[l]` counts the rows of l nonzeros.
lidx hyb_width(const std::vector<offset>& rows_of_length, lidx rows, std::size_t value_bytes);

template <class T>
struct Hyb {
  EllpackR<T> ell;  // row_length: what the ELLPACK part holds of a row
  Coo<T> rest;      // in the order of the rows; its `empty` stays empty
};

template <class T>
Hyb<T> build_hyb(const Csr<T>& block, lidx width, const std::vector<lidx>& row_list);

/// The ELLPACK part writes y, the COO part adds to it.
template <class T>
struct HybView {
  using Value = T;
  lidx rows;
  EllpackRView<T> ell;
  CooView<T> rest;
};

template <class T>
void multiply_host(const HybView<T>& a, const T* x, T* y, Update update);

template <class T>
Format<T> hyb_format();

}  // namespace spmv
