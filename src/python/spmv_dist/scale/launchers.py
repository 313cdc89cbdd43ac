"""How the runs of a study are started. LAUNCHERS has a row for each launcher."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from pathlib import Path
from typing import Any, Callable

from spmv_dist.tool import ExitCode, ToolError


@dataclasses.dataclass(frozen=True)
class LaunchSettings:
    """What is the same for all runs of a study."""

    cores_per_rank: int  # 0: ranks share cores
    ranks_per_node: int  # where the launcher wants to know
    options: list[str]  # the user's, in the place of the binding
    takes_open_mpi_words: bool  # whether mpirun is Open MPI's


@dataclasses.dataclass(frozen=True)
class Launcher:
    """Row of the table."""

    name: str
    words: Callable[
        [int, LaunchSettings], list[str]
    ]  # those before the program's, for so many ranks
    why_unusable: Callable[[], str]  # empty, or why it cannot be used here and what to do


def _variable(name: str) -> str:
    return os.environ.get(name, "")


def _number_in(name: str) -> int:
    """The number that a variable of a batch system begins with, such as 4 of "4(x2)"; 0: it has none."""
    found = re.match("[0-9]+", _variable(name), re.ASCII)
    return int(found.group()) if found else 0


def _in_batch_job() -> bool:
    return any(_variable(name) for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"))


def _usable_cores() -> int:
    """Cores that this process may use, threads of one core counted once."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        try:
            cores.add(
                Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
            )
        except OSError:
            cores.add(str(cpu))
    return len(cores)


def _gpus_of_node() -> int:
    """GPUs of this node, as NVIDIA's driver lists them."""
    try:
        return len(os.listdir("/proc/driver/nvidia/gpus"))
    except OSError:
        return 0


def _mpirun_words(ranks: int, settings: LaunchSettings) -> list[str]:
    words = ["mpirun", "-np", str(ranks), *settings.options]
    # A batch system has dealt out the cores; another MPI library's mpirun has other words for it, and other defaults.
    own_binding = not settings.options and settings.cores_per_rank >= 1 and not _in_batch_job()
    if own_binding and settings.takes_open_mpi_words:
        words += ["--map-by", f"slot:PE={settings.cores_per_rank}", "--bind-to", "core"]
    return words


def _srun_words(ranks: int, settings: LaunchSettings) -> list[str]:
    # All GPUs of a node stay visible to all its ranks: the program shares them out, and peers can map each other's
    # memory, which --gpus-per-task would prevent. After an error that all ranks agree on they leave one after the
    # other: none is killed for ten seconds, so that the step's exit code is theirs.
    per_node = settings.ranks_per_node
    return [
        "srun",
        f"--mpi={_variable('SPMV_SRUN_MPI') or 'pmix'}",
        "--kill-on-bad-exit=0",
        "--wait=10",
        f"--ntasks={ranks}",
        f"--nodes={(ranks + per_node - 1) // per_node}",
        f"--ntasks-per-node={per_node}",
        f"--cpus-per-task={max(1, settings.cores_per_rank)}",
        *(settings.options or ["--cpu-bind=cores", "--distribution=block:block"]),
    ]


def _why_no_mpirun() -> str:
    if shutil.which("mpirun"):
        return ""
    return "mpirun is not in PATH: install or load an MPI, or choose --launcher"


def _why_no_srun() -> str:
    if not shutil.which("srun"):
        return "srun is not in PATH: choose --launcher mpirun"
    if not _variable("SLURM_JOB_NUM_NODES"):
        return "--launcher srun works inside an allocation: submit what spmv_dist.jobscript --site slurm writes"
    return ""


LAUNCHERS = (
    Launcher("mpirun", _mpirun_words, _why_no_mpirun),
    Launcher("srun", _srun_words, _why_no_srun),
)


def find_launcher(name: str) -> Launcher:
    """The launcher of this name; auto: srun in a Slurm allocation, else mpirun.

    Raises ToolError(USAGE) for an unknown name, ToolError(ENVIRONMENT) for a launcher that cannot be used here.
    """
    if name == "auto":
        name = "mpirun" if _why_no_srun() else "srun"
    for launcher in LAUNCHERS:
        if launcher.name == name:
            reason = launcher.why_unusable()
            if reason:
                raise ToolError(ExitCode.ENVIRONMENT, reason)
            return launcher
    known = ", ".join(launcher.name for launcher in LAUNCHERS)
    raise ToolError(ExitCode.USAGE, f"unknown launcher '{name}'; known are: {known}")


def launch_settings(
    options: Any, launcher: Launcher, largest: int, is_open_mpi: bool
) -> LaunchSettings:
    """What is the same for all runs, with defaults from the allocation and this machine; `largest`: number of ranks."""
    allocated = launcher.name == "srun"
    per_node = options.ranks_per_node or max(
        1, _number_in("SLURM_NTASKS_PER_NODE") if allocated else largest
    )
    cores = options.cores_per_rank
    if not cores and allocated:
        cores = _number_in("SLURM_CPUS_PER_TASK") or _number_in("SLURM_CPUS_ON_NODE") // per_node
    elif not cores:
        cores = _usable_cores() // min(largest, per_node)
    return LaunchSettings(cores, per_node, options.launcher_options, is_open_mpi)


def usual_ranks(options: Any, launcher: Launcher) -> list[int]:
    """Powers of two up to the ranks of the allocation, or of this node's GPUs, or its cores."""
    most = _gpus_of_node() or _usable_cores()
    if launcher.name == "srun":
        per_node = options.ranks_per_node or max(1, _number_in("SLURM_NTASKS_PER_NODE"))
        most = max(1, _number_in("SLURM_JOB_NUM_NODES")) * per_node
    return [1 << power for power in range(most.bit_length())]
