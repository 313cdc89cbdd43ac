#include "app/run/matrix_cache.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/run/load.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
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

/// What the files of a source are called: the source's own name, so that a user knows them, and what it holds.
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

}  // namespace

MatrixCache::MatrixCache(const Run& run, const MatrixSource& source) : run_(run) {
  const std::string& folder = run.options.cache;
  if (folder.empty() || source.generated) return;
  run_.watchdog.stage("looking into the cache");
  content_ = content(source);
  std::string base, trouble;
  if (run_.communicator.rank() == 0) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
      trouble = fmt::format("--cache {}: {}; nothing is kept there", printable(folder), failed.message());
    else
      base = (std::filesystem::path(folder) / base_name(source, content_)).string();
  }
  if (!trouble.empty()) warn(trouble);
  base_ = run_.communicator.broadcast(base);
}

template <class T>
RowBlock<T> MatrixCache::load(const MatrixSource& source, const RowPartition& rows) const {
  const std::string copy = base_ + ending;
  if (is_there() && holds(copy)) {
    try {
      const MatrixSource binary = find_file(run_.communicator, copy);
      if (same_shape(binary, source)) {
        note(fmt::format("{} is read from its copy {}", printable(source.name), printable(copy)));
        return load_with_progress<T>(run_, binary, rows);
      }
      warn(fmt::format("{} is of another matrix: it is made again", printable(copy)));
    } catch (const AgreedError& error) {
      if (error.code() != ExitCode::input) throw;
      warn(fmt::format("{}: it is made again", error.what()));
    }
  }
  if (!is_there()) return load_with_progress<T>(run_, source, rows);
  // The header, too, must be of the bytes that the copy will stand for.
  const MatrixSource now = look_again(run_.communicator, source);
  if (!same_shape(now, source)) refuse_change(source);
  RowBlock<T> block = load_with_progress<T>(run_, now, rows);
  if (content(source) != content_) refuse_change(source);
  // Only what the file holds is kept, whatever it was converted to for this run; a pattern's ones are as soon made.
  if (now.value == value_name<T>())
    write(copy, [&](const SaveOptions& options) {
      save_matrix(run_.communicator, copy, source.shape, rows, block, options);
    });
  return block;
}

std::string MatrixCache::content(const MatrixSource& source) const {
  return content_of(run_.communicator, source, stage_listener(run_.watchdog));
}

std::string MatrixCache::partition_file(const PartitionRequest& request,
                                        const std::string& partitioner) const {
  return fmt::format("{}.{}.{}.{}{}", base_, partitioner, run_.communicator.size(), request.seed, ending);
}

void MatrixCache::find(PartitionRequest& request, const Ownership& read) const {
  if (!is_there() || !read.square()) return;
  for (const Partitioner& partitioner : partitioners()) {
    const std::string path = partition_file(request, partitioner.name);
    const bool wanted = run_.automatic_partition() || partitioner.name == run_.options.partition;
    if (!wanted || find_ready(request, partitioner.name) != nullptr || !holds(path)) continue;
    try {
      const std::vector<double> owners = load_vector<double>(run_.communicator, path, read.rows);
      Assignment assignment;
      bool good = true;
      for (const double owner : owners) {
        good = good && owner >= 0 && owner < run_.communicator.size();
        assignment.rows.push_back(good ? static_cast<int>(owner) : 0);
      }
      if (run_.communicator.min(gidx{good}) == 1)
        request.ready.push_back({partitioner.name, printable(path), std::move(assignment)});
      else
        warn(fmt::format("{} names ranks that there are not: it is made again", printable(path)));
    } catch (const AgreedError& error) {
      if (error.code() != ExitCode::input) throw;
      warn(fmt::format("{}: it is made again", error.what()));
    }
  }
}

void MatrixCache::keep(const Assignment& assignment, const PartitionRequest& request,
                       const Ownership& read) const {
  const std::string& taken =
      assignment.choice.taken.empty() ? run_.options.partition : assignment.choice.taken;
  if (!is_there() || !read.square() || find_ready(request, taken) != nullptr ||
      !pick(partitioners(), taken, "partitioner").worth_keeping)
    return;
  const std::string path = partition_file(request, taken);
  const std::vector<double> owners(assignment.rows.begin(), assignment.rows.end());
  write(path, [&](const SaveOptions& options) {
    save_vector(run_.communicator, path, read.rows, owners, options);
  });
}

bool MatrixCache::holds(const std::string& path) const {
  const bool first = run_.communicator.rank() == 0;
  std::error_code ignored;
  const bool found = first && std::filesystem::is_regular_file(path, ignored);
  const bool foreign = found && belongs_to_another_user(path);
  if (foreign) warn(fmt::format("{} belongs to another user, and is left aside", printable(path)));
  return run_.communicator.max(gidx{found && !foreign}) == 1;
}

void MatrixCache::note(const std::string& sentence) const {
  if (run_.communicator.rank() == 0) say("note: " + sentence);
}

void MatrixCache::warn(const std::string& sentence) const {
  if (run_.communicator.rank() == 0) say("warning: " + sentence);
}

template <class Save>
void MatrixCache::write(const std::string& path, const Save& save) const {
  run_.watchdog.stage("keeping " + path);
  try {
    save(save_options(run_, path));
  } catch (const AgreedError& error) {
    if (error.code() != ExitCode::environment) throw;
    warn(fmt::format("{}; nothing is kept", error.what()));
  }
}

template RowBlock<ValueType<0>> MatrixCache::load(const MatrixSource&, const RowPartition&) const;
template RowBlock<ValueType<1>> MatrixCache::load(const MatrixSource&, const RowPartition&) const;
template RowBlock<ValueType<2>> MatrixCache::load(const MatrixSource&, const RowPartition&) const;
template RowBlock<ValueType<3>> MatrixCache::load(const MatrixSource&, const RowPartition&) const;

}  // namespace spmv
