#include "app/report/overlap.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace spmv {
namespace {

/// A piece of the halo's way on the time axis: a phase, or the gap between the one before and it.
struct Piece {
  Phase phase;
  std::optional<Phase> gap_behind;
  double begin;
  double end;
};

constexpr std::array<Phase, 4> way = {Phase::gather, Phase::d2h, Phase::mpi, Phase::h2d};

const char* words(Phase phase) {
  switch (phase) {
    case Phase::d2h:
      return "D2H";
    case Phase::mpi:
      return "MPI";
    case Phase::h2d:
      return "H2D";
    default:
      return phase_name(phase);
  }
}

std::optional<Interval> find(const std::vector<Interval>& intervals, Phase phase) {
  for (const Interval& i : intervals)
    if (i.phase == phase) return i;
  return std::nullopt;
}

/// The pieces in order, so that no moment is counted twice: a phase that began while the one before it still
/// ran counts from the end of that one.
std::vector<Piece> pieces_of(const std::vector<Interval>& intervals) {
  std::vector<Piece> pieces;
  for (const Phase phase : way) {
    const auto found = find(intervals, phase);
    if (!found) continue;
    const double reached = pieces.empty() ? found->begin : pieces.back().end;
    const double begin = std::max(found->begin, reached);
    if (begin > reached) pieces.push_back({phase, pieces.back().phase, reached, begin});
    pieces.push_back({phase, std::nullopt, begin, std::max(found->end, begin)});
  }
  return pieces;
}

/// Corrects the MPI piece if no thread drives MPI during the interior product: its interval then begins with time in which no
/// message moved. Messages take mpi_alone_s. Their time after the interior product is known; the rest is assumed to lie just
/// before its end, and the time before that is no part of the halo's way.
void leave_out_idle_mpi(std::vector<Piece>& pieces, double local_end, double mpi_alone_s) {
  const auto mpi = std::find_if(pieces.begin(), pieces.end(),
                                [](const Piece& p) { return p.phase == Phase::mpi && !p.gap_behind; });
  if (mpi == pieces.end()) return;
  const double behind = std::max(0.0, mpi->end - std::max(local_end, mpi->begin));
  const double moved_before = std::max(0.0, mpi_alone_s - behind);
  mpi->begin = std::clamp(std::min(local_end, mpi->end) - moved_before, mpi->begin, mpi->end);
}

double shared(const Piece& piece, const Interval& interior) {
  return std::max(0.0, std::min(piece.end, interior.end) - std::max(piece.begin, interior.begin));
}

/// One rank's way beside its interior product.
struct RankOverlap {
  double hidden = 0;
  double exposed = 0;
  double behind = 0;  // of `exposed`: what the boundary product waited for
  Piece worst{Phase::gather, std::nullopt, 0, 0};
  double worst_exposed = 0;
  double worst_behind = 0;
  double mpi_behind = 0;
  std::optional<Phase> late;  // a phase that could have begun beside the interior product, but began after it
};

RankOverlap overlap_of(const std::vector<Piece>& pieces, const Interval& interior) {
  RankOverlap result;
  for (const Piece& piece : pieces) {
    const double hidden = shared(piece, interior);
    const double exposed = piece.end - piece.begin - hidden;
    const double behind = std::max(0.0, piece.end - std::max(interior.end, piece.begin));
    if (!piece.gap_behind) result.hidden += hidden;  // to wait beside the interior product hides no work
    result.exposed += exposed;
    result.behind += behind;
    if (piece.phase == Phase::mpi && !piece.gap_behind) result.mpi_behind = behind;
    // A phase that began when the interior product was over, or nearly so, had waited for it.
    constexpr double nearly = 0.98;
    if (piece.gap_behind && hidden > 0 &&
        piece.end >= interior.begin + nearly * (interior.end - interior.begin))
      result.late = piece.phase;
    if (exposed <= result.worst_exposed) continue;
    result.worst = piece;
    result.worst_exposed = exposed;
    result.worst_behind = behind;
  }
  return result;
}

double micro(double seconds) {
  return seconds * 1e6;
}

std::string describe(const RankOverlap& found, int rank) {
  // Less than this is within the precision of the clocks, or does not matter.
  constexpr double least_share = 0.02, least_seconds = 1e-6;
  if (found.exposed <= std::max(least_seconds, least_share * (found.hidden + found.exposed)))
    return "nothing: the halo is hidden completely";
  const Piece& piece = found.worst;
  // A piece may run before and after the interior product; the longer part is named.
  const char* where = 2 * found.worst_behind >= found.worst_exposed ? "after" : "before";
  const std::string what = piece.gap_behind ? fmt::format("the wait between {} and {}",
                                                          words(*piece.gap_behind), words(piece.phase))
                                            : words(piece.phase);
  const std::string reason = found.late && !piece.gap_behind
                                 ? fmt::format(", because {} began when that was over", words(*found.late))
                                 : "";
  return fmt::format("{}: {:.1f} of its {:.1f} us run {} the interior product on rank {}{}", what,
                     micro(found.worst_exposed), micro(piece.end - piece.begin), where, rank, reason);
}

/// What the messages did if no thread drives MPI during the interior product; empty if something other than MPI limits the
/// overlap.
std::string describe_undriven(const RankOverlap& found, int rank, double mpi_alone_s) {
  if (found.worst.phase != Phase::mpi || found.worst.gap_behind || found.mpi_behind <= 0 || mpi_alone_s <= 0)
    return {};
  constexpr double nearly_all = 0.8;
  if (found.mpi_behind >= nearly_all * mpi_alone_s)
    return fmt::format(
        "MPI moved no messages during the interior product, because no thread was in MPI; on rank {} they took "
        "{:.1f} us after it (alone {:.1f} us)",
        rank, micro(found.mpi_behind), micro(mpi_alone_s));
  return fmt::format(
      "MPI moved only part of the messages during the interior product, because no thread was in MPI; on rank {} the rest "
      "took {:.1f} us after it (all of them alone {:.1f} us)",
      rank, micro(found.mpi_behind), micro(mpi_alone_s));
}

}  // namespace

Overlap find_overlap(const std::vector<std::vector<Interval>>& timeline, MpiDriver driver,
                     double mpi_alone_s) {
  std::optional<RankOverlap> worst;
  Overlap result;
  bool halo = false;
  for (std::size_t rank = 0; rank < timeline.size(); ++rank) {
    std::vector<Piece> pieces = pieces_of(timeline[rank]);
    const auto interior = find(timeline[rank], Phase::interior);
    halo = halo || !pieces.empty();
    if (pieces.empty() || !interior) continue;
    if (driver == MpiDriver::nobody) leave_out_idle_mpi(pieces, interior->end, mpi_alone_s);
    const RankOverlap found = overlap_of(pieces, *interior);
    const bool longer = !worst || found.behind > worst->behind ||
                        (found.behind == worst->behind && found.exposed > worst->exposed);
    if (!longer) continue;
    worst = found;
    result.rank = static_cast<int>(rank);
  }
  if (!halo) {
    result.limit = "nothing: there is no halo";
  } else if (!worst) {
    result.limit = "no overlap by design: the product starts when the halo has arrived";
  } else {
    result.hidden_s = worst->hidden;
    result.exposed_s = worst->exposed;
    if (driver == MpiDriver::nobody) result.limit = describe_undriven(*worst, result.rank, mpi_alone_s);
    if (result.limit.empty()) result.limit = describe(*worst, result.rank);
  }
  return result;
}

}  // namespace spmv
