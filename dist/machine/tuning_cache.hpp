// Formats that auto has chosen by trials, and how fast formats are on the user's machines, kept in a JSON file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// spmv_dist/tuning.json under $XDG_CACHE_HOME or ~/.cache; empty where neither is set to an absolute path.
std::string default_tuning_cache();

/// A choice, and what it was made on.
struct CacheEntry {
  std::string device;
  RememberedChoice choice;
};

/// The calibration of one kind of device.
struct CachedCalibration {
  std::string device;
  Calibration calibration;
};

struct CacheContents {
  std::vector<CacheEntry> entries;
  std::vector<CachedCalibration> calibrations;
};

/// Throws Error(input) if the text is no cache. Pure.
CacheContents parse_tuning_cache(const std::string& text);
/// The text of a cache: of entries with the same device and signature, and of calibrations with the same device,
/// only the last; of too many entries, the last ones. Pure.
std::string tuning_cache_text(const CacheContents& contents);

/// What is remembered for one device.
struct RememberedTuning {
  std::vector<RememberedChoice> choices;
  std::shared_ptr<const Calibration> calibration;  // nullptr: none for this device
  bool calibrations_of_others = false;             // there are calibrations, of whatever device
};

/// Device, driver, program version and compiler, as the file names them; devices of the same kind have the same
/// name. Local.
std::string cache_device(const Backend& backend, int threads, const std::string& program_version);

/// The file, for one kind of device. Only rank 0 reads and writes it. It never fails: a file that cannot be read counts as
/// empty, one that cannot be written stays as it is.
class TuningCache {
 public:
  /// Takes a sentence that says why the file is ignored. Called on rank 0.
  using Warn = std::function<void(const std::string& sentence)>;

  /// With an empty path there is no file: nothing is recalled or remembered. `device` is cache_device()'s.
  /// `warn` may be empty. Local.
  TuningCache(std::string path, std::string device, Warn warn);
  /// What is remembered of this rank's device. Collective.
  RememberedTuning remembered(const Communicator& communicator) const;
  /// Adds every rank's decision that was measured, for so many products. Collective.
  void remember(const Communicator& communicator, const Decision& decision, double products) const;
  /// Keeps every rank's calibration in place of an earlier one of such a device. Collective.
  void remember(const Communicator& communicator, const Calibration& calibration) const;

 private:
  CacheContents read() const;
  CacheContents recall(const Communicator& communicator) const;
  void add_of_all(const Communicator& communicator, const std::string& mine) const;
  void add(const std::vector<std::string>& texts) const;
  void warn(const std::string& reason) const;

  std::string path_;
  std::string device_;
  Warn warn_;
};

}  // namespace spmv
