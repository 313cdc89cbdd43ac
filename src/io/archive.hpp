// The Matrix Market file in a tar archive: the form in which SuiteSparse offers its matrices. Local.
#pragma once

#include <memory>
#include <string>

#include "io/text_source.hpp"

namespace spmv {

struct ArchivedText {
  std::string name;  // of the member
  std::unique_ptr<TextSource> text;
};

/// The member of the tar archive `bytes` whose name ends with .mtx. `archive`: name of the archive, for messages. Throws
/// Error(input) if there is none. At the end of its text it reads the archive to the end, and throws if there is a second one.
ArchivedText open_archived(const std::string& archive, std::unique_ptr<TextSource> bytes);

}  // namespace spmv
