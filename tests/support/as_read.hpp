// A matrix on ranks as a file gives it, before any row has moved: the input of partitioners.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/assemble.hpp"
#include "io/generate/generator.hpp"
#include "support/matrix_battery.hpp"

namespace spmv::test {

/// A matrix as read: even ranges of rows.
struct AsRead {
  AsRead(const Communicator& c, const GlobalMatrix& matrix)
      : owners(Ownership::even(matrix.shape, c.size())),
        block(assemble(c, owners.rows, dealt_entries<double>(matrix, c.rank(), c.size()))) {}
  AsRead(const Communicator& c, const std::string& specification)
      : owners(Ownership::even(make_generator(specification)->shape(), c.size())),
        block(generate_rows<double>(*make_generator(specification), owners.rows.first(c.rank()),
                                    owners.rows.count(c.rank()))) {}
  Pattern pattern() const { return {owners, block.row_ptr, block.col}; }

  Ownership owners;
  RowBlock<double> block;
};

}  // namespace spmv::test
