#include "comm/mpi_in_containers.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spmv::test {
namespace {

constexpr const char* variable = "OMPI_MCA_btl_vader_single_copy_mechanism";
constexpr int no_namespace = 77;

/// The variable's value after the call in a child process; "" if unset, "skipped" if namespaces are not
/// allowed.
std::string variable_in_child(bool own_namespace, const char* set_before) {
  const pid_t child = fork();
  if (child == 0) {
    unsetenv(variable);
    if (set_before != nullptr) setenv(variable, set_before, 1);
    if (own_namespace && unshare(CLONE_NEWUSER) != 0) _exit(no_namespace);
    prepare_mpi_for_containers();
    const char* now = std::getenv(variable);
    const std::string value = now == nullptr ? "" : now;
    _exit(value.empty() ? 0 : value == "none" ? 1 : 2);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return "no child";
  const int code = WEXITSTATUS(status);
  return code == no_namespace ? "skipped" : code == 0 ? "" : code == 1 ? "none" : "another";
}

TEST(MpiInContainers, IsToldNotToTryWhatFailsThere) {
  const std::string told = variable_in_child(true, nullptr);
  if (told == "skipped") GTEST_SKIP() << "this machine allows no user namespace";
  EXPECT_EQ(told, "none");
  EXPECT_EQ(variable_in_child(true, "emulated"), "another") << "the user's setting must stay";
  EXPECT_EQ(variable_in_child(false, "emulated"), "another");
}

}  // namespace
}  // namespace spmv::test
