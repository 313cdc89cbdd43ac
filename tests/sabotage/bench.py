"""Builds a copy of the source, and runs single tests of it under a time limit."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Few threads, because ranks share the cores; root may start ranks in a container.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_PROC_BIND": "false",
    "OMP_WAIT_POLICY": "passive",
}

# What googletest and main_mpi.cpp print when a test fails. The first such line ends the run,
# because the other ranks may wait for the one that failed.
FAILURE = re.compile(rb"^\[  FAILED  \]|: Failure$|^rank \d+, \S+: ", re.MULTILINE)


PYTHON = "spmv_python"  # the extension module


@dataclass(frozen=True)
class Test:
    """Tests of one binary, by a googletest filter, or in Python; ranks = 0: without mpirun."""

    target: str
    pattern: str
    ranks: int = 0

    def __str__(self) -> str:
        where = f" on {self.ranks} rank{'s' if self.ranks > 1 else ''}" if self.ranks else ""
        return f"{self.target}{where} {self.pattern}"


def unit(box: str, pattern: str = "*") -> Test:
    """Tests of tests/unit/BOX."""
    return Test(f"spmv_{box}_tests", pattern)


def mpi(ranks: int, pattern: str) -> Test:
    """Tests of tests/mpi."""
    return Test("spmv_mpi_tests", pattern, ranks)


def program(ranks: int, pattern: str) -> Test:
    """Tests of tests/mpi/program."""
    return Test("spmv_mpi_program_tests", pattern, ranks)


def lib(ranks: int, pattern: str) -> Test:
    """Tests of tests/lib."""
    return Test("spmv_library_tests", pattern, ranks)


def python(ranks: int, words: str) -> Test:
    """Tests of tests/python/library, by an expression of pytest's -k."""
    return Test(PYTHON, words, ranks)


@dataclass
class Outcome:
    """Result of a command: exit code, output, and whether it was ended at its time limit."""

    code: int
    text: str
    late: bool = False

    @property
    def failed(self) -> bool:
        return self.late or self.code != 0


def run(
    command: list[str], limit_s: float, until_failure: bool = False, environment: dict | None = None
) -> Outcome:
    """Runs a command in its own process group. until_failure: ends it when the first test has
    failed."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        end, late, failed = time.monotonic() + limit_s, False, False
        try:
            while process.poll() is None and not late and not failed:
                time.sleep(0.1)
                late = time.monotonic() > end
                failed = (
                    until_failure
                    and FAILURE.search(os.pread(output.fileno(), 1 << 22, 0)) is not None
                )
        finally:
            end_group(process)
        output.seek(0)
        return Outcome(
            1 if failed else process.returncode, output.read().decode(errors="replace"), late
        )


def end_group(process: subprocess.Popen) -> None:
    """Ends a process and its group. mpirun gets time to end its ranks, which are in other groups."""
    for number, patience_s in ((signal.SIGTERM, 10), (signal.SIGKILL, None)):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=patience_s)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


class Bench:
    """A copy of the source, whose files are changed and restored, and its build folder."""

    def __init__(self, source: Path, build: Path, jobs: int, limit_s: float) -> None:
        self.source = source
        self.build_folder = build
        self.jobs = jobs
        self.limit_s = limit_s
        self.mpirun = shutil.which(os.environ.get("MPIEXEC", "mpirun"))
        # Mistaken code must not store choices that the user's runs would read.
        self.environment = {
            **ENVIRONMENT,
            "XDG_CACHE_HOME": str(build / "tests" / "cache"),
            **os.environ,
        }

    def build(self, target: str) -> str:
        """Builds a target; returns the compiler's first errors, empty if it succeeds."""
        command = [
            "cmake",
            "--build",
            str(self.build_folder),
            "-j",
            str(self.jobs),
            "--target",
            target,
        ]
        outcome = run(command, 7200)
        if not outcome.failed:
            return ""
        errors = [line for line in outcome.text.splitlines() if "error" in line][:2]
        return " | ".join(errors or outcome.text.splitlines()[-1:])

    def command(self, test: Test) -> list[str]:
        if test.target == PYTHON:
            script = str(self.source / "tests" / "python" / "library" / "run.py")
            arguments = [self.python(), script, "-k", test.pattern]
        else:
            binary = str(self.build_folder / "bin" / test.target)
            arguments = [binary, f"--gtest_filter={test.pattern}"]
        if not test.ranks:
            return arguments
        if self.mpirun is None:
            raise SystemExit("sabotage.py: mpirun is not in PATH; tests on ranks need it")
        return [self.mpirun, "-np", str(test.ranks), *arguments]

    def python(self) -> str:
        """The one that the extension module was built for."""
        cache = (self.build_folder / "CMakeCache.txt").read_text(encoding="utf-8")
        found = re.search(r"^_?Python_EXECUTABLE:\w+=(.+)$", cache, re.MULTILINE)
        return found.group(1) if found else "python3"

    def run(self, test: Test) -> Outcome:
        """Runs a test. SystemExit if its filter selects no test."""
        # mpirun ends itself and its ranks if this script is killed.
        environment = {**self.environment, "MPIEXEC_TIMEOUT": str(int(self.limit_s) + 30)}
        if test.target == PYTHON:
            folders = (self.source / "src" / "python", self.build_folder / "src/python/bindings")
            environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        outcome = run(self.command(test), self.limit_s, True, environment)
        if "skipped, because this Python lacks" in outcome.text:
            raise SystemExit(f"sabotage.py: {outcome.text.strip()}")
        if re.search(r"Running 0 tests|^\d+ deselected", outcome.text, re.MULTILINE):
            raise SystemExit(f"sabotage.py: {test} selects no test")
        return outcome
