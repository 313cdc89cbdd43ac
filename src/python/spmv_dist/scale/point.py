"""The points of a scaling study."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from spmv_dist.tool import ExitCode, ToolError

Json = dict[str, Any]

_MAY_LACK = ("transport", "grows_as")
# Fields of a point's line, and of the run that they are copied from.
_OF_RUN = {
    "storage": "format",
    "partition_stats": "partition",
    "tuning": "tuning",
    "vectors": "vectors",
    "columns": "columns",
    "order": "order",
    "model": "model",
    "transport_choice": "transport_choice",
}


@dataclasses.dataclass(frozen=True)
class Point:
    """What makes a point: two with the same are measured once."""

    matrix: str  # file or specification
    partition: str  # this and the next as asked for
    format: str
    transport: str
    mode: str
    options: str  # of every run, as a shell would read them
    commit: str  # of the program
    ranks: int
    grows_as: str = ""  # of weak scaling, the matrix with {ranks} in it


_TEXTS = [field.name for field in dataclasses.fields(Point) if field.name != "ranks"]


class PlannedRun:
    """Points that one run measures, beside each other and in turn: they differ in mode and transport only."""

    def __init__(self, points: list[Point]):
        self.points = points

    @property
    def first(self) -> Point:
        return self.points[0]

    def modes(self) -> list[str]:
        return list(dict.fromkeys(point.mode for point in self.points))

    def transports(self) -> list[str]:
        return list(dict.fromkeys(point.transport for point in self.points))


def _is_number(value: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _flaw_of(line: object) -> str:
    """Why a line is no point; empty: it is one."""
    if not isinstance(line, dict):
        return "not a JSON object"
    for name in _TEXTS:
        if name not in _MAY_LACK and not isinstance(line.get(name), str):
            return f"it has no {name}"
    if not _is_number(line.get("ranks"), (int,)) or line["ranks"] < 1:
        return "its ranks are no number"
    median = line.get("median_s")
    measured = (
        _is_number(median, (int, float)) and median >= 0 and isinstance(line.get("measured"), dict)
    )
    if not measured and not isinstance(line.get("left_out"), str):
        return "it was neither measured nor left out"
    return ""


def point_of(line: Any, where: str) -> Point:
    """The point that a line of a file of points is about. Raises ToolError(INPUT), which names `where`."""
    flaw = _flaw_of(line)
    if flaw:
        raise ToolError(ExitCode.INPUT, f"{where}: no point of a study: {flaw}: remove the line")
    texts = {name: line[name] for name in _TEXTS if isinstance(line.get(name), str)}
    return Point(**{**dict.fromkeys(_MAY_LACK, ""), **texts}, ranks=line["ranks"])


def _measured(point: Point, run: Json) -> Json | None:
    """The entry of the run's modes that was measured for the point."""
    for mode in run["modes"]:
        asked = "auto" if mode["transport_chosen"] is True else mode["transport"]
        if mode["mode"] == point.mode and asked == point.transport:
            return mode
    return None


def _why_left_out(point: Point, run: Json) -> str:
    for left in run["left_out"]:
        if left.get("mode", "") in ("", point.mode) and left.get("transport", "") in (
            "",
            point.transport,
        ):
            return left.get("reason", "")
    return "the run has no result for it, and no reason"


def point_line(point: Point, run: Json, surroundings: Json) -> Json:
    """The line of a point in what --json of its run has written: what was measured or, in left_out, why it was not.

    `surroundings`: fields to add to the run's environment.
    """
    line: Json = {
        name: getattr(point, name) for name in _TEXTS if name != "grows_as" or point.grows_as
    }
    line["ranks"] = point.ranks
    mode = _measured(point, run)
    if mode is None:
        line["left_out"] = _why_left_out(point, run)
    else:
        line["median_s"] = mode["median_s"]
    line.update({name: run["matrix"][name] for name in ("rows", "nonzeros", "value")})
    if mode is not None:
        line["measured"] = mode
    line.update({name: run[of_run] for name, of_run in _OF_RUN.items() if of_run in run})
    line["environment"] = {**run["environment"], **surroundings}
    line["environment"].update({name: run[name] for name in ("setup", "bandwidth") if name in run})
    return line


def with_ranks(text: str, ranks: int) -> str:
    """A specification or a name with the number of ranks in place of {ranks}, and multiples in place of {96*ranks}."""
    return re.sub(
        r"\{(?:(-?[0-9]+)\*)?ranks\}",
        lambda match: str(int(match.group(1) or 1) * ranks),
        text,
        flags=re.ASCII,
    )
