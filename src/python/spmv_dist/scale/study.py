"""Carries a study out: measures what the file of points does not have yet, and prints the table."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from spmv_dist.program import Program, find_program
from spmv_dist.scale.child_run import ChildEnd, ChildRuns
from spmv_dist.scale.launchers import find_launcher, launch_settings
from spmv_dist.scale.options import parse, scale_parser
from spmv_dist.scale.plan import (
    check_study,
    complete_study,
    log_beside,
    plan_study,
    require_own_points,
    run_words,
)
from spmv_dist.scale.point import Json, PlannedRun, Point, point_line, point_of
from spmv_dist.scale.points_file import PointsFile, parse_json
from spmv_dist.scale.table import scaling_table
from spmv_dist.shell import shell_words, valid_utf8
from spmv_dist.tool import ExitCode, ToolError, printable, say, write_stdout

_LAST_LINES = 15
_JOBS = {"slurm_job": "SLURM_JOB_ID", "pbs_job": "PBS_JOBID", "lsf_job": "LSB_JOBID"}


def _read_log(path: str) -> list[str]:
    text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
    return text.rstrip("\n").split("\n")


def _read_run(path: str, planned: PlannedRun) -> Json:
    """What --json of a run has written. Raises ToolError(ENVIRONMENT) where that is not of the run that was asked for."""
    run = parse_json(Path(path).read_bytes()) if os.path.exists(path) else None
    if not isinstance(run, dict) or "modes" not in run or "environment" not in run:
        raise ToolError(
            ExitCode.ENVIRONMENT,
            f"a run of {planned.first.ranks} ranks ended well, but has not written its results to {printable(path)}:"
            " do all nodes see this folder?",
        )
    commit = run["environment"].get("commit", "")
    if commit != planned.first.commit:
        raise ToolError(
            ExitCode.ENVIRONMENT,
            f"the runs are of commit {printable(str(commit))}, and the program said {planned.first.commit}:"
            " leave the program as it is while a study runs",
        )
    return run


def _surroundings(launch: list[str]) -> Json:
    """What a point's environment has beside that of its run."""
    jobs = {
        name: os.environ[variable] for name, variable in _JOBS.items() if variable in os.environ
    }
    return {"launch": valid_utf8(shell_words(launch)), **jobs}


def _keep_run(file: str, folder: str, point: Point) -> None:
    """Copies what --json of a run has written into a folder, under a name that nothing has there."""
    try:
        os.makedirs(folder, exist_ok=True)
        number = 1
        while True:
            name = f"{folder}/{point.format}_{point.partition}_{number:05}_ranks_{point.ranks}.json"
            if not os.path.exists(name):
                break
            number += 1
        # The folder may be on another file system; there whole or not at all: readers take every .json for a run.
        shutil.copyfile(file, f"{name}.part")
        os.rename(f"{name}.part", name)
    except OSError as error:
        raise ToolError(
            ExitCode.ENVIRONMENT,
            f"--keep-runs {printable(folder)}: the run cannot be kept: {error.strerror}",
        ) from error


@contextlib.contextmanager
def _file_beside(points: str, ending: str) -> Iterator[str]:
    """The name of a file beside the points, which is removed at the end."""
    path = points + ending
    _remove(path)
    try:
        yield path
    finally:
        _remove(path)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _remove_leavings(points: str) -> None:
    """Removes what runs of a study have left that was killed."""
    folder, name = os.path.split(points)
    with contextlib.suppress(OSError):
        for file in os.listdir(folder or "."):
            if file.startswith(f"{name}.run.") and file.endswith(".json"):
                _remove(os.path.join(folder, file))


def _ended_by(number: int) -> ToolError:
    text = "the study was ended by a signal; start the same command again, and it goes on from here"
    return ToolError(128 + number, text)


