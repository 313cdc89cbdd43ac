// Choices of format auto that trials were spent on before, kept in a JSON file of the user's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// spmv_dist/tuning.json under $XDG_CACHE_HOME or ~/.cache; empty where neither is set.
std::string default_tuning_cache();

/// A choice, and what it was made on.
struct CacheEntry {
  std::string device;
  RememberedChoice choice;
};

/// Throws Error(input) if the text is no cache. Pure.
std::vector<CacheEntry> parse_tuning_cache(const std::string& text);
/// The text of a cache: of entries with the same device and signature only the last; of too many,
/// the last ones. Pure.
std::string tuning_cache_text(const std::vector<CacheEntry>& entries);

/// Device and program version, as entries name them; devices of the same kind have the same name. Local.
std::string cache_device(const Backend& backend, int threads, const std::string& program_version);

/// The file, and what it knows of one kind of device. It is read and written by rank 0 alone. It helps where
/// it can and never fails: a file that cannot be read or understood has nothing in it, one that cannot be
/// written stays as it is.
class TuningCache {
 public:
  /// Takes a sentence that says why the file is left aside. Called on rank 0.
  using Warn = std::function<void(const std::string& sentence)>;

  /// With an empty path there is no file: nothing is recalled or remembered. `device` is cache_device()'s.
  /// `warn` may be empty. Local.
  TuningCache(std::string path, std::string device, Warn warn);
  /// What is remembered of this rank's device. Collective.
  std::vector<RememberedChoice> recall(const Communicator& communicator) const;
  /// Adds every rank's decision that was measured, for so many products. Collective.
  void remember(const Communicator& communicator, const Decision& decision, double products) const;

 private:
  std::vector<CacheEntry> read() const;
  void add(const std::vector<std::string>& texts) const;
  void warn(const std::string& reason) const;

  std::string path_;
  std::string device_;
  Warn warn_;
};

}  // namespace spmv
