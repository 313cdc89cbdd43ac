// The same products on GPUs.
#include "support/product_backends.hpp"

namespace spmv::test {

const std::vector<TestBackend>& product_backends() {
  static const std::vector<TestBackend> table = {
      {"cuda",
       [](const Communicator& communicator) {
         return make_cuda_backend({.rank_on_node = communicator.node().rank()});
       }},
  };
  return table;
}

std::string why_no_product_backends() {
  return why_no_cuda();
}

}  // namespace spmv::test
