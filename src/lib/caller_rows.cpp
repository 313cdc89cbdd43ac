#include "lib/caller_rows.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/buffer.hpp"
#include "core/huge_pages.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/fetch_elements.hpp"
#include "dist/prepare/numbering.hpp"

namespace spmv::lib {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw Error(ExitCode::input, message);
}

/// Checks one rank's arguments as far as that needs no array. Local.
template <class T>
void check_arguments(const spmv_dist::Rows<T>& rows) {
  require(rows.global_rows >= 0 && rows.global_cols >= 0,
          fmt::format("a matrix cannot be {} x {}: give its whole size in global_rows and global_cols",
                      rows.global_rows, rows.global_cols));
  require(rows.rows >= 0, fmt::format("rows is {}: give the number of rows that this rank holds", rows.rows));
  require(rows.elements >= 0,
          fmt::format("elements is {}: give the length of columns and values", rows.elements));
  require(rows.rows == 0 || rows.row_ptr != nullptr, "row_ptr is null, but this rank holds rows");
  require(rows.elements == 0 || (rows.columns != nullptr && rows.values != nullptr),
          "columns or values is null, but this rank has elements");
  if (rows.x_size >= 0 && rows.global_rows == rows.global_cols)
    throw Error(ExitCode::usage,
                "x_size was given for a square matrix, whose x is owned like its rows: leave it at -1");
}

void check_row_ptr(const std::vector<offset>& row_ptr, offset elements) {
  require(row_ptr.front() == 0, fmt::format("row_ptr begins with {}: it must begin with 0", row_ptr.front()));
  const auto down = std::adjacent_find(row_ptr.begin(), row_ptr.end(), std::greater<>());
  if (down != row_ptr.end())
    throw Error(ExitCode::input,
                fmt::format("row_ptr goes down from {} to {} at row {} of this rank: it must ascend", *down,
                            *(down + 1), down - row_ptr.begin()));
  require(
      row_ptr.back() == elements,
      fmt::format("row_ptr ends with {}, but columns and values have {} elements", row_ptr.back(), elements));
}

void check_columns(const std::vector<offset>& row_ptr, const std::vector<gidx>& col, gidx cols) {
  const auto outside = std::find_if(col.begin(), col.end(), [=](gidx c) { return c < 0 || c >= cols; });
  if (outside == col.end()) return;
  const auto next_row = std::upper_bound(row_ptr.begin(), row_ptr.end(), outside - col.begin());
  throw Error(ExitCode::input,
              fmt::format("row {} of this rank has column {}, but the matrix has {}, numbered from 0",
                          next_row - row_ptr.begin() - 1, *outside, cols));
}

/// Columns ascending within every row, and none twice.
bool in_order(const std::vector<offset>& row_ptr, const std::vector<gidx>& col) {
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i)
    for (offset k = row_ptr[i] + 1; k < row_ptr[i + 1]; ++k)
      if (col[static_cast<std::size_t>(k - 1)] >= col[static_cast<std::size_t>(k)]) return false;
  return true;
}

/// Sorts the columns of every row and merges repeated ones, in place. Returns the new place of every element.
std::vector<offset> put_in_order(std::vector<offset>& row_ptr, std::vector<gidx>& col) {
  std::vector<offset> place(col.size()), order;
  std::vector<offset> stored_ptr{0};
  std::vector<gidx> stored;
  stored.reserve(col.size());
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    order.resize(static_cast<std::size_t>(row_ptr[i + 1] - row_ptr[i]));
    std::iota(order.begin(), order.end(), row_ptr[i]);
    std::stable_sort(order.begin(), order.end(), [&](offset a, offset b) {
      return col[static_cast<std::size_t>(a)] < col[static_cast<std::size_t>(b)];
    });
    const std::size_t begin = stored.size();
    for (const offset k : order) {
      const gidx c = col[static_cast<std::size_t>(k)];
      if (stored.size() == begin || stored.back() != c) stored.push_back(c);
      place[static_cast<std::size_t>(k)] = static_cast<offset>(stored.size()) - 1;
    }
    stored_ptr.push_back(static_cast<offset>(stored.size()));
  }
  row_ptr = std::move(stored_ptr);
  col = std::move(stored);
  return place;
}

std::vector<gidx> ids_of(const std::int64_t* ids, gidx first, gidx count) {
  if (ids != nullptr) return {ids, ids + count};
  std::vector<gidx> consecutive(static_cast<std::size_t>(count));
  std::iota(consecutive.begin(), consecutive.end(), first);
  return consecutive;
}

}  // namespace

