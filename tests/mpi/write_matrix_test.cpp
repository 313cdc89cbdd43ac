// All ranks write a matrix from a formula; reading gives the same matrix.
#include "load/write_matrix.hpp"

#include <complex>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/value_type.hpp"
#include "io/matrix_market_writer.hpp"
#include "load/load_rows.hpp"
#include "support/mpi_test.hpp"
#include "support/shared_folder.hpp"

namespace spmv::test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
void expect_read_back(const std::string& specification, const std::string& name) {
  const SharedFolder folder;
  const std::string path = folder.path(name);
  const auto source = make_generator(specification);
  const WrittenMatrix written = write_matrix<T>(world(), *source, "made up", path);
  const Shape shape = source->shape();
  const RowPartition rows = RowPartition::even(shape.rows, world().size());
  const RowBlock<T> read = load_rows<T>(world(), find_file(world(), path), rows);
  const RowBlock<T> made = generate_rows<T>(*source, rows.first(world().rank()), rows.count(world().rank()));
  EXPECT_EQ(read.row_ptr, made.row_ptr);
  EXPECT_EQ(read.col, made.col);
  EXPECT_TRUE(read.value == made.value);
  EXPECT_EQ(written.nonzeros, world().sum(made.nonzeros()));
  EXPECT_EQ(written.bytes, std::filesystem::file_size(path));
  if (!name.ends_with(".gz") && world().rank() == 0) {
    const RowBlock<T> all = generate_rows<T>(*source, 0, shape.rows);
    EXPECT_TRUE(bytes_of(path) == matrix_market_head(shape, all.nonzeros(), is_complex<T>, "made up") +
                                      matrix_market_lines(all));
  }
}

TEST(WriteMatrix, WhatIsReadBackIsTheSame) {
  for (const char* name : {"m.mtx", "m.mtx.gz"}) {
    SCOPED_TRACE(name);
    expect_read_back<double>("rmat:8,5", name);
    expect_read_back<double>("elasticity:5,4,3", name);
    expect_read_back<double>("random:3,50,7", name);
    expect_read_back<float>("random:90,70,3", name);
    expect_read_back<std::complex<double>>("anderson:4,3,5", name);
    expect_read_back<std::complex<float>>("powerlaw:300,4,50", name);
    expect_read_back<double>("random:5,5,0", name);
    expect_read_back<double>("stencil7:1,1,1", name);
  }
}

TEST(WriteMatrix, ManyTurnsKeepTheOrder) {
  expect_read_back<double>("random:400000,100,4", "m.mtx");
  expect_read_back<double>("banded:30000,30", "m.mtx.gz");
}

TEST(WriteMatrix, WhatCannotBeWrittenIsSaidByAllAndLeavesNothing) {
  const SharedFolder folder;
  const auto source = make_generator("stencil5:9,9");
  EXPECT_THROW(write_matrix<double>(world(), *source, "", folder.path("none/m.mtx")), AgreedError);
  const std::string path = folder.write("m.mtx", "kept");
  std::optional<std::string> unfinished;
  WriteProgress progress;
  progress.unfinished = [&](const std::string& file) { unfinished = file; };
  progress.stage = [&](const std::string& stage, double) {
    if (stage != "finishing the file") return;
    EXPECT_EQ(unfinished.has_value(), world().rank() == 0);
    // Empty where the file system allows unnamed files.
    if (unfinished && !unfinished->empty()) {
      EXPECT_TRUE(std::filesystem::exists(*unfinished));
    }
    EXPECT_EQ(bytes_of(path), "kept");
    throw AgreedError(ExitCode::timeout, "too late");
  };
  EXPECT_THROW(write_matrix<double>(world(), *source, "", path, progress), AgreedError);
  world().barrier();
  EXPECT_EQ(bytes_of(path), "kept");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
}

}  // namespace
}  // namespace spmv::test
