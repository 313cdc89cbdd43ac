// A checksum of a file's content.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "load/load_rows.hpp"
#include "load/stage.hpp"

namespace spmv {

/// The length and a checksum of all bytes that a source's file has now. Each rank reads a share; the result is the same for
/// every number of ranks. Times and inodes do not count, because a changed file can have the old ones. Collective; throws
/// AgreedError(input), also if the file's length has changed since it was opened.
std::string content_of(const Communicator& communicator, const MatrixSource& source,
                       const StageListener& listener);

}  // namespace spmv
