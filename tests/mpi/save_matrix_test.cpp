// .spmv files through MPI: any number of ranks reads what another number wrote, and all write the same bytes.
#include "load/save_matrix.hpp"

#include <algorithm>
#include <complex>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/value_type.hpp"
#include "load/load_partitions.hpp"
#include "load/load_rows.hpp"
#include "support/binary_file.hpp"
#include "support/mpi_test.hpp"
#include "support/shared_folder.hpp"

namespace spmv::test {
namespace {

constexpr std::uint32_t small_block_bytes = 4096;

/// The whole matrix, rows of all lengths from 0 to 40; the same on every rank.
template <class T>
RowBlock<T> whole_matrix(gidx rows, gidx cols) {
  RowBlock<T> whole;
  for (gidx row = 0; row < rows; ++row) {
    const gidx length = std::min<gidx>(cols, row * 7 % 41);
    const gidx step = length > 0 ? cols / length : 1;
    for (gidx k = 0; k < length; ++k) {
      whole.col.push_back(k * step);
      whole.value.push_back(T(static_cast<RealOf<T>>((row * 13 + k * 5) % 64) / 4 - 7));
      if constexpr (is_complex<T>) whole.value.back() += T(0, static_cast<RealOf<T>>(k % 9));
    }
    whole.row_ptr.push_back(static_cast<offset>(whole.col.size()));
  }
  return whole;
}

/// This rank's rows of the block.
template <class T>
RowBlock<T> part_of(const RowBlock<T>& whole, const RowPartition& rows) {
  RowBlock<T> part;
  part.first_row = rows.first(world().rank());
  const auto begin = whole.row_ptr[static_cast<std::size_t>(part.first_row)];
  for (gidx row = part.first_row; row < rows.first(world().rank() + 1); ++row)
    part.row_ptr.push_back(whole.row_ptr[static_cast<std::size_t>(row) + 1] - begin);
  part.col.assign(whole.col.begin() + begin, whole.col.begin() + begin + part.nonzeros());
  part.value.assign(whole.value.begin() + begin, whole.value.begin() + begin + part.nonzeros());
  return part;
}

/// All rows on one rank, none on most ranks, or a few on the first and the rest on the last.
std::vector<RowPartition> partitions(gidx rows) {
  const int ranks = world().size();
  std::vector<RowPartition> all{RowPartition::even(rows, ranks)};
  for (const int owner : {0, ranks - 1}) {
    std::vector<gidx> counts(static_cast<std::size_t>(ranks), 0);
    counts[static_cast<std::size_t>(owner)] = rows;
    all.push_back(RowPartition::from_counts(counts));
  }
  std::vector<gidx> counts(static_cast<std::size_t>(ranks), 0);
  counts.front() = std::min<gidx>(rows, 2);
  counts.back() += rows - counts.front();
  all.push_back(RowPartition::from_counts(counts));
  return all;
}

template <class T>
std::uint32_t code_of() {
  return std::is_same_v<T, float>                 ? 1
         : std::is_same_v<T, double>              ? 2
         : std::is_same_v<T, std::complex<float>> ? 3
                                                  : 4;
}

template <class T>
class SavedMatrices : public testing::Test {
 protected:
  /// Writes and reads a matrix in every partition. All files must equal the hand-made one.
  void round_trip(gidx rows, gidx cols, bool pattern) {
    const SharedFolder folder;
    RowBlock<T> whole = whole_matrix<T>(rows, cols);
    if (pattern) std::fill(whole.value.begin(), whole.value.end(), T(1));
    const std::string wanted = binary_file(whole, cols, pattern ? 0 : code_of<T>()).text();
    for (const RowPartition& written : partitions(rows)) {
      SaveOptions options;
      options.pattern = pattern;
      options.block_bytes = small_block_bytes;
      const SavedMatrix saved = save_matrix(world(), folder.path("m.spmv"), {rows, cols}, written,
                                            part_of(whole, written), options);
      EXPECT_EQ(saved.nonzeros, whole.nonzeros());
      ASSERT_TRUE(contents(folder.path("m.spmv")) == wanted) << rows << " x " << cols;
      world().barrier();
    }
    const MatrixSource source = find_file(world(), folder.path("m.spmv"));
    EXPECT_EQ(source.shape.rows, rows);
    EXPECT_EQ(source.shape.cols, cols);
    EXPECT_EQ(source.pattern, pattern);
    EXPECT_EQ(source.complex, is_complex<T> && !pattern);
    EXPECT_EQ(source.value, pattern ? "double" : value_name<T>());
    for (const RowPartition& read : partitions(rows)) {
      const RowBlock<T> block = load_rows<T>(world(), source, read), mine = part_of(whole, read);
      EXPECT_EQ(block.first_row, mine.first_row);
      EXPECT_EQ(block.row_ptr, mine.row_ptr);
      EXPECT_EQ(block.col, mine.col);
      EXPECT_EQ(block.value, mine.value);
    }
  }
};
using AllTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SavedMatrices, AllTypes);

TYPED_TEST(SavedMatrices, AreReadAsTheyWere) {
  this->round_trip(1000, 900, false);
}

TYPED_TEST(SavedMatrices, MayBePatterns) {
  this->round_trip(500, 700, true);
}

TYPED_TEST(SavedMatrices, MayHaveFewerRowsThanRanks) {
  this->round_trip(2, 50, false);
  this->round_trip(1, 1, false);
  this->round_trip(0, 0, false);
  this->round_trip(0, 5, true);
  this->round_trip(5, 0, false);
}

TEST(SavedMatrix, RanksKnowWhetherAllValuesAreOne) {
  const RowPartition rows = RowPartition::even(40, world().size());
  RowBlock<double> block = part_of(whole_matrix<double>(40, 40), rows);
  std::fill(block.value.begin(), block.value.end(), 1.0);
  EXPECT_TRUE(all_ones(world(), block));
  if (world().rank() + 1 == world().size()) block.value.back() = 2;
  EXPECT_FALSE(all_ones(world(), block));
}

TEST(SavedMatrix, DamageIsEveryRanksError) {
  const SharedFolder folder;
  std::string text = binary_file(whole_matrix<double>(1000, 900), 900, 2).text();
  text[text.size() - 5000] ^= 1;
  const MatrixSource source = find_file(world(), folder.write("m.spmv", text));
  try {
    load_rows<double>(world(), source, RowPartition::even(1000, world().size()));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find("values are damaged"), std::string::npos) << error.what();
  }
}

