// A signal's request to end, for commands that end in their own time and keep what they have.
#pragma once

#include <mutex>

namespace spmv {

/// At most one request, and whether a command looks for it. All functions are local and may be called by any thread.
class EndRequest {
 public:
  /// A signal came. Returns whether a command will end because of it; if not, as at a second signal, the process must end now.
  bool put(int signal);
  /// The signal that a command was asked by to end; 0: none.
  int signal() const;

  /// While it lives, a command looks for requests often, and once more after its end. One at a time.
  class Heeded {
   public:
    explicit Heeded(EndRequest& request);
    ~Heeded();
    Heeded(const Heeded&) = delete;
    Heeded& operator=(const Heeded&) = delete;

   private:
    EndRequest& request_;
  };

 private:
  mutable std::mutex mutex_;
  bool heeded_ = false;
  int signal_ = 0;
};

}  // namespace spmv
