#include "app/commands/info.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/run/load.hpp"
#include "core/machine_memory.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/number_columns.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/analysis.hpp"
#include "load/memory_needs.hpp"
#include "load/sample.hpp"

namespace spmv {
namespace {

/// The rows to sample, and what is known of the matrix beside them.
struct Sampled {
  std::shared_ptr<const RowSource> rows;
  Shape shape;
  bool from_file = false;
};

/// Expected number of different columns among `draws` from `choices`, if all are equally likely.
double expected_different(double draws, double choices) {
  return choices > 0 ? choices * -std::expm1(-draws / choices) : 0;
}

/// One rank's share of evenly cut rows. `few`: rows whose lengths are read.
template <class T>
RankShare estimate_share(const InfoOptions& options, const Sampled& matrix, const Ownership& cut, int rank,
                         gidx few) {
  const gidx count = cut.rows.count(rank), first_col = cut.cols.first(rank), own = cut.cols.count(rank);
  constexpr gidx slices = 64;
  const RowBlock<T> sample = sample_rows<T>(*matrix.rows, cut.rows.first(rank), count, slices);
  const auto outside = static_cast<double>(std::count_if(
      sample.col.begin(), sample.col.end(), [&](gidx c) { return c < first_col || c >= first_col + own; }));
  RankShare share;
  share.rows = static_cast<double>(count);
  share.cols = static_cast<double>(own);
  share.nonzeros = estimate_nonzeros(*matrix.rows, cut.rows.first(rank), count, few);
  const auto sampled = static_cast<double>(std::max<offset>(1, sample.nonzeros()));
  share.ghosts =
      expected_different(share.nonzeros * outside / sampled, static_cast<double>(matrix.shape.cols - own));
  share.value_bytes = sizeof(T);
  share.from_file = matrix.from_file;
  share.travelling = 1 - 1.0 / cut.rows.ranks();
  share.verified = options.verify;
  share.partitioned =
      cut.rows.ranks() > 1 && pick(partitioners(), options.partition, "partitioner").gathers_pattern;
  return share;
}

/// Bytes of a format for a rank with this share: those of CSR, scaled by the ratio of both for sampled rows.
template <class T>
double estimate_format(const std::string& format, const Sampled& matrix, const Ownership& cut, int rank,
                       const RankShare& share) {
  constexpr gidx slices = 256;
  constexpr double trials_hold = 2;  // format auto holds the best until then, and the one that it tries
  const double plain = csr_bytes(share.rows, share.nonzeros, sizeof(T));
  if (format == auto_format) return trials_hold * plain;
  RowBlock<T> sample = sample_rows<T>(*matrix.rows, cut.rows.first(rank), cut.rows.count(rank), slices);
  if (sample.rows() == 0) return 0;
  const Csr<T> block = number_columns(std::move(sample), cut.cols.first(rank), cut.cols.count(rank)).block;
  const double bytes = cost_of(format, analyze(block), {}).bytes;
  return plain * bytes / csr_bytes(block.rows, static_cast<double>(block.nonzeros()), sizeof(T));
}

double mega(double bytes) {
  return bytes * 1e-6;
}

/// The estimate for one number of ranks.
struct Estimate {
  std::string text;
  bool fits = true;
};

std::string list_parts(const MemoryNeeds& n) {
  std::string text = "  parts, MB      ";
  const std::pair<const char*, double> parts[] = {
      {"program", n.program},     {"entries", n.entries}, {"rows", n.rows},
      {"reference", n.reference}, {"graph", n.graph},     {"graph of all (rank 0)", n.first_rank_graph},
      {"moved rows", n.moved},    {"block", n.block},     {"layout", n.layout},
      {"formats", n.formats},     {"vectors", n.vectors}, {"halo", n.halo},
      {"staging", n.staging}};
  const char* separator = "";
  for (const auto& [name, bytes] : parts) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {:.1f}", separator, name, mega(bytes));
    separator = ", ";
  }
  return text + "\n";
}

std::string list_times(const MemoryNeeds& n, bool on_host) {
  std::string text = fmt::format("  host, MB       loading {:.1f}, ", mega(n.loading()));
  if (n.graph > 0) text += fmt::format("partitioning {:.1f}, ", mega(n.partitioning()));
  return text + fmt::format("moving {:.1f}, multiplying {:.1f}: {:.1f} at most\n", mega(n.moving()),
                            mega(n.multiplying(on_host)), mega(n.host_peak(on_host)));
}

template <class T>
Estimate judge(const InfoOptions& options, const Backend& backend, const Sampled& matrix, int ranks) {
  if (const gidx least = least_ranks(matrix.shape); ranks < least)
    return {
        fmt::format("{} rank{}: too few for the ids of a rank, which have 32 bits; at least {} are needed\n",
                    ranks, ranks == 1 ? "" : "s", least),
        false};
  const Ownership cut = Ownership::even(matrix.shape, ranks);
  constexpr int looked_at = 64;
  constexpr gidx few_rows = 1 << 20;  // of all ranks
  RankShare fullest;
  int at = 0;
  double seen = 0, nonzeros = 0;
  for (int i = 0; i < std::min(ranks, looked_at); ++i, ++seen) {
    const int rank = static_cast<int>(static_cast<gidx>(i) * ranks / std::min(ranks, looked_at));
    const RankShare share =
        estimate_share<T>(options, matrix, cut, rank, few_rows / std::min(ranks, looked_at));
    nonzeros += share.nonzeros;
    if (i > 0 && share.nonzeros + share.ghosts <= fullest.nonzeros + fullest.ghosts) continue;
    fullest = share;
    at = rank;
  }
  fullest.all_rows = static_cast<double>(matrix.shape.rows);
  fullest.all_nonzeros = nonzeros / seen * ranks;
  fullest.format_bytes = estimate_format<T>(options.format, matrix, cut, at, fullest);

  const bool on_host = backend.runs_host_code();
  const MemoryNeeds other = memory_needs(fullest);
  fullest.first_rank = true;
  const MemoryNeeds first = memory_needs(fullest);
  const double all = first.host_peak(on_host) + (ranks - 1) * other.host_peak(on_host);
  const auto free = static_cast<double>(machine_memory().free_bytes);
  const auto device_free = static_cast<double>(backend.memory().free_bytes);
  Estimate estimate;
  estimate.fits = all <= free && (on_host || other.device() <= device_free);
  estimate.text = fmt::format("{} rank{}: the fullest has {:.0f} rows, {:.4g} nonzeros and {:.4g} ghosts\n",
                              ranks, ranks == 1 ? "" : "s", fullest.rows, fullest.nonzeros, fullest.ghosts) +
                  list_parts(first) + list_times(first, on_host);
  if (!on_host)
    estimate.text += fmt::format("  device, MB     {:.1f} a rank, {:.1f} free for one\n",
                                 mega(other.device()), mega(device_free));
  estimate.text += fmt::format("  on one machine {:.1f} MB of host memory for all, {:.1f} MB free: {}\n",
                               mega(all), mega(free), estimate.fits ? "fits" : "does not fit");
  return estimate;
}

template <class T>
ExitCode tell_as(const Session& session, const InfoOptions& options, const Backend& backend,
                 const MatrixSource& source) {
  bool fits = true;
  const std::string text = session.communicator.together([&] {
    const Sampled matrix{rows_like(source), source.shape, !source.generated};
    std::string all =
        fmt::format("matrix       {}: {} x {}, {}, format {}, partition {}{}\n", printable(source.name),
                    source.shape.rows, source.shape.cols, value_name<T>(), options.format, options.partition,
                    options.verify ? ", compared with a reference" : "");
    if (matrix.from_file)
      all += fmt::format(
          "             at most {:.4g} nonzeros by the header, taken as spread evenly over rows and columns\n",
          source.entries);
    for (const int ranks : options.rank_counts) {
      session.watchdog.stage("looking at the matrix");
      const Estimate estimate = judge<T>(options, backend, matrix, ranks);
      all += estimate.text;
      fits = fits && estimate.fits;
    }
    return all;
  });
  session.print(text);
  return fits ? ExitCode::ok : ExitCode::memory;
}

/// Prints what every rank would need, by part and at which time, for each number of ranks that the options
/// name, and whether that fits this machine's free memory if all of them run here. The matrix is not loaded:
/// of a file the header is read, of a generator some rows are made. Returns ok if all fit, else memory. For
/// one rank. Throws AgreedError.
ExitCode run_info(const Session& session, const InfoOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend);
  return with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    require_only_one(session.communicator, source);
    return tell_as<typename decltype(tag)::Type>(session, options, *place.backend, source);
  });
}

}  // namespace

void InfoOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_rank_counts(app, rank_counts);
  declare_format(app, format);
  declare_partition(app, *this);
  declare_backend(app, backend);
  declare_verify(app, verify);
}

std::unique_ptr<Command> declare_info(CLI::App& app) {
  return command<InfoOptions, run_info>(app);
}

}  // namespace spmv
