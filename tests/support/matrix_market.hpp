// Shared by the Matrix Market tests: files made in memory, and whole files read in parts.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <zlib.h>

#include "core/entry.hpp"
#include "core/error.hpp"
#include "core/value_type.hpp"
#include "io/matrix_market.hpp"
#include "support/temporary_folder.hpp"

namespace spmv::test {

/// `text` as one gzip member.
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

template <class T>
struct WholeMatrix {
  MatrixMarketHeader header;
  std::vector<Entry<T>> entries;
};

/// Loads one part after another, as a collective load does on the ranks.
template <class T>
WholeMatrix<T> read_whole(const Text& text, const MatrixMarketHeader& header, int parts) {
  WholeMatrix<T> whole;
  whole.header = header;
  std::vector<MatrixMarketPart<T>> read;
  gidx total = 0;
  for (int part = 0; part < parts; ++part) {
    read.push_back(read_part<T>(text, whole.header, part, parts, {}));
    total += read.back().stored;
  }
  check_total(text, whole.header, total);
  gidx before = 0;
  for (MatrixMarketPart<T>& part : read) {
    place(part, text, whole.header, before);
    before += part.stored;
    whole.entries.insert(whole.entries.end(), part.entries.begin(), part.entries.end());
  }
  return whole;
}

template <class T>
WholeMatrix<T> read_whole(const Text& text, int parts = 1) {
  return read_whole<T>(text, read_header(text), parts);
}

/// Sorted, so that the result does not depend on the parts.
template <class T>
std::vector<Entry<T>> sorted(std::vector<Entry<T>> entries) {
  const auto key = [](const Entry<T>& e) {
    const std::complex<RealOf<T>> value(e.value);
    return std::tuple(e.row, e.col, value.real(), value.imag());
  };
  std::sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return entries;
}

template <class T>
bool same(const std::vector<Entry<T>>& a, const std::vector<Entry<T>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry<T>& x, const Entry<T>& y) {
    return x.row == y.row && x.col == y.col && x.value == y.value;
  });
}

/// The Error that `action` throws. If it throws none, the result is an internal error, which fails the
/// caller's checks.
template <class Action>
Error error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {ExitCode::internal, "nothing was thrown"};
}

}  // namespace spmv::test
