// Combinations on the host: what combine.cpp gives to a queue that runs host code. Arguments as in combine.hpp.
#pragma once

#include "kernels/combine/scalars.hpp"

namespace spmv {

/// Parts that a combination on the host leaves: one for each thread, so that sums depend on nothing else.
int host_parts();

template <class T>
void combine_host(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, std::uint64_t line,
                  int parts);
/// The same for several columns.
template <class T>
void combine_columns_host(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars,
                          std::uint64_t line, int parts);
template <class S>
void add_parts_host(const PartialSums<S>& sums);
template <class S>
void add_ranks_host(S* slot, int count, int columns, const S* others, int rank, int ranks);

/// What the formula of one column stores and records, in line `number`; `changes`: whether its requirements hold.
template <class S>
void keep_results(const Formula& formula, const S* registers, const ScalarsView<S>& scalars,
                  std::uint64_t number, bool changes);
/// The parts of a sum that are beyond those before, or beyond those of this combination, are 0.
template <class T>
void clear_parts(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, int parts,
                 bool changes);

}  // namespace spmv
