"""The program spmv_dist: where it is, and what it says of itself."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

from spmv_dist.tool import ExitCode, ToolError, printable

# Beside this package: PREFIX/share/spmv_dist/python/spmv_dist as installed, src/python/spmv_dist in the repository.
_BESIDE = ("../../../../bin/spmv_dist", "../../../build/bin/spmv_dist")
_ANSWERS_WITHIN_S = 300


def find_program() -> str:
    """The program beside this package, or else the one in PATH. Raises ToolError(ENVIRONMENT) where there is none."""
    package = Path(__file__).resolve().parent
    for place in _BESIDE:
        found = shutil.which((package / place).resolve())
        if found:
            return str(found)
    found = shutil.which("spmv_dist")
    if found:
        return found
    raise ToolError(
        ExitCode.ENVIRONMENT,
        "there is no spmv_dist in PATH, nor beside this package: name the program with --program",
    )


class Program:
    """What a program knows. It is asked when something is wanted, in one process, without MPI."""

    def __init__(self, path: str):
        self.path = path

    @functools.cached_property
    def commit(self) -> str:
        return self._version("spmv_dist .*, commit")

    @functools.cached_property
    def is_open_mpi(self) -> bool:
        """Whether it is linked to Open MPI, whose mpirun takes words for the binding."""
        return self._version("MPI").startswith("Open MPI")

    def names(self, table: str) -> list[str]:
        """The names in a table of `spmv_dist --list`, in its order."""
        names = re.search(rf"^{table}\n((?: .*\n)*)", self._list, re.MULTILINE)
        if not names:
            raise self._strange("--list")
        return re.findall(r"^  ([^ \n]+)", names.group(1), re.MULTILINE)

    def check(self, table: str, what: str, names: list[str]) -> None:
        """Raises ToolError(USAGE) for a name that is not in the table."""
        known = self.names(table)
        for name in names:
            if name not in known:
                raise ToolError(ExitCode.USAGE, unknown(what, name, known))

    @functools.cached_property
    def _list(self) -> str:
        return self._answer("--list")

    @functools.cached_property
    def _version_text(self) -> str:
        return self._answer("--version")

    def _version(self, of: str) -> str:
        found = re.search(rf"^{of} +(.*)$", self._version_text, re.MULTILINE)
        if not found:
            raise self._strange("--version")
        return found.group(1)

    def _answer(self, option: str) -> str:
        try:
            answer = subprocess.run(
                [self.path, option],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ANSWERS_WITHIN_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolError(
                ExitCode.ENVIRONMENT,
                f"{printable(self.path)} cannot be asked for {option}: {error}: name the program with --program",
            ) from error
        if answer.returncode != 0:
            raise self._strange(option)
        return answer.stdout.decode("utf-8", "replace")

    def _strange(self, option: str) -> ToolError:
        return ToolError(
            ExitCode.ENVIRONMENT,
            f"{printable(self.path)} {option} does not answer as spmv_dist does: name the program with --program",
        )


def unknown(what: str, name: str, known: list[str]) -> str:
    return f"unknown {what} '{printable(name)}'; known are: {', '.join(known)}"
