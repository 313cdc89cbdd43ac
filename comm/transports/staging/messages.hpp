// Persistent messages to and from other ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/patience.hpp"
#include "core/types.hpp"

namespace spmv {

/// Messages that are started again and again. Numbered from 0 in the order in which they were added; their
/// memory is the caller's. No message may be under way when the object ends. All Local; throw Error(internal)
/// if MPI fails.
///
/// MPI matches sends with receives of the same ranks and tag in the order of their starts, but may start a
/// list of them in any order: messages that are under way together between two ranks need tags of their own.
class Messages {
 public:
  Messages(const Communicator& communicator, std::size_t element_bytes);
  ~Messages();
  Messages(Messages&& other) noexcept;
  Messages& operator=(Messages&& other) noexcept;

  void add_receive(std::byte* to, lidx elements, int source, int tag);
  void add_send(const std::byte* from, lidx elements, int target, int tag);

  void start(std::size_t first, std::size_t count);
  void start_all() { start(0, size()); }
  /// Numbers of messages that have ended since the last call; valid until the next one. Lets MPI do its work,
  /// waits for nothing.
  const std::vector<int>& ended();
  /// Waits for all that are under way, and calls came(number) for each when it has ended.
  template <class Came>
  void wait(const Came& came) {
    Patience patience;
    while (under_way() > 0) {
      const std::vector<int>& now = ended();
      for (const int message : now) came(static_cast<std::size_t>(message));
      now.empty() ? patience.pause() : patience.renew();
    }
  }
  /// How many were started and have not been reported as ended.
  std::size_t under_way() const;
  std::size_t size() const;

 private:
  struct Requests;
  std::unique_ptr<Requests> requests_;
};

}  // namespace spmv