// Rank 0 sends the checksums to all ranks: a rank that reads other data must notice.
TEST(SavedMatrix, AFileThatIsWrittenMeanwhileIsRefused) {
  const SharedFolder folder;
  RowBlock<double> whole = whole_matrix<double>(1000, 900);
  const std::string path = folder.write("m.spmv", binary_file(whole, 900, 2).text());
  const MatrixSource source = find_file(world(), path);
  for (double& value : whole.value) value += 1;
  folder.write("m.spmv", binary_file(whole, 900, 2).text());
  EXPECT_THROW(load_rows<double>(world(), source, RowPartition::even(1000, world().size())), AgreedError);
}

/// The part of each of `count` ids from `first` on; parts get different numbers of ids.
std::vector<int> parts_of_ids(gidx first, gidx count, int parts) {
  std::vector<int> found;
  for (gidx id = first; id < first + count; ++id) found.push_back(static_cast<int>(id * 7919 % parts));
  return found;
}

/// Writes partitions for 3, 300 and 70000 ranks from every partition of the rows, and reads them into even
/// ranges. The file must equal the hand-made one.
void partitions_round_trip(const Shape& shape) {
  const SharedFolder folder;
  const RowBlock<double> whole = whole_matrix<double>(shape.rows, shape.cols);
  const Ownership read = Ownership::even(shape, world().size());
  BinaryFile by_hand = binary_file(whole, shape.cols, 2);
  by_hand.version = 2;
  std::vector<StoredPartition> names;
  for (const int parts : {3, 300, 70000}) {
    names.push_back({"metis", parts % 7, parts});
    BinaryPartition stored{.seed = parts % 7, .parts = static_cast<std::uint32_t>(parts)};
    const auto encoded = [&](gidx ids) {
      const std::vector<int> all = parts_of_ids(0, ids, parts);
      stored.part_bytes = parts == 3 ? 1 : parts == 300 ? 2 : 4;
      return parts == 3     ? raw_array<std::uint8_t>(all)
             : parts == 300 ? raw_array<std::uint16_t>(all)
                            : raw_array<std::uint32_t>(all);
    };
    stored.rows = encoded(shape.rows);
    if (!read.square()) stored.cols = encoded(shape.cols);
    by_hand.partitions.push_back(stored);
  }
  const auto assignment = [&](const RowPartition& rows, int parts) {
    const int me = world().rank();
    Assignment mine;
    mine.rows = parts_of_ids(rows.first(me), rows.count(me), parts);
    if (!read.square()) mine.cols = parts_of_ids(read.cols.first(me), read.cols.count(me), parts);
    return mine;
  };
  for (const RowPartition& written : partitions(shape.rows)) {
    SaveOptions options;
    options.block_bytes = small_block_bytes;
    for (const StoredPartition& name : names)
      options.partitions.push_back({name, [&] { return assignment(written, name.parts); }});
    save_matrix(world(), folder.path("m.spmv"), shape, written, part_of(whole, written), options);
    ASSERT_TRUE(contents(folder.path("m.spmv")) == by_hand.text()) << shape.rows << " x " << shape.cols;
    world().barrier();
  }
  const MatrixSource source = find_file(world(), folder.path("m.spmv"));
  ASSERT_EQ(source.partitions, names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Assignment stored = load_partition(world(), source, i, read);
    const Assignment wanted = assignment(read.rows, names[i].parts);
    EXPECT_EQ(stored.rows, wanted.rows) << names[i].parts;
    EXPECT_EQ(stored.cols, wanted.cols) << names[i].parts;
  }
}

