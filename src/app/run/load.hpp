// The first stage of a run: what the user named is loaded.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/option_groups.hpp"
#include "app/report/report_parts.hpp"
#include "app/session.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"
#include "dist/row_partition.hpp"
#include "load/load_rows.hpp"
#include "load/stage.hpp"

namespace spmv {

/// The file or the generator that the user named. Collective; throws AgreedError.
MatrixSource find_source(const Session& session, const MatrixOptions& options);

/// The value type by name: as asked for, or what the source has. Pure.
std::string value_type(const MatrixOptions& options, const MatrixSource& source);

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

/// Tells the watchdog, and through it the user, how far something is that src/load does. The watchdog must outlive it. Local.
StageListener stage_listener(Watchdog& watchdog);

/// As load_rows() of load/load_rows.hpp; the watchdog is told how far it is.
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

/// What is stored with the matrix for this request, by this partitioner; for auto by any. Collective; throws AgreedError.
std::vector<ReadyPartition> ready_partitions(const Session& session, const MatrixSource& source,
                                             const Ownership& read, const PartitionRequest& request,
                                             const std::string& partitioner);

}  // namespace spmv
