"""Starts the Python tools as a user does; SPMV_PROGRAM and SPMV_MPIRUN name program and launcher."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spmv_dist.tool import run

PROGRAM = os.environ.get("SPMV_PROGRAM", "")
AT_MOST_S = 900  # nothing takes that long, even on a busy machine
FEW = ["--backend=host", "--warmup=0", "--min-repetitions=6", "--max-repetitions=6"]
# Characters that a shell, terminal or batch system would interpret, and bytes that are not UTF-8.
HOSTILE = os.fsdecode(
    b"-a b'\"$(touch oops)`touch oops`#\n#SBATCH --nodes=9\n\x1b[31m<script>&=cmd()\xc3\xa9\xff\\;*.mtx"
)


class Ended:
    """How a process ended."""

    def __init__(self, code: int, out: bytes, err: bytes):
        self.code = code
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")


def runs_on(pid: int) -> bool:
    """Whether the process has not ended; zombies have."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def points(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def call(main: Any, module: str, folder: Path, words: Sequence[str]) -> Ended:
    """Runs a tool in a fork of this process, which has its packages loaded already."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        return _call(main, module, folder, words, out, err)


def _call(main: Any, module: str, folder: Path, words: Sequence[str], out: Any, err: Any) -> Ended:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        code: Any = 99
        try:
            code = run(module, main, list(words))
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.stdout and sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    out.seek(0)
    err.seek(0)
    return Ended(os.waitstatus_to_exitcode(status), out.read(), err.read())


class ToolTest(unittest.TestCase):
    """Every test has its own folder, in which its processes run."""

    def setUp(self) -> None:
        if not PROGRAM:
            self.skipTest("SPMV_PROGRAM does not name the program")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        mpirun = os.path.dirname(os.environ.get("SPMV_MPIRUN", ""))
        self.environment = {**os.environ, "PATH": f"{mpirun}:{os.environ['PATH']}"}

    def start(self, tool: str, *words: str, **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"spmv_dist.{tool}", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )

    def end_of(self, process: subprocess.Popen[bytes]) -> Ended:
        out, err = process.communicate(timeout=AT_MOST_S)
        return Ended(process.returncode, out, err)

    def tool(self, code: int, tool: str, *words: str) -> Ended:
        """Starts a tool and checks its exit code."""
        ended = self.end_of(self.start(tool, *words))
        self.assertEqual(ended.code, code, f"{words}: {ended.err}")
        return ended

    def refuses(self, code: int, says: list[str], tool: str, *words: str) -> None:
        """The tool must end with this code and exactly one message, which contains all of these
        texts."""
        err = self.tool(code, tool, *words).err
        messages = [line for line in err.splitlines() if f"spmv_dist.{tool}: " in line]
        self.assertEqual(len(messages), 1, err)
        for text in says:
            self.assertIn(text, messages[0])

    def script(self, name: str, text: str) -> str:
        """Writes an executable bash script to the folder; returns its path."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{text}")
        path.chmod(0o755)
        return str(path)

    def stand_in(self, name: str, instead: str) -> str:
        """A program that answers --list and --version like the real one, and otherwise runs `instead`."""
        asked = f'case ${{1:-}} in --list | --version) exec {shlex.quote(PROGRAM)} "$@" ;; esac\n'
        return self.script(name, asked + instead)

    def of_program(self, *words: str, ranks: int = 1) -> Ended:
        """How the program ends."""
        launcher = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
        ended = subprocess.run(
            [*launcher, PROGRAM, *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=AT_MOST_S,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def program(self, ranks: int, *words: str) -> None:
        """Runs the program, which must succeed."""
        ended = self.of_program(*words, ranks=ranks)
        self.assertEqual(ended.code, 0, f"{words}: {ended.err}")

    def wait_for_end(self, pid: int) -> None:
        until = time.monotonic() + AT_MOST_S
        while runs_on(pid):
            self.assertLess(time.monotonic(), until, "a process is left behind")
            time.sleep(0.1)

    def wait_for(self, condition: Any, process: subprocess.Popen[bytes]) -> None:
        """Waits until the condition holds or the process ends."""
        while not condition() and process.poll() is None:
            time.sleep(0.05)
        self.assertTrue(condition(), "the process has ended too early")
