#include "comm/mpi_in_containers.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/types.h>
#include <unistd.h>

namespace spmv {
namespace {

/// Whether this process is in the user namespace that Linux begins with, which has the same number everywhere.
bool in_first_user_namespace() {
  char name[64];
  const ssize_t length = readlink("/proc/self/ns/user", name, sizeof name);
  return length < 0 || std::string_view(name, static_cast<std::size_t>(length)) == "user:[4026531837]";
}

}  // namespace

void prepare_mpi_for_containers() {
  if (!in_first_user_namespace()) setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
}

}  // namespace spmv
