#include "load/matrix_cache.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/output_file.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "core/xxh64.hpp"
#include "load/content.hpp"
#include "load/save_matrix.hpp"
#include "load/vectors.hpp"

namespace spmv {
namespace {

constexpr const char* ending = ".spmv";

/// The first part of the names of a source's files: its own name, which a user knows, and a hash of its content.
std::string base_name(const MatrixSource& source, const std::string& content) {
  return fmt::format("{}-{:016x}", std::filesystem::path(source.name).filename().string(),
                     xxh64(content.data(), content.size(), 0));
}

bool same_shape(const MatrixSource& a, const MatrixSource& b) {
  return a.shape.rows == b.shape.rows && a.shape.cols == b.shape.cols;
}

[[noreturn]] void refuse_change(const MatrixSource& source) {
  throw AgreedError(ExitCode::input,
                    fmt::format("{}: the file was written while it was read; run again when nobody writes it",
                                printable(source.name)));
}

/// The owners that a kept partition names, as numbers. Throws Error(input) if one is not a rank.
std::vector<int> ranks_of(const std::vector<double>& owners, int ranks, const std::string& path) {
  std::vector<int> rows;
  for (const double owner : owners) {
    if (!(owner >= 0 && owner < ranks))
      throw Error(ExitCode::input, fmt::format("{} names ranks that do not exist", printable(path)));
    rows.push_back(static_cast<int>(owner));
  }
  return rows;
}

}  // namespace

MatrixCache::MatrixCache(const Communicator& communicator, MatrixSource source, const std::string& folder,
                         LoadProgress progress, Drafted drafted)
    : communicator_(communicator),
      source_(std::move(source)),
      progress_(std::move(progress)),
      drafted_(std::move(drafted)) {
  if (folder.empty() || source_.generated) return;
  progress_.stage("looking into the cache", 0);
  content_ = content();
  std::string base;
  if (communicator_.rank() == 0) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
      progress_.warn(
          fmt::format("--cache {}: {}; nothing is kept there", printable(folder), failed.message()));
    else
      base = (std::filesystem::path(folder) / base_name(source_, content_)).string();
  }
  base_ = communicator_.broadcast(base);
}

template <class T>
RowBlock<T> MatrixCache::load(const RowPartition& rows) const {
  RowBlock<T> block;
  const auto read_copy = [&] {
    const MatrixSource copy = find_file(communicator_, copy_file());
    if (!same_shape(copy, source_))
      throw AgreedError(ExitCode::input, printable(copy_file()) + " is a copy of another matrix");
    progress_.note(
        fmt::format("{} is read from its copy {}", printable(source_.name), printable(copy_file())));
    progress_.stage("loading the matrix", 0);
    block = load_rows<T>(communicator_, copy, rows, progress_);
  };
  if (is_there() && holds(copy_file()) && try_to_read(read_copy)) return block;
  return load_and_keep<T>(rows);
}

template <class T>
RowBlock<T> MatrixCache::load_and_keep(const RowPartition& rows) const {
  // The copy must have the header and the entries of the same bytes.
  const MatrixSource now = is_there() ? look_again(communicator_, source_) : source_;
  if (!same_shape(now, source_)) refuse_change(source_);
  progress_.stage("loading the matrix", 0);
  RowBlock<T> block = load_rows<T>(communicator_, now, rows, progress_);
  if (!is_there()) return block;
  if (content() != content_) refuse_change(source_);
  // A copy has the values of the file, not those that this run converted. The ones of a pattern are quickly made again.
  if (now.value == value_name<T>())
    write(copy_file(), [&](const SaveOptions& options) {
      save_matrix(communicator_, copy_file(), source_.shape, rows, block, options);
    });
  return block;
}

void MatrixCache::find(PartitionRequest& request, const Ownership& read,
                       const std::string& partitioner) const {
  if (!is_there() || !read.square()) return;
  for (const Partitioner& each : partitioners()) {
    const std::string path = partition_file(request, each.name);
    const bool wanted = partitioner.empty() || partitioner == each.name;
    if (!wanted || find_ready(request, each.name) != nullptr || !holds(path)) continue;
    try_to_read([&] {
      const std::vector<double> owners = load_vector<double>(communicator_, path, read.rows);
      Assignment assignment;
      assignment.rows = communicator_.together([&] { return ranks_of(owners, communicator_.size(), path); });
      request.ready.push_back({each.name, printable(path), std::move(assignment)});
    });
  }
}

void MatrixCache::keep(const Assignment& assignment, const PartitionRequest& request, const Ownership& read,
                       const std::string& partitioner) const {
  if (!is_there() || !read.square() || find_ready(request, partitioner) != nullptr ||
      !pick(partitioners(), partitioner, "partitioner").worth_keeping)
    return;
  const std::string path = partition_file(request, partitioner);
  const std::vector<double> owners(assignment.rows.begin(), assignment.rows.end());
  write(path,
        [&](const SaveOptions& options) { save_vector(communicator_, path, read.rows, owners, options); });
}

std::string MatrixCache::copy_file() const {
  return base_ + ending;
}

std::string MatrixCache::partition_file(const PartitionRequest& request,
                                        const std::string& partitioner) const {
  return fmt::format("{}.{}.{}.{}{}", base_, partitioner, communicator_.size(), request.seed, ending);
}

std::string MatrixCache::content() const {
  return content_of(communicator_, source_, progress_.stage);
}

bool MatrixCache::holds(const std::string& path) const {
  std::error_code ignored;
  const bool found = communicator_.rank() == 0 && std::filesystem::is_regular_file(path, ignored);
  const bool foreign = found && belongs_to_another_user(path);
  if (foreign)
    progress_.warn(fmt::format("{} is not used, because it belongs to another user", printable(path)));
  return communicator_.any_of(found && !foreign);
}

template <class Use>
bool MatrixCache::try_to_read(const Use& use) const {
  try {
    use();
    return true;
  } catch (const AgreedError& error) {
    if (error.code() != ExitCode::input) throw;
    progress_.warn(fmt::format("{}: it is made again", error.what()));
    return false;
  }
}

template <class Save>
void MatrixCache::write(const std::string& path, const Save& save) const {
  SaveOptions options;
  options.stage = progress_.stage;
  options.drafted = [&](const std::string& temporary) { drafted_(path, temporary); };
  progress_.stage("keeping " + path, 0);
  try {
    save(options);
  } catch (const AgreedError& error) {
    if (error.code() != ExitCode::environment) throw;
    progress_.warn(fmt::format("{}; nothing is kept", error.what()));
  }
}

template RowBlock<ValueType<0>> MatrixCache::load(const RowPartition&) const;
template RowBlock<ValueType<1>> MatrixCache::load(const RowPartition&) const;
template RowBlock<ValueType<2>> MatrixCache::load(const RowPartition&) const;
template RowBlock<ValueType<3>> MatrixCache::load(const RowPartition&) const;

}  // namespace spmv
