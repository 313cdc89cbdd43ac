// How a mailbox is laid out and what passes through it is cut.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/transports/peer/peer_exchange.hpp"

namespace spmv::test {
namespace {

TEST(PeerPieces, AreOneForLittleAndSomeHundredAtMost) {
  EXPECT_EQ(peer_pieces(0, 0), 1);        // only a flag
  EXPECT_EQ(peer_pieces(0, 500'000), 1);  // the same beside neighbours that get much
  EXPECT_EQ(peer_pieces(1, 1), 1);
  EXPECT_EQ(peer_pieces(1'024, 1'024), 1);
  EXPECT_EQ(peer_pieces(1'025, 1'025), 2);
  EXPECT_EQ(peer_pieces(5'001, 5'901), 5);
  for (const lidx sent : {262'144, 270'001, 5'000'000, 2'147'483'647}) {
    EXPECT_GT(peer_pieces(sent, sent), 250) << sent;
    EXPECT_LE(peer_pieces(sent, sent), 256) << sent;
  }
}

// Together the pieces are all elements; both sides, of which one counts bytes from the half and one from the mailbox, cut
// alike; and all pieces but the first begin at a line of the half.
TEST(PeerPieces, BeginAtLinesAndLeaveNothingOut) {
  for (const std::size_t element : {4, 8, 16})
    for (const lidx count : {0, 1, 1'024, 1'025, 4'097, 1'459'047, 2'147'483'647})
      for (const lidx before : {0, 1, 31, 64, 1'000'003}) {
        SCOPED_TRACE(std::to_string(count) + " elements of " + std::to_string(element) + " bytes after " +
                     std::to_string(before));
        const std::size_t at = static_cast<std::size_t>(before) * element, half = std::size_t{256} * 12345;
        const int pieces = peer_pieces(count, count);
        lidx next = 0;
        for (int p = 0; p < pieces; ++p) {
          const Piece piece = peer_piece(count, pieces, p, at, element),
                      other = peer_piece(count, pieces, p, half + at, element);
          ASSERT_EQ(piece.first, next);
          ASSERT_GE(piece.count, std::min(count, 400));
          ASSERT_TRUE(p == 0 || (at + static_cast<std::size_t>(piece.first) * element) % 256 == 0);
          ASSERT_EQ(other.first, piece.first);
          ASSERT_EQ(other.count, piece.count);
          next += piece.count;
        }
        ASSERT_EQ(next, count);
      }
}

// Flags and halves have cache lines of their own: other ranks store into some of them.
TEST(MailboxParts, AreAlignedAndDoNotOverlap) {
  for (const int flags : {0, 1, 32, 33, 1'000})
    for (const std::size_t halo :
         {std::size_t{0}, std::size_t{4}, std::size_t{256}, std::size_t{257}, std::size_t{5} << 32}) {
      SCOPED_TRACE(std::to_string(flags) + " flags, " + std::to_string(halo) + " bytes");
      const MailboxParts mailbox = mailbox_parts(flags, halo);
      struct Part {
        std::size_t begin, bytes;
      };
      std::vector<Part> parts = {{mailbox.flags, static_cast<std::size_t>(flags) * sizeof(ExchangeNumber)},
                                 {mailbox.half[0], halo},
                                 {mailbox.half[1], halo}};
      std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.bytes < b.bytes;
      });
      std::size_t end = 0;
      for (const Part& part : parts) {
        EXPECT_EQ(part.begin % 256, 0u);
        EXPECT_GE(part.begin, end);
        end = part.begin + part.bytes;
      }
      EXPECT_GE(mailbox.bytes, end);
      EXPECT_GT(mailbox.bytes, 0u);
    }
}

}  // namespace
}  // namespace spmv::test
