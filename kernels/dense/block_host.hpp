// The host's kernels for blocks of vectors: what block_work.cpp gives to a queue that runs host code.
#pragma once

#include "kernels/dense/block_data.hpp"

namespace spmv {

template <class T>
void gram_host(const GramRequest<T>& request);
template <class T>
void combine_blocks_host(const CombineRequest<T>& request, int threads);

}  // namespace spmv
