// How long a product and a build take, from the analysis alone: what candidates are ranked by.
#pragma once

#include <string>

#include "kernels/tune/analysis.hpp"
#include "kernels/tune/costs.hpp"
#include "kernels/tune/device.hpp"

namespace spmv {

struct Prediction {
  double seconds = 0;   // of one product
  double at_least = 0;  // the same if only its bytes took time, at the best bandwidth that any kernel reaches
  double build_s = 0;   // to build the format from CSR, sorting included
  double chained = 0;   // of one product if only its longest chain of loads took time; 0 on a host
  bool calibrated = false;  // by what was measured of the format on this machine, not by its pace
};

/// Pure.
BlockShape shape_of(const Analysis& analysis);

/// Whether a product that moves so many bytes finds them in the device's cache at the next one. Never on a host, whose
/// bandwidth is measured with as many bytes as the matrix has. Pure.
bool stays_in_cache(double bytes, const Device& device);

/// Of the format of this name, by what was measured of it on this device, or else by its pace. `cost` is the format's with
/// these options. Pure.
Prediction predict(const std::string& format, const Cost& cost, const FormatOptions& options,
                   const Analysis& analysis, const Device& device);

/// Of a product with k columns, from that with one. `together`: the format reads the block once for all columns (Format::columns);
/// otherwise each is copied, multiplied and copied back. Pure.
Prediction for_columns(const Prediction& one, int k, bool together, const Analysis& analysis,
                       const Device& device);
/// Its cost, of which moved_bytes differ: as LocalOperator::traffic() counts them. Pure.
Cost for_columns(const Cost& one, int k, bool together, const Analysis& analysis);

/// Seconds of a kernel that sums the rows of a product which a GPU has just computed. Pure.
double seconds_of_sums(const Analysis& analysis, const Device& device);

/// What a product and a build have to do, in the units that speeds and paces are of.
struct Load {
  double launch_s = 0;     // in any format
  double streaming_s = 0;  // of the bytes at the bandwidth of a copy
  double iterations = 0;   // of the whole device or, on a host, of one core, but for the fast ones
  /// Likewise: those that the device has a fast way for. On a GPU Cost::heads_alone; on a host those along diagonals, and for
  /// the loops of csr all iterations of a block for which multiplies_by_fours().
  double fast_iterations = 0;
  /// Likewise: iterations of lanes that have nothing to do, because rows differ in length. On a host, in formats whose rows
  /// follow each other, instead the rows of another length than the one before, beyond those that a core predicts.
  double uneven = 0;
  double rows = 0;  // likewise
  /// Likewise: different sectors of x of every slice. Each comes from the second cache at best, while lanes that share a sector
  /// or use it again hardly wait. On a host times the distance of x from a core's first cache, 0 to 1.
  double scattered = 0;
  double build_overhead_s = 0;
  double build_nonzeros = 0;  // of one of the cores that build
  double build_rows = 0;      // likewise
  double sorted = 0;          // likewise: rows that are sorted or, for popular columns first, columns renamed
};
/// With these options, which say whether rows are sorted. Pure.
Load load_of(const std::string& format, const Cost& cost, const FormatOptions& options,
             const Analysis& analysis, const Device& device);

double product_seconds(const Speeds& speeds, const Load& load);
/// The factor by which products of a block of this shape differ from product_seconds(): a mean of the known deviations, in
/// which similar blocks weigh more; 1 where no similar block is known. Pure.
double deviation_of(const Speeds& speeds, const BlockShape& shape);
double build_seconds(const Speeds& speeds, const Load& load);

}  // namespace spmv
