// Stands in for kernels of their own in a build that cannot load them.
#include "kernels/combine/own_kernels.hpp"

#include "core/value_types.hpp"

namespace spmv {

template <class T>
int launch_own_kernel(const CombinationData<T>&, const ScalarsView<ScalarOf<T>>&, std::uint64_t, void*) {
  return 0;
}

std::string why_no_own_kernels() {
  return "the program was built with CUDA before 12.8";
}

SPMV_INSTANTIATE(launch_own_kernel);

}  // namespace spmv
