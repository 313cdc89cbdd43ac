"""What a study measures, decided before anything is run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from spmv_dist.program import Program
from spmv_dist.scale.launchers import find_launcher, usual_ranks
from spmv_dist.scale.options import STANDARD_TIMEOUT
from spmv_dist.scale.point import PlannedRun, Point, with_ranks
from spmv_dist.shell import shell_words, valid_utf8
from spmv_dist.tool import ExitCode, NamedFile, ToolError, require_apart

# What every run gets from the study, and may not be given after -- once more.
_SET_BY_STUDY = (
    "--mode",
    "--format",
    "--partition",
    "--transport",
    "--json",
    "--value",
    "--timeout",
    "--generate",
)


def check_study(options: Any, program: Program) -> None:
    """Raises ToolError(USAGE) for names that the program does not know and for options that contradict each other."""
    _check_run_options(options.run_options)
    if options.weak and with_ranks(_matrix_of(options), 1) == _matrix_of(options):
        raise ToolError(
            ExitCode.USAGE,
            "--weak: the matrix has to grow with the ranks: put {ranks} or a multiple of it into its name,"
            " such as stencil27:96,96,{96*ranks}",
        )
    program.check("modes", "mode", options.modes)
    program.check("formats", "format", options.formats)
    program.check("partitioners", "partitioner", options.partitions)
    program.check("transports", "transport", options.transports)
    program.check("value types", "value type", [options.value])


def _check_run_options(words: list[str]) -> None:
    for word in words:
        name = word.partition("=")[0]
        if name in _SET_BY_STUDY:
            raise ToolError(
                ExitCode.USAGE, f"{name} belongs before --: the study sets it for every run"
            )


def complete_study(options: Any, program: Program) -> None:
    """Expands what stands for several and fills in, by what there is here, the ranks. Raises ToolError as find_launcher()."""
    if "all" in options.modes:
        options.modes = _all(program, "modes")
    if "all" in options.transports:
        options.transports = _all(program, "transports")
    ranks = options.ranks or usual_ranks(options, find_launcher(options.launcher))
    options.ranks = sorted(set(ranks), reverse=True)
    for name in ("modes", "transports", "formats", "partitions"):
        setattr(options, name, list(dict.fromkeys(getattr(options, name))))


def require_own_points(options: Any, program: Program, ranks: Sequence[int]) -> list[NamedFile]:
    """Raises ToolError(USAGE) where the study would write over a file that it, or one of its runs on so many ranks, reads
    or writes; returns all of these files."""
    matrices = [] if options.generate else sorted({_matrix_on(options, n) for n in ranks})
    others = [("the matrix", matrix) for matrix in matrices]
    others.append(("--program", shutil.which(program.path) or program.path))
    for word in options.run_options:
        name, _, value = word.partition("=")
        others.append((name, value) if value else ("the runs'", word))
    mine = [("--results", options.results), ("the runs' log", log_beside(options.results))]
    for file in mine:
        require_apart(file, others)
    return others + mine


def log_beside(points: str) -> str:
    """The file of what the run under way prints."""
    return f"{points}.log"


def _all(program: Program, table: str) -> list[str]:
    return [name for name in program.names(table) if name != "all"]


def _matrix_of(options: Any) -> str:
    """The matrix as the user has named it."""
    return options.generate or options.matrix


def _matrix_on(options: Any, ranks: int) -> str:
    return with_ranks(_matrix_of(options), ranks) if options.weak else _matrix_of(options)


def plan_study(options: Any, program: Program) -> list[PlannedRun]:
    """Every run of the study: one for each number of ranks, the largest first, each partition and each format.

    Modes and transports are measured in one run. `options`: completed.
    """
    return [
        PlannedRun(_points(options, program, ranks, partition, format_))
        for ranks in options.ranks
        for partition in options.partitions
        for format_ in options.formats
    ]


def _points(
    options: Any, program: Program, ranks: int, partition: str, format_: str
) -> list[Point]:
    # As a file has it, which is UTF-8: a point must be found there again.
    matrix = valid_utf8(_matrix_on(options, ranks))
    words = valid_utf8(shell_words(_value(options) + options.run_options))
    grows_as = valid_utf8(_matrix_of(options)) if options.weak else ""
    return [
        Point(matrix, partition, format_, transport, mode, words, program.commit, ranks, grows_as)
        for mode in options.modes
        for transport in options.transports
    ]


def _value(options: Any) -> list[str]:
    return [] if options.value == "auto" else [f"--value={options.value}"]


def run_words(options: Any, program: Program, run: PlannedRun) -> list[str]:
    """The words of a run after the program's name."""
    matrix = _matrix_on(options, run.first.ranks)
    if options.generate:
        matrix = f"--generate={matrix}"
    elif (
        matrix.startswith("-") or matrix == ":"
    ):  # neither an option nor a sign for mpirun and srun
        matrix = f"./{matrix}"
    # All of them as one word: what cannot be here is left out then, and does not end the run.
    modes = "all" if run.modes() == _all(program, "modes") else ",".join(run.modes())
    return [
        matrix,
        f"--mode={modes}",
        f"--format={run.first.format}",
        f"--partition={run.first.partition}",
        f"--transport={','.join(run.transports())}",
        *_value(options),
        *([] if options.timeout == STANDARD_TIMEOUT else [f"--timeout={options.timeout:.17g}"]),
        *options.run_options,
    ]
