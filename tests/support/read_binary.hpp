// Reads .spmv files in memory with the product's code.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/binary/binary_rows.hpp"

namespace spmv::test {

inline ReadAt reader(const std::string& text) {
  return [&text](std::uint64_t begin, char* to, std::size_t size) {
    if (begin + size > text.size()) throw Error(ExitCode::input, "m.spmv: ends too early");
    text.copy(to, size, static_cast<std::size_t>(begin));
  };
}

inline BinaryIndex index_of(const std::string& text) {
  return decode_index("m.spmv", read_index("m.spmv", text.size(), reader(text)), text.size());
}

template <class T>
RowBlock<T> rows_of(const std::string& text, gidx first, gidx count) {
  return read_binary_rows<T>(index_of(text), first, count, reader(text), {});
}

template <class T>
RowBlock<T> all_rows(const std::string& text) {
  return rows_of<T>(text, 0, index_of(text).header.rows);
}

/// The parts of `count` rows (or columns) from `first` on, in partition number `number`.
inline std::vector<int> parts_of(const std::string& text, std::size_t number, bool of_cols, gidx first,
                                 gidx count) {
  const BinaryIndex index = index_of(text);
  const PartitionSections& sections = index.layout.partitions[number];
  return read_binary_parts(index, index.header.partitions[number], of_cols ? sections.cols : sections.rows,
                           first, count, reader(text));
}

/// Reads everything in a file.
inline void read_all(const std::string& text) {
  all_rows<double>(text);
  const BinaryHeader header = index_of(text).header;
  for (std::size_t i = 0; i < header.partitions.size(); ++i) {
    parts_of(text, i, false, 0, header.rows);
    if (header.rows != header.cols) parts_of(text, i, true, 0, header.cols);
  }
}

/// Fails unless reading throws Error(input) with a message that contains `words`.
inline void expect_refused(const std::string& text, const std::string& words) {
  try {
    read_all(text);
    ADD_FAILURE() << "no error was thrown; expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << words << " in: " << error.what();
    EXPECT_EQ(std::string(error.what()).rfind("m.spmv: ", 0), 0U) << error.what();
  }
}

}  // namespace spmv::test
