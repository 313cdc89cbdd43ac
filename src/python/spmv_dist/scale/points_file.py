"""The file that a scaling study keeps its points in: one JSON object a line."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from typing import Any, NoReturn

from spmv_dist.scale.point import Json, Point, point_of
from spmv_dist.tool import ExitCode, ToolError, input_error, printable


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse_json(data: bytes) -> Any:
    """What the bytes say; None where they are not JSON."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def line_of(point: Json) -> bytes:
    # What UTF-8 has no bytes for is written as JSON writes it: \udc80.
    text = json.dumps(point, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


class PointsFile:
    """A file of points that this process alone writes. A study that was killed may have left a torn last line: it is cut off."""

    def __init__(self, path: str):
        """Opens or makes the file, and reads it.

        Raises ToolError(ENVIRONMENT) where that cannot be done or another study has it open, and ToolError(INPUT), which
        names file and line, for a line that is no point.
        """
        self.path = path
        self.lines: list[Json] = []
        self.was_torn = False
        self._points: set[Point] = set()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")
        try:
            self._lock()
            self._read()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        os.close(self._file)

    def has(self, point: Point) -> bool:
        return point in self._points

    def append(self, lines: list[Json]) -> None:
        """Adds lines after the others, all of them with one write, and brings them to the disk. Raises ToolError(ENVIRONMENT)."""
        data = b"".join(line_of(line) for line in lines)
        try:
            while data:
                data = data[os.write(self._file, data) :]
            self._sync()
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")
        for line in lines:
            self._add(line, printable(self.path))

    def _lock(self) -> None:
        # Not every file system knows locks; where one does not, two studies at once are the user's to avoid.
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:
                self._refuse(
                    "another study is writing its points there: wait for its end, or name another file"
                )

    def _read(self) -> None:
        try:
            with open(self._file, "rb", closefd=False) as file:
                data = file.read()
        except OSError as error:
            self._refuse(f"cannot be read: {error.strerror}")
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].split(b"\n")[:-1], 1):
            self._add(parse_json(line), f"{printable(self.path)}:{number}")
        self.was_torn = whole < len(data)
        if self.was_torn and not data[whole:].startswith(b"{"):
            where = f"{self.path}:{len(self.lines) + 1}"
            raise input_error(
                where, "it is no point of a study: name the file of one, or a new file"
            )
        if self.was_torn:
            self._cut(whole)

    def _cut(self, size: int) -> None:
        try:
            os.ftruncate(self._file, size)
        except OSError as error:
            self._refuse(f"its torn last line cannot be cut off: {error.strerror}")

    def _sync(self) -> None:
        try:
            os.fsync(self._file)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a pipe or a device has no disk
                raise

    def _add(self, line: Any, where: str) -> None:
        self._points.add(point_of(line, where))
        self.lines.append(line)

    def _refuse(self, what: str) -> NoReturn:
        raise ToolError(ExitCode.ENVIRONMENT, f"{printable(self.path)}: {what}")
