// Connects loading (src/load) with a run: its options, its watchdog and its messages.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/option_groups.hpp"
#include "app/report/report_parts.hpp"
#include "app/run/run.hpp"
#include "app/session.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"
#include "dist/row_partition.hpp"
#include "load/load_rows.hpp"
#include "load/matrix_cache.hpp"
#include "load/stage.hpp"

namespace spmv {

/// Opens the file or makes the generator that the user named. Collective; throws AgreedError.
MatrixSource find_source(const Session& session, const MatrixOptions& options);

/// The name of the value type: the user's, or that of the source. Pure.
std::string value_type(const MatrixOptions& options, const MatrixSource& source);

/// Returns function(ValueTypeTag<T>{}) for the value type of this name. Throws Error(usage) for an unknown name.
template <class Function>
auto with_value_type(const std::string& name, const Function& function) {
  std::optional<decltype(function(ValueTypeTag<double>{}))> result;
  for_each_value_type([&](auto tag) {
    if (name == value_name<typename decltype(tag)::Type>()) result.emplace(function(tag));
  });
  if (!result) throw Error(ExitCode::usage, "there is no value type " + name + "; see spmv_dist --list");
  return std::move(*result);
}

/// Reports progress to the watchdog, and warnings and notes to the user. The session must outlive it. Local.
LoadProgress load_progress(const Session& session);

/// load_rows() with load_progress(). Collective; throws AgreedError.
template <class T>
RowBlock<T> load_with_progress(const Session& session, const MatrixSource& source, const RowPartition& rows);

/// Calls function(tag, source) with the value type and the source of the matrix that the user named, and returns what it
/// returns. Collective; throws AgreedError.
template <class Function>
auto with_matrix(const Session& session, const MatrixOptions& options, const Function& function) {
  const MatrixSource source = find_source(session, options);
  return with_value_type(value_type(options, source), [&](auto tag) { return function(tag, source); });
}

/// What a report says of the matrix; the caller adds its nonzeros. Pure.
template <class T>
MatrixFacts facts_of(const MatrixSource& source) {
  return {source.name, source.description, value_name<T>(), source.shape};
}

/// The cache of option --cache. The run must outlive it. Collective.
MatrixCache open_cache(const Run& run, const MatrixSource& source);

/// The partitions for this request that are stored in the matrix file, by this partitioner; for auto by any. Collective;
/// throws AgreedError.
std::vector<ReadyPartition> ready_partitions(const Session& session, const MatrixSource& source,
                                             const Ownership& read, const PartitionRequest& request,
                                             const std::string& partitioner);

}  // namespace spmv
