// What a file holds, in one word.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "load/load_rows.hpp"
#include "load/stage.hpp"

namespace spmv {

/// The length and a checksum of all bytes of a source's file as they are now, the same on every number of ranks: each
/// reads a share. Times and inodes do not count: no clock and no file system can make a changed file look like
/// the old one. Collective; throws AgreedError(input), also where the file has become shorter since it was opened.
std::string content_of(const Communicator& communicator, const MatrixSource& source,
                       const StageListener& listener);

}  // namespace spmv
