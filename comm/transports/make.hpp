// The transports' functions; README.md here says how each of them works.
#pragma once

#include "comm/halo_exchange.hpp"

namespace spmv {

MakeExchange make_staged_exchange;
MakeExchange make_node_aware_exchange;
MakeExchange make_shm_exchange;
MakeExchange make_shm_copy_exchange;
MakeExchange make_p2p_exchange;
MakeExchange make_mpi_exchange;
MakeExchange make_nccl_exchange;
WhyUnusable why_no_shm;
WhyUnusable why_no_shm_copy;
WhyUnusable why_no_p2p;
WhyUnusable why_no_mpi;
WhyUnusable why_no_gpu_aware;
WhyUnusable why_no_nccl;

/// Seconds that NCCL may need to connect the ranks: about one on one node; some clusters need over ten.
inline constexpr int nccl_start_s = 20;
/// What it usually takes.
inline constexpr double nccl_usual_start_s = 2;

}  // namespace spmv
