// Partitions in .spmv files in memory: valid ones are read unchanged, invalid ones refused.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dist/partitioner.hpp"
#include "support/binary_file.hpp"
#include "support/read_binary.hpp"

namespace spmv::test {
namespace {

std::string changed(const std::function<void(BinaryFile&)>& change) {
  BinaryFile file = partitioned_file();
  change(file);
  return file.text();
}

TEST(StoredPartitions, AreReadAsTheyAre) {
  const std::string text = partitioned_file().text();
  const std::vector<StoredPartition> wanted{{"metis", 1, 3}, {"metis", -7, 300}};
  EXPECT_EQ(index_of(text).header.partitions, wanted);
  EXPECT_EQ(parts_of(text, 0, false, 0, 5), (std::vector{0, 1, 2, 1, 0}));
  EXPECT_EQ(parts_of(text, 0, true, 0, 7), (std::vector{2, 2, 1, 0, 0, 1, 1}));
  EXPECT_EQ(parts_of(text, 1, false, 1, 3), (std::vector{0, 256, 1}));
  EXPECT_EQ(parts_of(text, 1, true, 3, 4), (std::vector{257, 3, 2, 1}));
  EXPECT_TRUE(parts_of(text, 1, true, 7, 0).empty());
  EXPECT_EQ(all_rows<double>(text).col, small_block<double>().col);
}

TEST(StoredPartitions, OfASquareMatrixHaveNoColumns) {
  RowBlock<double> block{0, {0, 1, 2}, {1, 0}, {1, 2}};
  BinaryFile file = binary_file(block, 2, 2);
  file.version = 2;
  file.partitions.resize(1);
  file.partitions[0].rows = raw_array<std::uint8_t>(std::vector{2, 0});
  EXPECT_EQ(parts_of(file.text(), 0, false, 0, 2), (std::vector{2, 0}));
  EXPECT_EQ(index_of(file.text()).layout.partitions[0].cols.bytes, 0U);
}

TEST(StoredPartitions, AreAsWideAsTheirNumbers) {
  for (const std::uint32_t parts : {1U, 256U, 257U, 65536U, 65537U, 0x7fffffffU}) {
    SCOPED_TRACE(parts);
    BinaryFile file = binary_file(RowBlock<double>{0, {0, 0, 0}, {}, {}}, 2, 2);
    file.version = 2;
    file.partitions.resize(1);
    BinaryPartition& partition = file.partitions[0];
    partition.parts = parts;
    partition.part_bytes = parts <= 256 ? 1 : parts <= 65536 ? 2 : 4;
    const std::vector<std::uint32_t> numbers{parts - 1, 0};
    partition.rows = partition.part_bytes == 1   ? raw_array<std::uint8_t>(numbers)
                     : partition.part_bytes == 2 ? raw_array<std::uint16_t>(numbers)
                                                 : raw_array<std::uint32_t>(numbers);
    const std::string text = file.text();
    const std::vector<int> read = parts_of(text, 0, false, 0, 2);
    EXPECT_EQ(read, (std::vector{static_cast<int>(parts - 1), 0}));
    std::string bytes(partition.rows.size(), '\0');
    encode_parts(read.data(), 2, partition.part_bytes, bytes.data());
    EXPECT_EQ(bytes, partition.rows);
  }
}

TEST(StoredPartitions, TheHeaderIsWrittenAsItIsRead) {
  BinaryFile file = partitioned_file();
  file.partitions.resize(62, file.partitions[0]);
  file.partitions[61].name = "a_name_as_long_as_there_is_room";
  const std::string text = file.text();
  const BinaryIndex index = index_of(text);
  EXPECT_EQ(index.header.partitions.size(), BinaryHeader::most_partitions);
  EXPECT_EQ(index.header.partitions[61].partitioner, file.partitions[61].name);
  EXPECT_EQ(encode_header(index.header), text.substr(0, 4096));
}

TEST(StoredPartitions, EveryPartitionerHasRoomForItsName) {
  for (const Partitioner& partitioner : partitioners())
    EXPECT_LE(std::string(partitioner.name).size(), BinaryHeader::partitioner_name_bytes);
}

TEST(StoredPartitions, RanksThatThereAreNotAreRefused) {
  expect_refused(changed([](BinaryFile& f) { f.partitions[0].rows[4] = 3; }),
                 "partition by metis for 3 ranks names rank 3");
  expect_refused(changed([](BinaryFile& f) { f.partitions[0].cols[0] = '\xff'; }), "names rank 255");
  expect_refused(changed([](BinaryFile& f) { f.partitions[1].cols[13] = '\x80'; }), "names rank 32769");
  expect_refused(changed([](BinaryFile& f) {
                   f.partitions[0].parts = 70000;
                   f.partitions[0].part_bytes = 4;
                   f.partitions[0].rows = raw_array<std::uint32_t>(std::vector{0U, 1U, 2U, 3U, 0xffffffffU});
                   f.partitions[0].cols = std::string(28, '\0');
                 }),
                 "names rank 4294967295");
}

TEST(StoredPartitions, HeadersThatCannotBeAreRefused) {
  expect_refused(changed([](BinaryFile& f) { f.partitions.clear(); }),
                 "partitions 0, which no file of version 2");
  expect_refused(
      changed([](BinaryFile& f) { f.partitions.resize(62, f.partitions[0]), f.unused[0] = 62 ^ 63; }),
      "partitions 63");
  expect_refused(changed([](BinaryFile& f) { f.unused[3] = '\x80'; }), "partitions 2147483650");
  expect_refused(changed([](BinaryFile& f) { f.unused[0] = 1; }), "partitioner of partition 2");
  expect_refused(changed([](BinaryFile& f) { f.version = 1; }), "unused byte 76");
  for (const char* name : {"", "Metis", "me tis", "metis\n", "../x"})
    expect_refused(changed([&](BinaryFile& f) { f.partitions[1].name = name; }),
                   "partitioner of partition 1");
  expect_refused(changed([&](BinaryFile& f) { f.partitions[1].name = std::string(32, 'x'); }), "unused byte");
  expect_refused(changed([&](BinaryFile& f) { f.partitions[0].name = std::string("metis\0x", 7); }),
                 "unused byte 102");
  expect_refused(changed([](BinaryFile& f) { f.partitions[0].parts = 0; }), "parts 0");
  expect_refused(changed([](BinaryFile& f) { f.partitions[0].parts = 0x80000000; }), "parts 2147483648");
  for (const std::uint32_t width : {0U, 2U, 4U})
    expect_refused(changed([&](BinaryFile& f) { f.partitions[0].part_bytes = width; }),
                   fmt::format("part bytes {}", width));
  expect_refused(changed([](BinaryFile& f) { f.partitions[1].part_bytes = 1; }), "part bytes 1");
  expect_refused(changed([](BinaryFile& f) { f.partitions[1].begins_by = 4096; }),
                 "a partition that begins at");
  for (const std::size_t at : {4, 19, 64, 83, 4015 - 64, 4015})
    expect_refused(changed([&](BinaryFile& f) { f.unused[at] = 1; }), fmt::format("unused byte {}", 76 + at));
}

// The file's length bounds the rows and, for a rectangular matrix with partitions, the columns.
TEST(StoredPartitions, SizesThatCannotBeAreRefused) {
  constexpr std::int64_t large = 1'000'000'000'000'000'000;
  expect_refused(changed([](BinaryFile& f) { f.cols = large, f.column_bytes = 8; }), "cannot hold");
  expect_refused(changed([](BinaryFile& f) { f.rows = large; }), "cannot hold");
}

}  // namespace
}  // namespace spmv::test
