"""Writes a script that a batch system takes, and that carries a scaling study out.

A batch system is a template in sites/ and a row of SITES. In a template $name is a value of the job; a part in
{{braces}}, and else a line, that has an empty value is left out.
"""

from __future__ import annotations

import dataclasses
import os
import re
import string
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spmv_dist.program import Program, find_program, unknown
from spmv_dist.scale.options import jobscript_parser, parse
from spmv_dist.scale.plan import check_study, require_own_points
from spmv_dist.shell import shell_word, shell_words
from spmv_dist.tool import ExitCode, Output, ToolError, printable, run, write_stdout


@dataclasses.dataclass(frozen=True)
class Site:
    """Row of the table: a batch system, with its template sites/NAME.job."""

    name: str
    launcher: str  # of the runs
    binds: bool = True  # whether mpirun has to be told which nodes and cores ranks get


# Slurm is asked for GPUs per node and never per task, which would hide each rank's GPU from its neighbours. A minute
# before the time is over it sends the script a signal, so that the run under way writes what it has.
SITES = (
    Site("slurm", "srun", binds=False),
    Site("pbs", "mpirun"),
    Site("lsf", "mpirun"),
    Site("local", "mpirun", binds=False),
)

_USUAL_CORES_PER_RANK = 2
_TIME = re.compile("([0-9]+):([0-5]?[0-9]):([0-5]?[0-9])", re.ASCII)
_OTHERS = "._+:@,=/-"
_PLAIN = re.compile(f"(?!-)[a-zA-Z0-9{re.escape(_OTHERS)}]*", re.ASCII)
_ABOUT = """\
# One allocation of the largest size; the runs of the study are started in it one after the other, the largest first.
# The first that fails ends the job with its exit code. Submitted again, the job measures the points that are missing.
"""


def _plain(option: str, text: str) -> str:
    """A text that stands in a line for the batch system: none of them reads quotes as another does."""
    if not _PLAIN.fullmatch(text):
        raise ToolError(
            ExitCode.USAGE,
            f"{option} {printable(text)}: a batch system takes letters, digits and {_OTHERS} here,"
            " and no dash at the beginning",
        )
    return text


def _parts_of_time(text: str) -> tuple[str, ...]:
    found = _TIME.fullmatch(text)
    parts = tuple(f"{int(part):02}" for part in found.groups()) if found else ()
    if not any(int(part) for part in parts):
        raise ToolError(
            ExitCode.USAGE,
            f"--time {printable(text)}: give hours:minutes:seconds, such as 01:30:00",
        )
    return parts


def _request(options: Any) -> dict[str, Any]:
    """What the script asks its batch system for: one allocation, as large as the largest run."""
    hours, minutes, seconds = _parts_of_time(options.time)
    if not options.name:
        raise ToolError(ExitCode.USAGE, "--name: a job has a name")
    per_node = options.ranks_per_node or max(1, options.gpus_per_node)
    cores = options.cores_per_rank or _USUAL_CORES_PER_RANK
    return {
        "name": _plain("--name", options.name),
        "account": _plain("--account", options.account),
        "queue": _plain("--queue", options.queue),
        "hours": hours,
        "minutes": minutes,
        "seconds": seconds,
        "nodes": options.nodes,
        "ranks": options.nodes * per_node,
        "ranks_per_node": per_node,
        "cores_per_rank": cores,
        "cores_per_node": per_node * cores,
        "gpus_per_node": options.gpus_per_node or "",
    }


def _ranks(options: Any, most: int) -> list[int]:
    """The numbers of ranks that were asked for, or powers of two and all ranks of the allocation."""
    usual = [1 << power for power in range((most - 1).bit_length())] + [most]
    ranks = sorted(options.ranks or usual, reverse=True)
    if ranks[0] > most:
        raise ToolError(
            ExitCode.USAGE,
            f"--ranks {ranks[0]}: {options.nodes} nodes with {most // options.nodes} ranks each have room"
            f" for {most}: ask for more --nodes, or --ranks-per-node",
        )
    return ranks


def _launcher_options(
    options: Any, program: Program, site: Site, request: dict[str, Any]
) -> list[str]:
    if options.launcher_options or not site.binds or not program.is_open_mpi:
        return options.launcher_options
    place = f"ppr:{request['ranks_per_node']}:node:PE={request['cores_per_rank']}"
    return ["--map-by", place, "--bind-to", "core"]


