// The bytes of a text file, packed by gzip if its name says so.
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.hpp"
#include "io/gzip_pieces.hpp"

namespace spmv {

/// Whether a file of this name is written packed: it ends in ".gz". Pure.
bool is_packed_name(const std::string& path);

/// The bytes of a file of this name with this text. Throws std::bad_alloc, and Error(internal) if zlib fails. Local.
std::string file_bytes(const std::string& path, std::string text);

/// A text in pieces of all ranks, and the bytes that they are in a file: packed if the name of the file says so. The file is
/// head(), every rank's piece by rank, again for the next pieces, and tail().
class TextPieces {
 public:
  /// `communicator` must outlive this. Local.
  TextPieces(const Communicator& communicator, const std::string& path)
      : communicator_(communicator), packed_(is_packed_name(path)) {}

  /// Pure.
  std::string head() const;
  /// The bytes of this rank's next piece. Collective; throws AgreedError.
  std::string next(const std::string& mine);
  /// For all pieces until now, on every rank. Pure.
  std::string tail() const;

 private:
  const Communicator& communicator_;
  bool packed_;
  GzipFrame frame_;
};

}  // namespace spmv
