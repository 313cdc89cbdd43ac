// Steps of covering a block with b x b blocks on a GPU. All pointers are device memory.
//
//   rows of b   0: 7 1 4   1: 5 1      elements' columns
//   keys        3 0 2 2 0              columns / b (here 2), row after row
//   sorted      0 0 2 2 3              within every block row, or 0 2 3 3 3: how often a key is repeated does not matter
//   different   0 2 3                  the block row's columns
#pragma once

#include <cstddef>

#include "core/error.hpp"
#include "core/types.hpp"
#include "kernels/parts/block_source.hpp"

namespace spmv {

/// Throws Error(usage) unless 1 <= b <= most_entry_block.
void require_entry_block(int b);

/// What is thrown where a nonzero is a hole().
Error hole_in_block();

/// Every b rows are a block row.
struct BlockRows {
  const offset* row_ptr;  // elements before every row, in the order of the rows
  lidx rows;
  int b;

  constexpr lidx count() const { return static_cast<lidx>((offset{rows} + b - 1) / b); }
  /// Elements before block row r; for r = count() all.
  constexpr offset begin(offset r) const { return row_ptr[r * b < rows ? r * b : rows]; }
};

/// Some block rows, one after the other, and their elements' keys.
struct KeyBatch {
  BlockRows block_rows;
  lidx first;  // block row
  lidx last;   // after the last one
  lidx* key;   // of the batch's elements

  constexpr offset base() const { return block_rows.begin(first); }
};

/// Writes the keys.
template <class T>
struct ListKeys {
  BlockSource<T> from;
  KeyBatch batch;
};
/// Sorts the keys within every block row, into `sorted`: every different key at least once, ascending, and as many entries
/// as there are keys. How often each is repeated is open.
struct SortKeys {
  KeyBatch batch;
  offset keys;       // of the batch, for the host; fewer than 2^31, as Slice::most_width sees to
  offset most_keys;  // of its longest block row
  lidx* sorted;
  void* scratch;
  std::size_t scratch_bytes;
};
/// Counts the different keys of every block row, which are sorted.
struct CountKeys {
  KeyBatch batch;
  lidx* count;  // by block row of the batch
};
/// Writes them, block row r's from row_ptr[r] on.
struct TakeKeys {
  KeyBatch batch;
  const offset* row_ptr;
  lidx* col;
};
/// Writes hole() everywhere.
template <class T>
struct FillHoles {
  offset count;
  T* value;
};
/// Puts every element into its block. `hole_met` becomes 1 if one is a hole().
template <class T>
struct PlaceValues {
  BlockSource<T> from;
  int b;
  const offset* row_ptr;  // of block rows
  const lidx* col;        // ascending in every block row
  T* value;
  unsigned* hole_met;
};

}  // namespace spmv
