// The Matrix Market file in a tar archive, as SuiteSparse ships its matrices. Local.
#pragma once

#include <memory>
#include <string>

#include "io/text_stream.hpp"

namespace spmv {

struct ArchivedText {
  std::string name;  // of the member
  std::unique_ptr<TextSource> text;
};

/// The member of the tar archive `bytes` whose name ends with .mtx; `archive` is its name, for messages. There must be one.
/// Whoever reads the text to its end reads the archive to its end as well, where another such member is noticed. Throws
/// Error(input).
ArchivedText open_archived(const std::string& archive, std::unique_ptr<TextSource> bytes);

}  // namespace spmv
