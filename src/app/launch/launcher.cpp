#include "app/launch/launcher.hpp"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "core/number.hpp"

namespace spmv {
namespace {

struct TasksTold {
  int count = 1;
  const char* variable = "";  // that tells it
};

/// 0 where the variable is not set or is no number.
int number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? number_in<int>(text).value_or(0) : 0;
}

TasksTold tasks_told() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const int tasks = number_of(name); tasks > 1) return {tasks, name};
  return {};
}

}  // namespace

const Launcher& find_launcher() {
  // mpirun and mpiexec keep the variables of a Slurm job that they run in, so srun comes after them.
  static const std::vector<Launcher> table = {
      {"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun --bind-to none",
       "mpirun --map-by slot:PE=2"},
      {"mpiexec of MPICH", "MPI_LOCALNRANKS", "PMI_RANK", "mpiexec -bind-to none", "mpiexec -bind-to core:2"},
      {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun --cpu-bind=none",
       "srun --cpus-per-task=2 --cpu-bind=cores"},
      {"no launcher", "", "", "taskset -c 0-N", "taskset -c 0-N"},
  };
  for (const Launcher& launcher : table)
    if (std::getenv(launcher.variable) != nullptr) return launcher;
  return table.back();
}

int launched_rank() {
  return number_of(find_launcher().rank_variable);
}

int launched_ranks() {
  return tasks_told().count;
}

std::string why_singleton(const Communicator& communicator) {
  if (communicator.size() > 1) return {};
  const TasksTold told = tasks_told();
  if (told.count == 1) return {};
  return fmt::format(
      "the launcher started {} tasks ({}) but MPI sees 1: use the mpirun of the MPI this "
      "program was built with ({}), or srun --mpi=pmix",
      told.count, told.variable, MpiSession::library());
}

}  // namespace spmv
