"""Whether a launcher has started this process, and which of several it is."""

from __future__ import annotations

import os

_SIZE_AND_RANK = (
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
)


def _number_in(variable: str) -> int:
    text = os.environ.get(variable, "")
    return int(text) if text.isdecimal() else 0


def rank_among_several() -> int | None:
    """This process's number among those that mpirun or srun has started; None if it is the only one."""
    for size, rank in _SIZE_AND_RANK:
        if _number_in(size) > 1:
            return _number_in(rank)
    return None
