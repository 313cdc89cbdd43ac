// NCCL functions with planted faults: see planted.cpp.
#include <nccl.h>

#include "planted.hpp"

extern "C" {

#define SPMV_NCCL_CALL(name, parameters, arguments)                                               \
  ncclResult_t name parameters {                                                                  \
    static planted::Call call{#name};                                                             \
    if (planted::at(call, SPMV_RETURNS).kind != planted::Action::nothing) return ncclSystemError; \
    static auto* const real = planted::next(&name, #name);                                        \
    return real arguments;                                                                        \
  }
SPMV_NCCL_CALL(ncclGetUniqueId, (ncclUniqueId * id), (id))
SPMV_NCCL_CALL(ncclCommInitRankConfig,
               (ncclComm_t * made, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config),
               (made, ranks, id, rank, config))
SPMV_NCCL_CALL(ncclCommSplit, (ncclComm_t comm, int colour, int key, ncclComm_t* made, ncclConfig_t* config),
               (comm, colour, key, made, config))
SPMV_NCCL_CALL(ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t* state), (comm, state))
SPMV_NCCL_CALL(ncclCommFinalize, (ncclComm_t comm), (comm))
SPMV_NCCL_CALL(ncclGroupStart, (), ())
SPMV_NCCL_CALL(ncclSend,
               (const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                cudaStream_t stream),
               (from, count, type, peer, comm, stream))
SPMV_NCCL_CALL(ncclRecv,
               (void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream),
               (to, count, type, peer, comm, stream))

// Ends the group even if it fails, because NCCL counts open groups.
ncclResult_t ncclGroupEnd() {
  static planted::Call call{"ncclGroupEnd"};
  static auto* const real = planted::next(&ncclGroupEnd, "ncclGroupEnd");
  const bool fails = planted::at(call, SPMV_RETURNS).kind != planted::Action::nothing;
  const ncclResult_t status = real();
  return fails ? ncclSystemError : status;
}

}  // extern "C"
