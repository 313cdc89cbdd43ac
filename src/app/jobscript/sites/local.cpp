#include "app/jobscript/sites/local.hpp"

namespace spmv {
namespace {

std::string no_directives(const JobRequest& /*request*/) {
  return {};
}

}  // namespace

const Site local_site = {.name = "local",
                         .summary = "bash FILE, on one machine without a batch system",
                         .directives = no_directives,
                         .folder = "",
                         .launcher = "mpirun",
                         .binds = false};

}  // namespace spmv
