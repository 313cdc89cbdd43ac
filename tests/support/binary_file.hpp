// .spmv files built byte by byte from src/io/binary/README.md, without the product's code.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <zlib.h>

#include "core/csr.hpp"

namespace spmv::test {

inline std::uint32_t crc_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// A number in this machine's byte order, which is the file's on all machines that run the tests.
template <class V>
std::string raw(V number) {
  std::string bytes(sizeof(V), '\0');
  std::memcpy(bytes.data(), &number, sizeof(V));
  return bytes;
}

template <class To, class V>
std::string raw_array(const std::vector<V>& numbers) {
  std::string bytes;
  for (const V& number : numbers) bytes += raw(static_cast<To>(number));
  return bytes;
}

/// A partition in a file. Ids have one byte unless a test changes that.
struct BinaryPartition {
  std::string name = "metis";
  std::int32_t seed = 1;
  std::uint32_t parts = 3, part_bytes = 1;
  std::int64_t begins_by = 0;  // added to the offset in the header
  std::string rows = {}, cols = {};
};

/// The parts of a file; a test changes some before they are joined.
struct BinaryFile {
  std::uint32_t version = 1, header_bytes = 4096;
  std::uint64_t order_mark = 0x0807060504030201;
  std::uint32_t value = 2, column_bytes = 4, row_ptr_bytes = 8, block_bytes = 4096;
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  std::int64_t longer_by = 0;                         // added to the length in the header
  std::string unused = std::string(4092 - 76, '\0');  // zeros unless a test changes them
  std::string row_ptr, columns, values;
  std::vector<BinaryPartition> partitions;  // of version 2

  std::string text() const {
    std::string body, table;
    const auto add = [&](const std::string& section) {
      std::string padded = section;
      padded.resize((padded.size() + 4095) / 4096 * 4096);
      for (std::size_t at = 0; at < padded.size(); at += block_bytes)
        table += raw(crc_of(padded.substr(at, block_bytes)));
      body += padded;
    };
    for (const std::string* section : {&row_ptr, &columns, &values}) add(*section);
    std::string rest = raw(static_cast<std::uint32_t>(partitions.size())) + std::string(16, '\0');
    for (const BinaryPartition& p : partitions) {
      std::string name = p.name;
      name.resize(32);
      rest += name + raw(p.seed) + raw(p.parts) + raw(p.part_bytes) + raw(std::uint32_t{0}) +
              raw(4096 + body.size() + static_cast<std::uint64_t>(p.begins_by)) + raw(std::uint64_t{0});
      add(p.rows);
      add(p.cols);
    }
    rest.resize(unused.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = static_cast<char>(rest[i] ^ unused[i]);
    const auto length = static_cast<std::int64_t>(4096 + body.size() + table.size());
    std::string header = "\x89SPMV\r\n\x1a" + raw(version) + raw(header_bytes) + raw(order_mark) +
                         raw(value) + raw(column_bytes) + raw(row_ptr_bytes) + raw(block_bytes) + raw(rows) +
                         raw(cols) + raw(nonzeros) + raw(length + longer_by) + raw(crc_of(table)) + rest;
    return header + raw(crc_of(header)) + body + table;
  }
};

/// `value`: 0 pattern, 1 float, 2 double, 3 complex float, 4 complex double.
template <class T>
BinaryFile binary_file(const RowBlock<T>& block, gidx cols, std::uint32_t value) {
  BinaryFile file;
  file.value = value;
  file.rows = block.rows();
  file.cols = cols;
  file.nonzeros = block.nonzeros();
  file.row_ptr = raw_array<std::int64_t>(block.row_ptr);
  file.columns = raw_array<std::uint32_t>(block.col);
  if (value != 0) file.values = raw_array<T>(block.value);
  return file;
}

/// 5 x 7 with an empty row; every value type holds the values exactly.
template <class T>
RowBlock<T> small_block() {
  return {0, {0, 2, 2, 3, 6, 7}, {0, 6, 3, 1, 2, 5, 4}, {T(1), T(-2), T(0.5), T(4), T(0), T(-8), T(3)}};
}

/// 5 x 7, with partitions whose ids for rows and columns take one and two bytes.
inline BinaryFile partitioned_file() {
  BinaryFile file = binary_file(small_block<double>(), 7, 2);
  file.version = 2;
  file.partitions.resize(2);
  file.partitions[0].rows = raw_array<std::uint8_t>(std::vector{0, 1, 2, 1, 0});
  file.partitions[0].cols = raw_array<std::uint8_t>(std::vector{2, 2, 1, 0, 0, 1, 1});
  file.partitions[1].seed = -7;
  file.partitions[1].parts = 300;
  file.partitions[1].part_bytes = 2;
  file.partitions[1].rows = raw_array<std::uint16_t>(std::vector{299, 0, 256, 1, 255});
  file.partitions[1].cols = raw_array<std::uint16_t>(std::vector{7, 299, 0, 257, 3, 2, 1});
  return file;
}

}  // namespace spmv::test
