"""What every tool does alike: exit codes, one message for an error, names from outside as text."""

from __future__ import annotations

import argparse
import contextlib
import errno
import gzip
import importlib
import os
import signal
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Callable

from spmv_dist.launched import rank_among_several
from spmv_dist.shell import shell_words


class ExitCode(IntEnum):
    """The exit codes of the program (src/app/README.md), as far as tools need them."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    WRONG_RESULT = 3
    INPUT = 4
    ENVIRONMENT = 5
    SLOWER = 6
    TIMEOUT = 7


class ToolError(Exception):
    """What went wrong, to what, and what to do. The message is complete."""

    def __init__(self, code: ExitCode, message: str):
        super().__init__(message)
        self.code = code


def input_error(where: str, what: str) -> ToolError:
    """An error about a file, or a line of it, that is not what it should be."""
    return ToolError(ExitCode.INPUT, f"{printable(where)}: {what}")


def _escaped(character: str, lines: bool) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as Python reads names and files
        return f"\\x{code - 0xDC00:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return f"\\u{code:04x}"
    control = code < 0x20 or 0x7F <= code < 0xA0
    if not control or (lines and character == "\n"):
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode())


def printable(text: str) -> str:
    """One line that a terminal shows as it is: control characters appear as \\x1b."""
    return "".join(_escaped(character, False) for character in text)


def printable_lines(text: str) -> str:
    """The same for text of several lines, whose line ends stay."""
    return "".join(_escaped(character, True) for character in text)


def say(text: str) -> None:
    """Writes lines to stderr, in one piece. What cannot be written there is lost."""
    with contextlib.suppress(OSError):
        os.write(2, (printable_lines(text) + "\n").encode())


# The packages of the extra `report`.
REPORT_PACKAGES = ("altair>=5.4", "jinja2>=3", "scipy>=1.7", "vl-convert-python>=1.7")


def need(module: str):
    """A module of an optional package; the error says how to get it, also where pip may not change the system's Python."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ToolError(
            ExitCode.ENVIRONMENT,
            f"{sys.executable} has no {module.split('.')[0]} ({error}): make a virtual environment with it, "
            f"python3 -m venv FOLDER && FOLDER/bin/pip install {shell_words(REPORT_PACKAGES)}, "
            "and start the tool by FOLDER/bin/python3",
        ) from error


def _same_file(a: str, b: str) -> bool:
    """Whether writing to `a` would destroy `b`: both are one file, which need not be there yet. Devices and pipes hold nothing."""
    try:
        return os.path.samefile(a, b) and os.path.isfile(a)
    except OSError:
        return os.path.realpath(a) == os.path.realpath(b)


# A file and what the user calls it, such as ("--json", "a.json").
NamedFile = tuple[str, str]


def require_apart(output: NamedFile, others: Iterable[NamedFile]) -> None:
    """Raises ToolError(USAGE) for an output that is one of the other files. Every file that a tool writes is checked here."""
    name, path = output
    for other, other_path in others:
        if path and other_path and _same_file(path, other_path):
            raise ToolError(
                ExitCode.USAGE,
                f"{name} {printable(path)} is the same file as {other} {printable(other_path)}: "
                "one would destroy the other, name another file",
            )


class Output:
    """A file that a tool writes. `others`: those that it, or the script that it writes, reads and writes."""

    def __init__(self, name: str, path: str, others: Iterable[NamedFile]):
        require_apart((name, path), others)
        self._path = path

    def write(self, text: str | bytes) -> None:
        """Writes the file completely or not at all; a file that was there stays until then."""
        _write_file(self._path, _bytes_of(text))


def read_file(path: str) -> bytes:
    """The bytes of a file, unpacked if they are packed by gzip. Throws OSError."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, OSError) as error:
        raise OSError(errno.EINVAL, f"its gzip data is damaged: {error}") from error


def _writes_directly(path: str) -> bool:
    """Devices, pipes and files with several names are written in place."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return not stat.S_ISREG(found.st_mode) or found.st_nlink > 1


def _replace(path: str, data: bytes) -> None:
    target = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".spmv_dist_")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        old = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o666 & ~mask
        os.chmod(temporary, old)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _bytes_of(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")


def _write_file(path: str, data: bytes) -> None:
    if path.endswith(".gz"):
        data = gzip.compress(data)
    try:
        if os.path.isdir(path):
            raise IsADirectoryError("it is a folder")
        if _writes_directly(path):
            with open(path, "wb") as file:
                file.write(data)
        else:
            _replace(path, data)
    except OSError as error:
        raise ToolError(
            ExitCode.ENVIRONMENT,
            f"{printable(path)}: cannot be written ({error.strerror or error}): name another file",
        ) from error


def write_stdout(text: str | bytes) -> None:
    """Prints text; output that cannot be written is an error, also where it is only buffered."""
    try:
        sys.stdout.buffer.write(_bytes_of(text))
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = None  # or the interpreter would try once more at its end
        raise ToolError(
            ExitCode.ENVIRONMENT, f"standard output cannot be written ({error.strerror})"
        ) from error


def parser(module: str, description: str) -> argparse.ArgumentParser:
    """An argument parser that names the tool as it is started."""
    return argparse.ArgumentParser(
        prog=f"python3 -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def run(
    module: str, main: Callable[[Sequence[str] | None], int], argv: Sequence[str] | None = None
) -> int:
    """Calls main(argv). An error becomes one message on stderr and its exit code."""
    sys.stdout.reconfigure(errors="backslashreplace")
    rank = rank_among_several()
    if rank is not None:  # all would do the same work, and write the same files
        if rank == 0:
            say(f"{module}: it has no ranks: start it without mpirun or srun")
        return ExitCode.USAGE
    try:
        return int(main(argv))
    except ToolError as error:
        say(f"{module}: {error}")
        return int(error.code)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