bool on_device(const Backend& backend, const void* at, spmv_dist::Where where, const char* name) {
  if (where < spmv_dist::Where::automatic || where > spmv_dist::Where::device)
    throw Error(ExitCode::usage, fmt::format("where is {}: it must be automatic (0), host (1) or device (2)",
                                             static_cast<int>(where)));
  const bool has_device = !backend.shares_memory_with_host();
  if (where == spmv_dist::Where::device && !has_device)
    throw Error(
        ExitCode::environment,
        fmt::format("{} is declared as device memory, but the products run on the host (backend host): use "
                    "backend cuda on ranks with GPUs, or pass host memory",
                    name));
  const bool found = has_device && at != nullptr && backend.reaches(at);
  if (at != nullptr && where != spmv_dist::Where::automatic && found != (where == spmv_dist::Where::device) &&
      has_device)
    throw Error(ExitCode::usage,
                fmt::format("{} is declared as {}, but it is not: leave `where` at automatic", name,
                            found ? "host memory" : "device memory"));
  return found;
}

template <class V>
std::vector<V> to_host(const std::shared_ptr<Backend>& backend, const V* at, offset count,
                       spmv_dist::Where where, const char* name) {
  if (at == nullptr && count > 0) throw Error(ExitCode::usage, fmt::format("{} is a null pointer", name));
  const bool device = on_device(*backend, at, where, name);
  std::vector<V> copy;
  if (count == 0) return copy;
  reserve_in_huge_pages(copy, static_cast<std::size_t>(count));
  if (device) {
    copy.resize(static_cast<std::size_t>(count));
    download(*backend, copy.data(), at, copy.size());
  } else {
    copy.assign(at, at + count);
  }
  return copy;
}

template <class T>
CallerRows<T> take_rows(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                        const spmv_dist::Rows<T>& rows) {
  communicator.together([&] { check_arguments(rows); });
  const bool alike = communicator.min(rows.global_rows) == communicator.max(rows.global_rows) &&
                     communicator.min(rows.global_cols) == communicator.max(rows.global_cols);
  if (!alike)
    throw AgreedError(
        ExitCode::usage,
        "global_rows or global_cols differ between ranks: give the size of the whole matrix on all");
  const bool square = rows.global_rows == rows.global_cols;
  const bool shares = !communicator.any_of(rows.x_size >= 0);
  if (!shares && communicator.any_of(rows.x_size < 0))
    throw AgreedError(ExitCode::usage,
                      "x_size is given on some ranks only: give it on all, or leave it at -1 on all");

  RowBlock<T> block;
  communicator.together([&] {
    block.row_ptr = {0};
    if (rows.rows > 0) block.row_ptr = to_host(backend, rows.row_ptr, rows.rows + 1, rows.where, "row_ptr");
    check_row_ptr(block.row_ptr, rows.elements);
    block.col = to_host(backend, rows.columns, rows.elements, rows.where, "columns");
    check_columns(block.row_ptr, block.col, rows.global_cols);
    block.value = to_host(backend, rows.values, rows.elements, rows.where, "values");
  });
  const int me = communicator.rank();
  const RowPartition even = RowPartition::even(rows.global_cols, communicator.size());
  std::vector<gidx> row_ids = ids_of(rows.row_ids, rows.first_row, rows.rows);
  const Numbering row_number(communicator, rows.global_rows, row_ids, "row");
  std::vector<gidx> col_ids = square   ? row_ids
                              : shares ? even.ids(me)
                                       : ids_of(rows.x_ids, rows.first_x, rows.x_size);
  const Numbering col_number =
      square ? row_number : Numbering(communicator, rows.global_cols, col_ids, "element of x");
  col_number.rename(block.col);
  block.first_row = row_number.partition().first(me);

  std::vector<offset> place;
  communicator.together([&] {
    if (in_order(block.row_ptr, block.col)) return;
    place = put_in_order(block.row_ptr, block.col);
    block.value = place_values(place, block.nonzeros(), std::move(block.value));
  });
  return {{row_number.partition(), col_number.partition()},
          std::move(block),
          std::move(row_ids),
          std::move(col_ids),
          rows.elements,
          std::move(place)};
}

template <class T>
std::vector<T> place_values(const std::vector<offset>& place, offset stored, std::vector<T> values) {
  if (place.empty()) return values;
  std::vector<T> placed(static_cast<std::size_t>(stored), T(0));
  for (std::size_t k = 0; k < place.size(); ++k) placed[static_cast<std::size_t>(place[k])] += values[k];
  return placed;
}

SPMV_INSTANTIATE(take_rows);
SPMV_INSTANTIATE(place_values);
SPMV_INSTANTIATE(to_host);

}  // namespace spmv::lib