def _study_words(options: Any, program: Program, site: Site, request: dict[str, Any]) -> list[str]:
    """The words of the command scale that this study comes to."""
    lists = {
        "ranks": [str(ranks) for ranks in _ranks(options, request["ranks"])],
        "mode": options.modes,
        "format": options.formats,
        "transport": options.transports,
        "partition": options.partitions,
    }
    texts = {
        "generate": options.generate,
        "value": "" if options.value == "auto" else options.value,
        "keep-runs": options.keep_runs,
    }
    launcher_options = _launcher_options(options, program, site, request)
    return [
        *(f"--{name}={','.join(names)}" for name, names in lists.items()),
        *(f"--{name}={text}" for name, text in texts.items() if text),
        *(["--weak"] if options.weak else []),
        f"--launcher={site.launcher}",
        f"--ranks-per-node={request['ranks_per_node']}",
        f"--cores-per-rank={request['cores_per_rank']}",
        *(f"--launcher-option={word}" for word in launcher_options),
        f"--program={program.path}",
        f"--results={options.results}",
        "--",
        *([options.matrix] if options.matrix else []),
        *options.run_options,
    ]


def _load_modules(modules: list[str]) -> str:
    if not modules:
        return ""
    loads = [f"module load {shell_word(_plain('--module', module))}" for module in modules]
    return "\n".join(["type module >/dev/null 2>&1 || . /etc/profile", *loads])


def _folder_of(results: str) -> str:
    folder = os.path.dirname(results)
    return f"mkdir -p -- {shell_word(folder)}" if folder else ""


def _python_path() -> tuple[str, str]:
    """A comment on where the script finds this package, and the line for it; empty where it is installed."""
    folder = Path(__file__).resolve().parents[1]
    if folder == Path(sysconfig.get_path("purelib")).resolve():
        return "# The package spmv_dist is installed in this Python.\n", ""
    if ":" in str(folder):
        raise ToolError(
            ExitCode.ENVIRONMENT,
            f"{printable(str(folder))}: PYTHONPATH takes no folder with a colon: install the package",
        )
    return (
        "# PYTHONPATH names the folder of the package spmv_dist.\n",
        f"export PYTHONPATH={shell_word(str(folder))}",
    )


def _filled(template: str, values: dict[str, Any]) -> str:
    def is_full(text: str) -> bool:
        names = re.findall(r"(?<!\$)\$([a-z_]+)", text)
        return all(values[name] != "" for name in names)

    def fill_part(match: re.Match[str]) -> str:
        return match.group(1) if is_full(match.group(1)) else ""

    parts = re.sub(r"\{\{(.*?)\}\}", fill_part, template)
    lines = [line for line in parts.splitlines(keepends=True) if is_full(line)]
    return string.Template("".join(lines)).substitute(values)


def _site(name: str) -> Site:
    for site in SITES:
        if site.name == name:
            return site
    raise ToolError(ExitCode.USAGE, unknown("site", name, [site.name for site in SITES]))


def job_script(options: Any, program: Program) -> str:
    """The script. One allocation as large as the largest run, in which the command scale starts the runs, the largest
    first; its exit code is the job's. Whatever is in a name is a word for the shell, on one line, and for the batch
    system only what needs no quoting. Raises ToolError(USAGE) for other texts that the batch system would read, and
    where the ranks do not fit the nodes."""
    site = _site(options.site)
    request = _request(options)
    words = [
        sys.executable or "python3",
        "-m",
        "spmv_dist.scale",
        *_study_words(options, program, site, request),
    ]
    where, python_path = _python_path()
    template = Path(__file__).with_name("sites") / f"{site.name}.job"
    return _filled(
        template.read_text(encoding="utf-8"),
        {
            **request,
            "about": (_ABOUT + where).rstrip(),
            "modules": _load_modules(options.modules),
            "folder": _folder_of(options.results),
            "python_path": python_path,
            "study": f"exec {shell_words(words)}",
        },
    )


def main(argv: Sequence[str] | None = None) -> int:
    options = parse(jobscript_parser([site.name for site in SITES]), argv)
    program = Program(options.program or find_program())
    check_study(options, program)
    text = job_script(options, program).encode("utf-8", "surrogateescape")
    ranks = _ranks(options, _request(options)["ranks"])
    output = Output("-o", options.output, require_own_points(options, program, ranks))
    if options.output:
        output.write(text)
    else:
        write_stdout(text)
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run("spmv_dist.jobscript", main))
