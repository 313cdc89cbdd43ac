// What a processor's prefetchers follow.
#pragma once

namespace spmv {

/// See ../x86_64/streams.hpp: nothing else is known.
inline bool follows_many_streams() {
  return true;
}

}  // namespace spmv