def _failed(run: PlannedRun, end: ChildEnd, log: str) -> ToolError:
    code = ExitCode.TIMEOUT if end.over_time else end.code
    limit = ", after the time that --run-limit gives it" if end.over_time else ""
    point = run.first
    return ToolError(
        code,
        f"{printable(point.matrix)} on {point.ranks} ranks, format {point.format}, ended with exit"
        f" code {int(code)}{limit} (its last lines are above, all of them in {printable(log)}). Fix that"
        " and start the same command again; it goes on from here.",
    )


class _Study:
    def __init__(self, options: Any, program: Program, file: PointsFile):
        self._options = options
        self._program = program
        self._file = file
        self._plan = plan_study(options, program)
        self._launcher = find_launcher(options.launcher)
        self._settings = launch_settings(
            options, self._launcher, max(options.ranks), program.is_open_mpi
        )

    def make(self, children: ChildRuns) -> None:
        """Makes what is missing, the most ranks first, so that what fails does so early."""
        for run in self._plan:
            name = f"{run.first.ranks} ranks, {run.first.format}, {run.first.partition}"
            missing = PlannedRun([point for point in run.points if not self._file.has(point)])
            if not missing.points:
                say(f"== {name}: there already")
                continue
            launch = self._launcher.words(run.first.ranks, self._settings)
            say(f"== {name}, modes {','.join(missing.modes())}: {shell_words(launch)}")
            if self._options.dry_run:
                say(shell_words(self._words(launch, missing, "FILE")))
            else:
                self._file.append(self._measure(missing, launch, children))

    def points(self) -> list[Json]:
        """Those of this study, in the file's order."""
        mine = {point for run in self._plan for point in run.points}
        return [line for line in self._file.lines if point_of(line, self._file.path) in mine]

    def _words(self, launch: list[str], run: PlannedRun, json_file: str) -> list[str]:
        return [
            *launch,
            self._program.path,
            *run_words(self._options, self._program, run),
            f"--json={json_file}",
        ]

    def _measure(self, run: PlannedRun, launch: list[str], children: ChildRuns) -> list[Json]:
        """The lines of the run's points."""
        log = log_beside(self._file.path)
        # By the number of this process: what a study that was killed has started may still be writing.
        with _file_beside(self._file.path, f".run.{os.getpid()}.json") as result:
            end = children.run(self._words(launch, run, result), log, self._options.run_limit)
            if children.ended_by:
                _remove(log)
                raise _ended_by(children.ended_by)
            lines = _read_log(log)
            if end.code != 0 or end.over_time:
                say("\n".join(lines[-_LAST_LINES:]))
                raise _failed(run, end, log)
            _remove(log)
            for line in lines:
                if line.startswith("warning"):
                    say(line)
            found = _read_run(result, run)
            # Before the points: a study that is killed between the two makes the run once more, and another file.
            if self._options.keep_runs:
                _keep_run(result, self._options.keep_runs, run.first)
        surroundings = _surroundings(launch)
        return [point_line(point, found, surroundings) for point in run.points]


def scale(argv: Sequence[str] | None = None) -> int:
    """Measures every point of the study that the file of points does not have yet, one run after the other, each in
    processes of its own, and prints the table.

    Raises ToolError: USAGE for options that contradict each other, INPUT and ENVIRONMENT as PointsFile, and with the exit
    code of a run that fails.
    """
    options = parse(scale_parser(), argv)
    program = Program(options.program or find_program())
    check_study(options, program)
    complete_study(options, program)
    require_own_points(options, program, options.ranks)
    with contextlib.closing(PointsFile(options.results)) as file:
        if file.was_torn:
            say(
                f"note: the last line of {options.results} was torn, as a study that is killed leaves it:"
                " it is cut off, and its point measured again"
            )
        _remove_leavings(options.results)
        study = _Study(options, program, file)
        children = ChildRuns()
        with children.passing_on_signals():
            study.make(children)
        if children.ended_by:
            raise _ended_by(children.ended_by)
        say(f"points: {options.results}")
        write_stdout(scaling_table(study.points()))
    return ExitCode.OK
