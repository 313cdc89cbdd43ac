#include "kernels/parts/x_loads.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "run_best.hpp"
#include "streams.hpp"

namespace spmv {
namespace {

constexpr int lanes = 8;

/// What both ways are tried on: as many products as stay in the first cache.
struct Sample {
  static constexpr int size = 1024;
  std::vector<double> x = std::vector<double>(size, 1.0);
  std::vector<double> value = std::vector<double>(size, 1.0);
  std::vector<lidx> col = std::vector<lidx>(size);
  double sum[lanes] = {};

  Sample() {
    for (int i = 0; i < size; ++i) col[i] = (i * 37) % size;  // every element once, none beside the last
  }
};

void add_gathered(Sample& sample) {
  const double* const x = sample.x.data();
  for (int at = 0; at < Sample::size; at += lanes) {
    const double* const value = sample.value.data() + at;
    const lidx* const col = sample.col.data() + at;
#pragma omp simd
    for (int i = 0; i < lanes; ++i) sample.sum[i] += value[i] * x[col[i]];
  }
}

/// Single loads of the plainest kind. The kernels' own take fewer instructions, but gather instructions compare with both in the
/// same way.
void add_alone(Sample& sample) {
  const volatile double* const x = sample.x.data();
  for (int at = 0; at < Sample::size; at += lanes)
    for (int i = 0; i < lanes; ++i) sample.sum[i] += sample.value[at + i] * x[sample.col[at + i]];
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  run_best(work);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool measure() {
  constexpr int rounds = 32;
  constexpr double worth_it = 0.95;  // of two that are as fast, the simpler one
  Sample sample;
  double gathered = std::numeric_limits<double>::infinity();
  double alone = gathered;
  // The least of many short turns: whatever else the machine does lengthens some of them only.
  for (int round = 0; round < rounds; ++round) {
    gathered = std::min(gathered, seconds_of([&] { add_gathered(sample); }));
    alone = std::min(alone, seconds_of([&] { add_alone(sample); }));
  }
  const bool both_ran = sample.sum[0] > 0;  // read, so that no compiler leaves the products out
  return both_ran && gathered < worth_it * alone;
}

}  // namespace

bool gathers_pay() {
  static const bool pay = measure();
  return pay;
}

bool gathers_pay_far_apart() {
  return follows_many_streams() && gathers_pay();
}

}  // namespace spmv
