// Backends that need no GPU. Jitter delays the debug device's queues, and the ranks, by random times.
#include "support/product_backends.hpp"

namespace spmv::test {

const std::vector<TestBackend>& product_backends() {
  static const std::vector<TestBackend> table = {
      {"host", [](const Communicator&) { return make_host_backend({}); }},
      {"debug", [](const Communicator&) { return make_debug_backend({}); }},
      {"debug with jitter", [](const Communicator&) { return make_debug_backend({.jitter_us = 60}); }},
  };
  return table;
}

std::string why_no_product_backends() {
  return {};
}

}  // namespace spmv::test
