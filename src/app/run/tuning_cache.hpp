// Choices of format auto that were paid for once: a JSON file of the user's, read and written by rank 0.
#pragma once

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
  Known choice;
};

/// Throws Error(input) if the text is no cache. Pure.
std::vector<CacheEntry> parse_tuning_cache(const std::string& text);
/// Of entries with the same device and signature, the last; of too many, the last ones. Pure.
std::string tuning_cache_text(const std::vector<CacheEntry>& entries);

/// Device and program, as entries name them: two devices of one kind are one. Local.
std::string cache_device(const Backend& backend, int threads);

/// What is remembered of this rank's device. An empty path has nothing; a file that cannot be read or
/// understood has nothing either, and rank 0 warns. Collective.
std::vector<Known> recall_choices(const Communicator& communicator, const std::string& path,
                                  const std::string& device);

/// Adds every rank's decision that was measured. A file that cannot be written stays as it is, and rank 0
/// warns. Collective.
void remember_choice(const Communicator& communicator, const std::string& path, const std::string& device,
                     const Decision& decision, double products);

}  // namespace spmv
