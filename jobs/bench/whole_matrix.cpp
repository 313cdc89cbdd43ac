#include "whole_matrix.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "io/generate/generator.hpp"
#include "io/matrix_market.hpp"

namespace spmv {
namespace {

bool is_generator(const std::string& name) {
  const std::string word = name.substr(0, name.find(':'));
  return std::any_of(generators().begin(), generators().end(),
                     [&](const Generator& generator) { return word == generator.name; });
}

/// Reads the parts of a file, one per thread.
template <class T>
std::vector<MatrixMarketPart<T>> read_parts(const std::string& path, const MatrixMarketHeader& header) {
  const int count = omp_get_max_threads();
  std::vector<MatrixMarketPart<T>> parts(static_cast<std::size_t>(count));
  std::exception_ptr failure;
#pragma omp parallel for schedule(static, 1)
  for (int part = 0; part < count; ++part) {
    try {
      parts[part] = read_part<T>(path, header, part, count, {});
    } catch (...) {
#pragma omp critical(whole_matrix_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  gidx stored = 0;
  for (const auto& part : parts) stored += part.stored;
  check_total(path, header, stored);
  gidx before = 0;
  for (auto& part : parts) {
    place(part, path, header, before);
    before += part.stored;
  }
  return parts;
}

/// Sorts a row's entries by column and sums entries of the same column. Returns the number of remaining
/// entries.
template <class T>
offset tidy_row(gidx* col, T* value, offset length, std::vector<std::pair<gidx, T>>& scratch) {
  if (std::is_sorted(col, col + length, [](gidx a, gidx b) { return a <= b; })) return length;
  scratch.clear();
  for (offset k = 0; k < length; ++k) scratch.emplace_back(col[k], value[k]);
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  offset left = 0;
  for (const auto& [c, v] : scratch) {
    if (left > 0 && col[left - 1] == c) {
      value[left - 1] += v;
    } else {
      col[left] = c;
      value[left++] = v;
    }
  }
  return left;
}

/// Closes the gaps between rows after some have become shorter.
template <class T>
void close_gaps(RowBlock<T>& block, const std::vector<offset>& length) {
  offset to = 0;
  for (gidx row = 0; row < block.rows(); ++row) {
    const offset from = block.row_ptr[row];
    if (to != from) {
      std::move(block.col.begin() + from, block.col.begin() + from + length[row], block.col.begin() + to);
      std::move(block.value.begin() + from, block.value.begin() + from + length[row],
                block.value.begin() + to);
    }
    block.row_ptr[row] = to;
    to += length[row];
  }
  block.row_ptr.back() = to;
  block.col.resize(static_cast<std::size_t>(to));
  block.value.resize(static_cast<std::size_t>(to));
}

template <class T>
RowBlock<T> read_whole(const std::string& path) {
  const MatrixMarketHeader header = read_header(path);
  std::vector<MatrixMarketPart<T>> parts = read_parts<T>(path, header);
  RowBlock<T> block;
  block.row_ptr.assign(static_cast<std::size_t>(header.rows) + 1, 0);
  for (const auto& part : parts)
    for (const Entry<T>& entry : part.entries) ++block.row_ptr[entry.row + 1];
  std::partial_sum(block.row_ptr.begin(), block.row_ptr.end(), block.row_ptr.begin());
  block.col.resize(static_cast<std::size_t>(block.nonzeros()));
  block.value.resize(block.col.size());
  std::vector<offset> next(block.row_ptr.begin(), block.row_ptr.end() - 1);
  for (auto& part : parts) {
    for (const Entry<T>& entry : part.entries) {
      const offset at = next[entry.row]++;
      block.col[at] = entry.col;
      block.value[at] = entry.value;
    }
    part.entries = {};
  }
  std::vector<offset> length(next.size());
#pragma omp parallel
  {
    std::vector<std::pair<gidx, T>> scratch;
#pragma omp for schedule(dynamic, 1024)
    for (gidx row = 0; row < block.rows(); ++row) {
      const offset begin = block.row_ptr[row];
      length[row] = tidy_row(block.col.data() + begin, block.value.data() + begin,
                             block.row_ptr[row + 1] - begin, scratch);
    }
  }
  close_gaps(block, length);
  return block;
}

}  // namespace

template <class T>
RowBlock<T> load_whole(const std::string& name) {
  if (!is_generator(name)) return read_whole<T>(name);
  const auto source = make_generator(name);
  return generate_rows<T>(*source, 0, source->shape().rows);
}

gidx whole_columns(const std::string& name) {
  return is_generator(name) ? make_generator(name)->shape().cols : read_header(name).cols;
}

template <class T>
Csr<T> as_one_block(RowBlock<T> whole, gidx cols, const std::string& name) {
  constexpr gidx most = std::numeric_limits<lidx>::max();
  if (whole.rows() > most || cols > most)
    throw Error(ExitCode::usage, fmt::format("{} has {} rows and {} columns, too many for one device", name,
                                             whole.rows(), cols));
  Csr<T> block;
  block.rows = static_cast<lidx>(whole.rows());
  block.cols = static_cast<lidx>(cols);
  block.col.resize(whole.col.size());
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < whole.nonzeros(); ++k) block.col[k] = static_cast<lidx>(whole.col[k]);
  block.row_ptr = std::move(whole.row_ptr);
  block.value = std::move(whole.value);
  return block;
}

SPMV_INSTANTIATE(load_whole);
SPMV_INSTANTIATE(as_one_block);

}  // namespace spmv
