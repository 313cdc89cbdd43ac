// Stands in for NCCL in a build without it.
#include "comm/transports/make.hpp"

namespace spmv {

std::string why_no_nccl(const ExchangeSetup&) {
  return "transport nccl: this build has no NCCL: configure with -DSPMV_CUDA=ON -DSPMV_NCCL=ON, "
         "and with -DNCCL_ROOT=DIR where NCCL lies in a place of its own, or use another transport";
}

std::unique_ptr<HaloExchange> make_nccl_exchange(const ExchangeSetup& setup) {
  throw AgreedError(ExitCode::environment, why_no_nccl(setup));
}

}  // namespace spmv
