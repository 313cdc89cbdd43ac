// What an exchange waits for, for those who ask why it does not go on.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace spmv {

/// "rank 3", "ranks 1 and 3"; long lists end with how many more there are. Empty for none. Pure.
std::string name_ranks(const std::vector<int>& ranks);

/// Ranks that something is awaited from, each until the last of its parts is there. One thread writes it, any
/// thread may read text(). It is for messages only: it orders no other memory accesses.
class Awaited {
 public:
  /// `what` such as "messages from". Nothing is awaited yet.
  explicit Awaited(const char* what) : what_(what) {}

  /// One more rank, with so many parts in every exchange; returns its number, from 0. Before the first
  /// exchange: no other thread may read text() meanwhile.
  std::size_t add(int rank, int parts);
  /// From now on: everything from everyone.
  void expect_all();
  /// `parts` parts have come from the rank of this number.
  void came(std::size_t number, int parts = 1) {
    missing_[number].fetch_sub(parts, std::memory_order_relaxed);
  }

  /// Such as "messages from ranks 1 and 3"; empty when nothing is missing.
  std::string text() const;

 private:
  const char* what_;
  std::vector<int> ranks_;
  std::vector<int> parts_;
  std::vector<std::atomic<int>> missing_;
};

/// What the exchange does by itself at this moment, such as "the copy of its own elements to the host". One
/// thread writes it, any thread may read text().
class OwnStep {
 public:
  void begin(const char* what) { what_.store(what, std::memory_order_relaxed); }
  void end() { what_.store("", std::memory_order_relaxed); }
  std::string text() const { return what_.load(std::memory_order_relaxed); }

 private:
  std::atomic<const char*> what_{""};
};

}  // namespace spmv
