// Combinations on the host: what stands around the loop over the elements.
#include "kernels/combine/combine_host.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/combine/strip_plan.hpp"
#include "kernels/combine/sum_in_pairs.hpp"

namespace spmv {
namespace {

template <class S>
S scalar_of_sum(ComplexScalar sum) {
  if constexpr (std::is_same_v<S, double>)
    return sum.re;
  else
    return sum;
}

/// Changes all elements and leaves the parts of the sums, one for each thread.
template <class T>
void change_all(const CombinationData<T>& data, const ScalarOf<T>* registers,
                const ScalarsView<ScalarOf<T>>& scalars, int parts) {
  const StripPlan plan(data, registers);
#pragma omp parallel for schedule(static) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    const auto bound = [&](int p) { return static_cast<lidx>(static_cast<offset>(data.count) * p / parts); };
    ComplexScalar sum[most_sums];
    run_strips(plan, bound(part), bound(part + 1), sum);
    for (int i = 0; i < data.sums; ++i)
      scalars.partial[static_cast<std::ptrdiff_t>(data.sum[i].slot) * most_parts + part] =
          scalar_of_sum<ScalarOf<T>>(sum[i]);
  }
}

}  // namespace

template <class S>
void keep_results(const Formula& formula, const S* registers, const ScalarsView<S>& scalars,
                  std::uint64_t number, bool changes) {
  RecordLine& line = scalars.record[number % record_lines];
  for (int i = 0; i < formula.steps(); ++i) {
    const Formula::Step step = formula.step(i);
    if (changes && step.operation == Formula::Operation::store) scalars.slot[step.b] = registers[i];
    if (step.operation == Formula::Operation::record) line.number[step.b] = real_part(registers[i]);
  }
  if (formula.records()) std::atomic_ref<std::uint64_t>(line.line).store(number, std::memory_order_release);
}

template <class T>
void clear_parts(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, int parts,
                 bool changes) {
  for (int i = 0; i < data.sums; ++i) {
    ScalarOf<T>* const of = scalars.partial + static_cast<std::ptrdiff_t>(data.sum[i].slot) * most_parts;
    const int before = data.parts_before[i];
    for (int part = changes ? parts : before; part < (changes ? before : parts); ++part)
      of[part] = scalar_of<ScalarOf<T>>(0);
  }
}

int host_parts() {
  return std::min(omp_get_max_threads(), most_parts);
}

template <class T>
void combine_host(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, std::uint64_t line,
                  int parts) {
  using S = ScalarOf<T>;
  S registers[Formula::most_steps] = {};
  const bool holds = evaluate(data.formula, scalars.slot, registers);
  const bool changes = holds && (scalars.stopped == nullptr || *scalars.stopped == 0);
  if (changes) change_all(data, registers, scalars, parts);
  clear_parts(data, scalars, parts, changes);
  if (scalars.stopped != nullptr && !holds) *scalars.stopped = 1;
  keep_results(data.formula, registers, scalars, line, changes);
}

template <class S>
void add_parts_host(const PartialSums<S>& sums) {
  for (int column = 0; column < sums.columns; ++column)
    for (int i = 0; i < sums.count; ++i) {
      const S* const part = sums.part[i] + column * parts_apart;
      S total = scalar_of<S>(0);
      for (int p = 0; p < sums.parts[i]; ++p) total = total + part[p];
      sums.slot[column * slots_apart + i] = total;
    }
}

template <class S>
void add_ranks_host(S* slot, int count, int columns, const S* others, int rank, int ranks) {
  for (int i = 0; i < count * columns; ++i) {
    S& own = slot[i / count * slots_apart + i % count];
    own = sum_in_pairs<S>(
        ranks, [&](int r) { return r == rank ? own : others[(r < rank ? r : r - 1) * count * columns + i]; });
  }
}

SPMV_INSTANTIATE(combine_host);
SPMV_INSTANTIATE(clear_parts);
template void add_parts_host(const PartialSums<double>&);
template void add_parts_host(const PartialSums<ComplexScalar>&);
template void add_ranks_host(double*, int, int, const double*, int, int);
template void add_ranks_host(ComplexScalar*, int, int, const ComplexScalar*, int, int);
template void keep_results(const Formula&, const double*, const ScalarsView<double>&, std::uint64_t, bool);
template void keep_results(const Formula&, const ComplexScalar*, const ScalarsView<ComplexScalar>&,
                           std::uint64_t, bool);

}  // namespace spmv
