// The result of reading a Matrix Market file in memory: a matrix, or one error.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/value_type.hpp"
#include "fuzz/harness.hpp"
#include "support/matrix_market.hpp"

namespace spmv::fuzz {

template <class T>
struct Outcome {
  std::string error;  // empty: there is a matrix
  ExitCode code = ExitCode::ok;
  bool has_header = false;
  MatrixMarketHeader header;
  std::vector<Entry<T>> entries;  // sorted, so that the order does not depend on the cuts
};

template <class T>
Outcome<T> read_outcome(std::string_view bytes, int parts, std::size_t block_bytes) {
  Outcome<T> outcome;
  Text file("m", bytes);
  file.block_bytes = block_bytes;
  try {
    const Text text = in_archive(file);
    outcome.header = read_header(text);
    outcome.has_header = true;
    auto whole = test::read_whole<T>(text, outcome.header, parts);
    outcome.entries = test::sorted(std::move(whole.entries));
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.code = error.code();
  }
  return outcome;
}

/// The guarantees about a single matrix or error.
template <class T>
void check(const Outcome<T>& outcome) {
  if (!outcome.error.empty()) {
    const bool input = outcome.code == ExitCode::input;
    require(input || (outcome.code == ExitCode::usage && !is_complex<T>), outcome.error);
    for (const char c : outcome.error) require(c >= ' ' && c <= '~', "a message that is not printable");
    return;
  }
  const MatrixMarketHeader& header = outcome.header;
  const bool general = header.symmetry == MatrixMarketHeader::Symmetry::general;
  const auto count = static_cast<gidx>(outcome.entries.size());
  require(count >= header.stored && count <= (general ? 1 : 2) * header.stored,
          "entries that the file does not have");
  for (const Entry<T>& entry : outcome.entries) {
    const std::complex<RealOf<T>> value(entry.value);
    require(entry.row >= 0 && entry.row < header.rows && entry.col >= 0 && entry.col < header.cols,
            "an id outside");
    require(std::isfinite(value.real()) && std::isfinite(value.imag()), "a value that is not finite");
  }
}

inline bool same_header(const MatrixMarketHeader& a, const MatrixMarketHeader& b) {
  return a.layout == b.layout && a.field == b.field && a.symmetry == b.symmetry && a.rows == b.rows &&
         a.cols == b.cols && a.stored == b.stored && a.size_line == b.size_line &&
         a.data_begin == b.data_begin;
}

template <class T>
void require_same(const Outcome<T>& a, const Outcome<T>& b, const char* difference) {
  if (a.error != b.error || a.code != b.code)
    throw Finding(std::string(difference) + ": '" + a.error + "' and '" + b.error + "'");
  require(same_header(a.header, b.header), std::string_view(difference));
  require(test::same(a.entries, b.entries), std::string_view(difference));
}

}  // namespace spmv::fuzz
