"""A run in a process of its own, that ends with this one."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import signal
import subprocess
import time
from collections.abc import Iterator

from spmv_dist.tool import ExitCode, ToolError, printable

_END_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_GRACE_S = 10.0
_LOOKS_EVERY_S = 0.02
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


@dataclasses.dataclass(frozen=True)
class ChildEnd:
    """How a run ended."""

    code: int  # as a shell has it: 128 and the signal's number where a signal has ended it
    over_time: bool  # it took longer than its limit, and was ended


def _become_child(parent: int) -> None:
    """Between fork and exec."""
    os.setpgid(
        0, 0
    )  # a group of its own: what it starts is ended with it, and Ctrl-C is passed on once
    for number in _END_SIGNALS:
        signal.signal(number, signal.SIG_DFL)  # also where this process was started to ignore it
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)  # also where this process is killed
    if os.getppid() != parent:
        os._exit(127)


class ChildRuns:
    """Runs, one after the other. A signal that is passed on ends the run under way and every later one."""

    def __init__(self) -> None:
        self.ended_by = 0  # the signal's number; 0: none

    @contextlib.contextmanager
    def passing_on_signals(self) -> Iterator[None]:
        """Meanwhile SIGTERM and SIGINT end the runs. One that this process was started to ignore is ignored."""
        before = {number: signal.getsignal(number) for number in _END_SIGNALS}
        heard = [number for number in _END_SIGNALS if before[number] is not signal.SIG_IGN]
        for number in heard:
            signal.signal(number, self._note)
        try:
            yield
        finally:
            for number in heard:
                signal.signal(number, before[number])

    def run(self, words: list[str], log: str, limit_s: float) -> ChildEnd:
        """Starts `words`, without a shell, its output and errors going to a new file `log`, and waits for its end.

        It gets SIGTERM after `limit_s` seconds (0: never) and when this process dies, by whatever cause, and SIGKILL
        where it takes no notice for ten seconds. Raises ToolError(ENVIRONMENT) where it cannot be started.
        """
        with contextlib.suppress(FileNotFoundError):
            os.unlink(log)  # one that is left belongs to a run that may still be ending
        output = _new_file(log)
        try:
            child = _start(words, output)
        finally:
            os.close(output)
        return self._wait(child, limit_s)

    def _note(self, number: int, _frame: object) -> None:
        self.ended_by = number

    def _wait(self, child: subprocess.Popen[bytes], limit_s: float) -> ChildEnd:
        limit = time.monotonic() + limit_s if limit_s > 0 else float("inf")
        kill_at = float("inf")
        passed_on = over_time = False
        while child.poll() is None:
            now = time.monotonic()
            if self.ended_by and not passed_on:
                passed_on = True
                _send(child, self.ended_by)
                kill_at = now + _GRACE_S
            if now > limit and not over_time:
                over_time = True
                _send(child, signal.SIGTERM)
                kill_at = min(kill_at, now + _GRACE_S)
            if now > kill_at:
                kill_at = float("inf")
                _send(child, signal.SIGKILL)
            time.sleep(_LOOKS_EVERY_S)
        return ChildEnd(
            child.returncode if child.returncode >= 0 else 128 - child.returncode, over_time
        )


def _new_file(path: str) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    except OSError as error:
        raise ToolError(
            ExitCode.ENVIRONMENT, f"{printable(path)} cannot be written: {error.strerror}"
        ) from error


def _start(words: list[str], output: int) -> subprocess.Popen[bytes]:
    parent = os.getpid()
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=lambda: _become_child(parent),  # noqa: PLW1509  # one thread
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolError(
            ExitCode.ENVIRONMENT, f"{printable(words[0])} cannot be started: {error}"
        ) from error


def _send(child: subprocess.Popen[bytes], number: int) -> None:
    """To the child and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)
