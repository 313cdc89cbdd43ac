// How long a product and a conversion take, from the analysis alone: what candidates are ranked by.
#pragma once

#include "kernels/format.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {

/// What a product runs on.
struct Device {
  bool runs_host_code = true;
  double bandwidth = 0;  // bytes per second of a copy, read and write counted
  int threads = 1;       // of the host, that build formats and, where it is the device, multiply
};

struct Prediction {
  double seconds = 0;   // of one product
  double at_least = 0;  // the same if only its bytes took time, at the best bandwidth that any kernel reaches
  double build_s = 0;   // to build the format from CSR, sorting included
};

/// `cost` and `pace` are those of one format. Pure.
Prediction predict(const Pace& pace, const Cost& cost, const FormatOptions& options, const Analysis& analysis,
                   const Device& device);

}  // namespace spmv
