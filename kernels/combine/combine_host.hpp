// Combinations on the host: what combine.cpp gives to a queue that runs host code. Arguments as in combine.hpp.
#pragma once

#include "kernels/combine/scalars.hpp"

namespace spmv {

/// Parts that a combination on the host leaves: one for each thread, so that sums depend on nothing else.
int host_parts();

template <class T>
void combine_host(const CombinationData<T>& data, const ScalarsView<ScalarOf<T>>& scalars, std::uint64_t line,
                  int parts);
template <class S>
void add_parts_host(const PartialSums<S>& sums);
template <class S>
void add_ranks_host(S* slot, int count, const S* others, int rank, int ranks);

}  // namespace spmv
