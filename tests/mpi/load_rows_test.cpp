// Loading reads the file that was opened, even if it is replaced or written meanwhile.
#include "load/load_rows.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "load/host_memory.hpp"
#include "support/mpi_test.hpp"
#include "support/shared_folder.hpp"

namespace spmv::test {
namespace {

/// A file of real values: its size line and entries.
std::string real_matrix(const char* lines) {
  return std::string("%%MatrixMarket matrix coordinate real general\n").append(lines);
}

gidx nonzeros(const RowBlock<double>& block) {
  return world().sum(block.nonzeros());
}

TEST(LoadRows, AFileThatIsReplacedIsStillTheOneThatWasOpened) {
  const SharedFolder folder;
  const std::string path = folder.write("m.mtx", real_matrix("4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n"));
  folder.write("other.mtx", real_matrix("90 90 3\n90 90 5\n70 90 5\n80 1 5\n"));
  const MatrixSource source = find_file(world(), path);
  folder.replace("m.mtx", "other.mtx");
  const RowPartition rows = RowPartition::even(source.shape.rows, world().size());
  const RowBlock<double> block = load_rows<double>(world(), source, rows);
  EXPECT_EQ(source.shape.rows, 4);
  EXPECT_EQ(nonzeros(block), 4);
  for (gidx i = 0; i < block.rows(); ++i)
    EXPECT_EQ(block.value[static_cast<std::size_t>(i)], static_cast<double>(block.first_row + i + 1));
}

TEST(LoadRows, AFileThatIsWrittenMeanwhileIsRefused) {
  const SharedFolder folder;
  const std::string path = folder.write("m.mtx", real_matrix("4 4 2\n1 1 1\n2 2 2\n"));
  const MatrixSource source = find_file(world(), path);
  if (world().rank() == 0) std::ofstream(path, std::ios::app) << "3 3 3\n";
  world().barrier();
  const RowPartition rows = RowPartition::even(source.shape.rows, world().size());
  try {
    load_rows<double>(world(), source, rows);
    ADD_FAILURE() << "no error was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find("was written while it was read"), std::string::npos)
        << error.what();
  }
}

TEST(LoadRows, RanksThatOpenedDifferentFilesAreRefused) {
  if (world().size() == 1) GTEST_SKIP() << "needs at least two ranks";
  const SharedFolder folder;
  const std::string text = real_matrix("4 4 1\n1 1 1\n");
  const std::string one = folder.write("one.mtx", text), two = folder.write("two.mtx", text);
  const bool last = world().rank() + 1 == world().size();
  try {
    find_file(world(), last ? two : one);
    ADD_FAILURE() << "no error was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find("has opened another file"), std::string::npos) << error.what();
  }
}

TEST(HostMemory, WhatFitsNoNodeIsRefused) {
  const Shape shape{1000, 1000};
  check_host_memory<double>(world(), shape, 5000, true);
  try {
    check_host_memory<double>(world(), shape, 1e18, true);
    ADD_FAILURE() << "no error was thrown";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_NE(std::string(error.what()).find("use more nodes"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spmv::test
