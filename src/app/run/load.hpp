// The first stage of a run: a file or a generator becomes rows, spread evenly over the ranks.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/options.hpp"
#include "app/run/run.hpp"
#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// What is to be loaded. All ranks know it before any of them has a row.
struct MatrixSource {
  Shape shape;
  bool complex = false;
  std::string name;         // file name or generator specification
  std::string description;  // for people
  double megabytes = 0;     // of text; 0 for a generator
};

/// Reads the header or makes the generator. Collective; throws AgreedError.
MatrixSource find_source(const Communicator& communicator, const Options& options);

/// The value type by name: as asked for, or what the source has. Pure.
std::string value_type(const Options& options, const MatrixSource& source);

/// Calls function(ValueTypeTag<T>{}) for the value type of this name, and returns what it returns. Throws
/// Error(usage) if there is none.
template <class Function>
auto with_value_type(const std::string& name, const Function& function) {
  std::optional<decltype(function(ValueTypeTag<double>{}))> result;
  for_each_value_type([&](auto tag) {
    if (name == value_name<typename decltype(tag)::Type>()) result.emplace(function(tag));
  });
  if (!result) throw Error(ExitCode::usage, "there is no value type " + name + "; see spmv_dist --list");
  return std::move(*result);
}

/// This rank's rows in an even partition, ids as in the source. No rank ever holds the whole matrix.
/// Collective; throws AgreedError.
template <class T>
RowBlock<T> load_rows(const Run& run, const RowPartition& rows);

}  // namespace spmv
