#include "load/content.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/xxh64.hpp"
#include "load/open_matrix.hpp"

namespace spmv {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;

/// All bytes of one piece. Throws Error(input).
std::size_t read_piece(const OpenMatrix& open, std::uint64_t begin, std::vector<char>& piece) {
  const std::uint64_t wanted = std::min(piece_bytes, open.state.bytes - begin);
  std::uint64_t done = 0;
  while (done < wanted) {
    const std::size_t got = bytes_at(open.text, begin + done, piece.data() + done, wanted - done);
    if (got == 0)
      throw Error(ExitCode::input,
                  fmt::format("{}: the file was cut short while it was read; run again when nobody writes it",
                              printable(open.text.name)));
    done += got;
  }
  return wanted;
}

/// Sums of the upper and of the lower halves of the pieces' checksums. The checksum of a piece depends on its place in the
/// file; the sums do not depend on which rank reads which piece, and sums of halves fit 64 bits.
std::vector<gidx> sum_of_pieces(const OpenMatrix& open, std::uint64_t first, std::uint64_t end,
                                const Progress& progress) {
  std::vector<gidx> halves(2, 0);
  std::vector<char> piece(piece_bytes);
  for (std::uint64_t i = first; i < end; ++i) {
    const std::uint64_t hash = xxh64(piece.data(), read_piece(open, i * piece_bytes, piece), i);
    halves[0] += static_cast<gidx>(hash >> 32);
    halves[1] += static_cast<gidx>(hash & 0xffffffff);
    if (progress) progress(i + 1 - first, end - first);
  }
  return halves;
}

}  // namespace

std::string content_of(const Communicator& communicator, const MatrixSource& source,
                       const StageListener& listener) {
  const OpenMatrix& open = *source.file;
  const std::uint64_t pieces = (open.state.bytes + piece_bytes - 1) / piece_bytes;
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  const std::vector<gidx> halves = communicator.together([&] {
    if (state_of(open.text).bytes != open.state.bytes)
      throw Error(ExitCode::input,
                  fmt::format("{}: the file has another length than when it was opened; run again "
                              "when nobody writes it",
                              printable(open.text.name)));
    return sum_of_pieces(open, pieces * rank / ranks, pieces * (rank + 1) / ranks,
                         counted(listener, "reading " + open.text.name + " for its checksum"));
  });
  const std::vector<gidx> sums = communicator.sum(halves);
  return fmt::format("{} {:x} {:x}", open.state.bytes, sums[0], sums[1]);
}

}  // namespace spmv
