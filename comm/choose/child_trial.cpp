#include "comm/choose/child_trial.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/uninterrupted.hpp"

namespace spmv {
namespace {

bool begins_with_one_of(const std::string& text, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return text.rfind(beginning, 0) == 0; });
}

/// Pointers to the texts and a null after them, as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// What a process is started with, released at the end.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);  // a group of its own: what it starts is ended with it
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

ChildTrial judge(int status) {
  if (WIFSIGNALED(status))
    return {ChildTrial::End::failed, fmt::format("faulted in a trial (signal {})", WTERMSIG(status))};
  const int code = WEXITSTATUS(status);
  if (code == 0) return {};
  if (code == static_cast<int>(ExitCode::wrong_result))
    return {ChildTrial::End::failed, "brought wrong data in a trial"};
  return {ChildTrial::End::unable, fmt::format("could not be tried (exit code {} of the trial)", code)};
}

}  // namespace

bool passes_to_child(const std::string& variable) {
  if (begins_with_one_of(variable, {"OMPI_ALLOW_RUN_AS_ROOT"})) return true;
  if (begins_with_one_of(variable, {"OMPI_MCA_"}))  // the user's settings, but not those of mpirun
    return !begins_with_one_of(variable,
                               {"OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir"});
  return !begins_with_one_of(variable, {"OMPI_", "PMIX_", "PMI_", "PRTE_", "SLURM_", "HYDI_", "HYDRA_",
                                        "MPI_LOCAL", "MPIR_", "PALS_", "FLUX_"});
}

ChildTrial try_in_child(const std::vector<std::string>& command, double limit_s) {
  std::vector<std::string> words = command, variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (passes_to_child(*variable)) variables.emplace_back(*variable);
  const SpawnSettings settings;
  pid_t child = 0;
  const int failure = posix_spawn(&child, words[0].c_str(), settings.files(), settings.attributes(),
                                  pointers(words).data(), pointers(variables).data());
  if (failure != 0)
    return {ChildTrial::End::unable,
            fmt::format("could not be tried: {}: {}", words[0], std::strerror(failure))};

  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
  int status = 0;
  while (std::chrono::steady_clock::now() < end) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return judge(status);
    if (ended < 0 && errno != EINTR)
      return {ChildTrial::End::unable, fmt::format("could not be tried: {}", std::strerror(errno))};
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(-child, SIGKILL);
  uninterrupted([&] { return waitpid(child, &status, 0); });
  return {ChildTrial::End::failed, fmt::format("gave no answer within {:g} s in a trial", limit_s)};
}

}  // namespace spmv
