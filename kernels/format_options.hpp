// The options of formats: one struct for the code, and one table of its fields by name. The command line,
// --help, the tuning cache, reports and the tuner are made from that table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// Sizes b of dense b x b blocks that formats have kernels for, and analysis counts.
inline constexpr int least_entry_block = 2;
inline constexpr int most_entry_block = 6;

/// Options that formats understand; each takes what concerns it and leaves the rest alone. To add one, add a
/// member here and its row in option_fields().
struct FormatOptions {
  /// pJDS: b_r, rows that are padded together [Kreutzer 2012, sect. 2.1]. Best a multiple of the warp size.
  lidx block_rows = warp_size;
  /// SELL-C-sigma: C, the rows of a slice; a power of two.
  lidx chunk_rows = warp_size;
  /// SELL-C-sigma: rows are sorted by length within windows of so many; 1: not at all.
  lidx sigma = 1;
  /// T, the threads that share a row: a power of two up to the warp size; 0: chosen from the length of the
  /// rows.
  int threads_per_row = 0;
  /// CUDA: threads of a thread block, a multiple of the warp size from 64 to 512; 0: chosen by the format.
  int threads_per_block = 0;
  /// CUDA: elements of a row whose loads are in flight together, 4 or 8; 0: chosen from the length of the
  /// rows.
  int unroll = 0;
  /// CSR in tiles: rows whose columns occur most often come first.
  bool popular_first = false;
  /// b of b x b blocks, from least_entry_block to most_entry_block; 0: the size that needs the fewest bytes.
  int entry_block = 0;
};

/// Threads of a thread block in most formats.
inline constexpr int usual_block_threads = 256;

/// Threads of a thread block in a format that has `usual` of them. Pure.
inline int threads_of_a_block(const FormatOptions& options, int usual = usual_block_threads) {
  return options.threads_per_block > 0 ? options.threads_per_block : usual;
}

/// Table row: one field of FormatOptions. Fields are whole numbers; a switch is 0 or 1.
struct OptionField {
  const char* name = "";     // of the member, and in caches and reports
  const char* flag = "";     // on the command line
  const char* summary = "";  // for --help
  int least = 0;             // the values that are allowed are all from here ...
  int most = 0;              // ... to here,
  std::vector<int> allowed;  // or only these, if there are any
  bool is_switch = false;    // given without a value, to turn it on
  int (*get)(const FormatOptions&) = nullptr;
  void (*set)(FormatOptions&, int) = nullptr;
};

/// In the order of --help.
const std::vector<OptionField>& option_fields();

/// Whether the field may have this value. Pure.
bool is_allowed(const OptionField& field, std::int64_t value);

/// Names of some fields, each once.
using OptionNames = std::vector<std::string>;

inline bool contains(const OptionNames& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "sigma 1024, threads_per_row 4": the fields that differ from the defaults. Often empty. Pure.
std::string describe(const FormatOptions& options);

/// Whether all fields are equal. Pure.
bool same(const FormatOptions& a, const FormatOptions& b);

}  // namespace spmv
