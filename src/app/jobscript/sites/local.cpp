#include "app/jobscript/sites/local.hpp"

namespace spmv {
namespace {

std::string no_directives(const JobRequest& /*request*/) {
  return {};
}

}  // namespace

const Site local_site = {
    "local", "bash FILE, on one machine without a batch system", no_directives, "", "mpirun", false};

}  // namespace spmv
