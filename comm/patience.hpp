#pragma once

#include "comm/give_up.hpp"
#include "core/pacing.hpp"

namespace spmv {

/// Paces a loop that polls for something another rank or the device does, and ends it where the loop's work was
/// given up.
class Patience {
 public:
  /// After a poll that found nothing. Never returns where this thread's work was given up; the loop must hold
  /// no lock that others need.
  void pause() {
    if (pacing_.is_slow()) GiveUp::rest_if_asked();
    pacing_.pause();
  }
  /// After a poll that found something.
  void renew() { pacing_.renew(); }

 private:
  Pacing pacing_;
};

}  // namespace spmv