TEST(StoredPartitions, AreReadAsTheyWereMade) {
  partitions_round_trip({9000, 9000});
  partitions_round_trip({5000, 300});
  partitions_round_trip({3, 5000});
}

TEST(StoredPartitions, MayHaveFewerRowsThanRanks) {
  partitions_round_trip({1, 1});
  partitions_round_trip({0, 0});
  partitions_round_trip({0, 5});
  partitions_round_trip({5, 0});
}

/// A hand-made partition of small_block() for this number of ranks, beside one for one rank more.
BinaryFile stored_for_all_ranks() {
  BinaryFile file = partitioned_file();
  for (std::size_t i = 0; i < 2; ++i) {
    BinaryPartition& partition = file.partitions[i];
    partition = {.parts = static_cast<std::uint32_t>(world().size()) + static_cast<std::uint32_t>(i)};
    partition.rows = std::string(5, '\0');
    partition.cols = std::string(7, '\0');
  }
  return file;
}

TEST(StoredPartitions, AreReadyWhereTheyAreTheOnesWanted) {
  const SharedFolder folder;
  const MatrixSource source = find_file(world(), folder.write("m.spmv", stored_for_all_ranks().text()));
  const Ownership read = Ownership::even(source.shape, world().size());
  const auto ready = [&](const PartitionRequest& request, const char* partitioner) {
    return load_ready(world(), source, read, request, partitioner).size();
  };
  EXPECT_EQ(ready({}, "metis"), 1U);
  EXPECT_EQ(ready({}, ""), 1U);
  EXPECT_EQ(ready({}, "scotch"), 0U);
  EXPECT_EQ(ready({.seed = 2}, "metis"), 0U);
  EXPECT_EQ(ready({.parts = world().size() + 1}, "metis"), 1U);
  EXPECT_EQ(ready({.parts = world().size() + 2}, ""), 0U);
}

TEST(StoredPartitions, DamageIsEveryRanksError) {
  const SharedFolder folder;
  BinaryFile file = stored_for_all_ranks();
  file.partitions[0].rows[4] = static_cast<char>(world().size());
  const std::string foreign = file.text();
  std::string damaged = stored_for_all_ranks().text();
  damaged[4 * 4096] = 1;  // after header, row pointers, columns and values
  for (const auto& [text, words] :
       {std::pair(foreign, "names rank"), std::pair(damaged, "partitions are damaged")}) {
    const MatrixSource source = find_file(world(), folder.write("m.spmv", text));
    const Ownership read = Ownership::even(source.shape, world().size());
    EXPECT_NO_THROW(load_rows<double>(world(), source, read.rows));
    EXPECT_NO_THROW(load_partition(world(), source, 1, read));
    try {
      load_partition(world(), source, 0, read);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(StoredPartitions, ThatCannotBeMadeLeaveNoFile) {
  const SharedFolder folder;
  const RowPartition rows = RowPartition::even(100, world().size());
  SaveOptions options;
  options.partitions.push_back(
      {{"metis", 1, 3}, []() -> Assignment { throw AgreedError(ExitCode::memory, "no room"); }});
  EXPECT_THROW(save_matrix(world(), folder.path("m.spmv"), {100, 100}, rows,
                           part_of(whole_matrix<double>(100, 100), rows), options),
               AgreedError);
  world().barrier();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(SavedMatrix, FilesOfTwoKindsAreNotTheSame) {
  if (world().size() == 1) GTEST_SKIP() << "needs at least two ranks";
  const SharedFolder folder;
  const std::string one = folder.write("one", binary_file(small_block<double>(), 7, 2).text());
  const std::string two = folder.write("two", "%%MatrixMarket matrix coordinate real general\n5 7 0\n");
  const bool last = world().rank() + 1 == world().size();
  EXPECT_THROW(find_file(world(), last ? two : one), AgreedError);
}

}  // namespace
}  // namespace spmv::test
