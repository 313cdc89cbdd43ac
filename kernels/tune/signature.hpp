// What a choice of format depends on, in a few bytes: the key under which choices are remembered.
#pragma once

#include <string>

#include "core/csr.hpp"
#include "kernels/format_options.hpp"

namespace spmv {

/// What products are counted with.
struct ProductKind {
  bool sums = false;  // those that solvers want of every product
  int columns = 1;    // that are multiplied together
};

/// Value type, size, and hashes of where rows end, of a part of the columns, both in samples spread evenly, and of what
/// kind the values are (few, exact in half their size): the values themselves may change. Also the fields of
/// `options` that are fixed, and the kind of products. Pure.
template <class T>
std::string signature(const Csr<T>& block, const FormatOptions& options, const OptionNames& fixed,
                      const ProductKind& kind = {});

}  // namespace spmv
