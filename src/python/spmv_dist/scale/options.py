"""The options of a study, which the commands scale and jobscript share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Callable

from spmv_dist.scale.launchers import LAUNCHERS
from spmv_dist.tool import parser, printable

_MOST_RANKS = 1 << 20
STANDARD_TIMEOUT = 600.0


def number_between(least: float, most: float, kind: type = float) -> Callable[[str], float]:
    """The type of an option that takes a number, without infinities and NaN."""

    def parse(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = float("nan")
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is no number from {least:g} to {most:g}")
        return number

    return parse


rank_count = number_between(1, _MOST_RANKS, int)


def _ranks(text: str) -> list[int]:
    return [int(rank_count(word)) for word in text.split(",")]


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name] or [""]


def _study_parser(command: str, description: str) -> argparse.ArgumentParser:
    made = parser(f"spmv_dist.{command}", description)
    made.usage = "%(prog)s [OPTION...] [MATRIX] [-- OPTION OF EVERY RUN...]"
    return made


def _declare_study(to: argparse.ArgumentParser) -> None:
    add = to.add_argument_group("matrix").add_argument
    add(
        "words",
        nargs="*",
        metavar="MATRIX",
        help="file with a matrix, unless --generate is given; it may also stand after --",
    )
    add("--generate", default="", metavar="SPEC", help="make it instead; see spmv_dist --list")
    add("--value", default="auto", metavar="TYPE", help="value type (default: auto)")
    add(
        "--weak",
        action="store_true",
        help="weak scaling: {ranks} and {96*ranks} in the matrix are numbers that grow with the ranks",
    )
    _declare_points(to.add_argument_group("study", "comma-separated; see spmv_dist --list"))
    _declare_launch(to.add_argument_group("launch"))
    to.add_argument_group("output").add_argument(
        "--keep-runs",
        default="",
        metavar="FOLDER",
        help="keep there what --json of every run has written, for spmv_dist.report",
    )


def _declare_points(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--ranks",
        type=_ranks,
        default=[],
        help="numbers of ranks (default: powers of two up to the allocation, the GPUs or the cores)",
    )
    add("--mode", type=_names, dest="modes", default=["all"], metavar="MODES", help="default: all")
    for option, name in (
        ("--format", "formats"),
        ("--transport", "transports"),
        ("--partition", "partitions"),
    ):
        metavar = name.upper()
        add(option, type=_names, dest=name, default=["auto"], metavar=metavar, help="default: auto")


def _declare_launch(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    known = ", ".join(row.name for row in LAUNCHERS)
    add(
        "--launcher",
        default="auto",
        metavar="NAME",
        help=f"auto (srun in an allocation of Slurm, else mpirun), {known}",
    )
    add(
        "--launcher-option",
        dest="launcher_options",
        action="append",
        default=[],
        metavar="WORD",
        help="a word for the launcher; may be repeated; they replace the default binding",
    )
    add(
        "--cores-per-rank",
        type=rank_count,
        default=0,
        metavar="N",
        help="of every run (default: cores over the largest number of ranks)",
    )
    add(
        "--ranks-per-node",
        type=rank_count,
        default=0,
        metavar="N",
        help="for srun (default: tasks per node of the allocation)",
    )
    add(
        "--program",
        default="",
        metavar="FILE",
        help="what the runs start (default: spmv_dist beside this package, or in PATH)",
    )


def scale_parser() -> argparse.ArgumentParser:
    to = _study_parser(
        "scale",
        "Strong or weak scaling over ranks, modes, formats, transports and partitioners.\n"
        "Starts the runs itself, and resumes a study that was ended.",
    )
    _declare_study(to)
    seconds = number_between(0, 1e9)
    to.add_argument(
        "--run-limit",
        type=seconds,
        default=0.0,
        metavar="SECONDS",
        help="end a run, and the study with exit code 7, after so long; 0: never (default)",
    )
    to.add_argument(
        "--timeout",
        type=seconds,
        default=STANDARD_TIMEOUT,
        metavar="SECONDS",
        help="end a run, exit code 7, when a step of it makes no progress for so long; 0: never"
        f" (default: {STANDARD_TIMEOUT:g})",
    )
    to.add_argument(
        "--dry-run", action="store_true", help="show what would be run, and run nothing"
    )
    to.add_argument(
        "-o",
        "--results",
        required=True,
        metavar="FILE",
        help="file of the points, a JSON object a line: what it has is not measured again",
    )
    return to


def jobscript_parser(sites: list[str]) -> argparse.ArgumentParser:
    to = _study_parser("jobscript", "Writes a job script for a scaling study.")
    _declare_study(to)
    add = to.add_argument_group("job").add_argument
    add("--site", required=True, metavar="NAME", help=f"batch system: {', '.join(sites)}")
    add(
        "--nodes",
        type=rank_count,
        default=1,
        metavar="N",
        help="nodes of the allocation, as many as the largest run needs (default: 1)",
    )
    add(
        "--gpus-per-node",
        type=number_between(0, 1024, int),
        default=0,
        metavar="N",
        help="GPUs on every node (default: 0); as many ranks, unless --ranks-per-node is given",
    )
    add("--time", default="01:00:00", help="limit, hours:minutes:seconds (default: 01:00:00)")
    add("--name", default="spmv_scaling", help="of the job (default: spmv_scaling)")
    add("--account", default="", help="that the job is charged to")
    add("--queue", default="", help="that the job waits in; Slurm calls it partition")
    add(
        "--module",
        dest="modules",
        action="append",
        default=[],
        metavar="NAME",
        help="environment module to load; may be repeated",
    )
    add(
        "--results",
        default="scaling.jsonl",
        metavar="FILE",
        help="file of the points, a JSON object a line (default: scaling.jsonl)",
    )
    add("-o", "--output", default="", metavar="FILE", help="the script (default: printed)")
    return to


def parse(by: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    """Options with `matrix`, and `run_options` of every run. Raises ToolError(USAGE)."""
    words = list(sys.argv[1:] if argv is None else argv)
    at = words.index("--") if "--" in words else len(words)
    options = by.parse_intermixed_args(words[:at])
    words = options.words + words[at + 1 :]
    options.matrix = words.pop(0) if words and not options.generate else ""
    if not options.matrix and not options.generate:
        by.error("give either a file with a matrix or --generate")
    if words and not words[0].startswith("-"):
        by.error(f"'{printable(words[0])}' is neither the matrix nor an option of the runs")
    options.run_options = words
    return options
