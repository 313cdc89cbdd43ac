"""Reads results of spmv_dist: the JSON of runs and the points of scaling studies.

schema.json describes both. Readers are lenient where a file has less than they could use:
what is missing, null or of another type counts as absent.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from typing import Any

from spmv_dist.tool import input_error, read_file

# The newest schema that this package reads. Files of version 0.1.0 have no number, and the same fields.
SCHEMA = 1

Json = Any  # what json.loads returns

_DEEPEST = 32  # levels, more than any results have
WANTED = "give what spmv_dist --json has written, or the points of a scaling study"


def description() -> dict[str, Any]:
    """schema.json."""
    path = os.path.join(os.path.dirname(__file__), "schema.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


@dataclass
class Record:
    """One JSON object of a file, and where it is, for messages: "a.json" or "a.jsonl:3"."""

    where: str
    json: dict[str, Json]


# ---- Values, as tools need them ----------------------------------------------------------------


def member(value: Json, *names: str) -> Json:
    """What is at the end of this path of names; None if there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def items(value: Json, *names: str) -> list[Json]:
    """A list; empty for anything else."""
    found = member(value, *names)
    return found if isinstance(found, list) else []


def as_number(value: Json) -> float | None:
    """A number of a size that something can have, 1e-30 to 1e30, or 0; else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if value != 0 and not 1e-30 <= abs(value) <= 1e30:
        return None
    return float(value)


def number(value: Json, *names: str) -> float | None:
    """as_number() of what is at the end of this path."""
    return as_number(member(value, *names))


def number_or_0(value: Json, *names: str) -> float:
    """The same, 0 for nothing."""
    return number(value, *names) or 0.0


def text(value: Json, *names: str) -> str:
    """A text; empty for nothing."""
    found = member(value, *names)
    return found if isinstance(found, str) else ""


def numbers(value: Json, most: int) -> list[float]:
    """The numbers of a list of at most `most`, 0 in place of what is none; empty for anything else."""
    if not isinstance(value, list) or len(value) > most:
        return []
    return [as_number(one) or 0.0 for one in value]


# ---- Files -------------------------------------------------------------------------------------


def _depth(value: Json) -> int:
    deepest, level = 0, [value]
    while level and deepest <= _DEEPEST:
        deepest += 1
        level = [
            part
            for one in level
            if isinstance(one, (dict, list))
            for part in (one.values() if isinstance(one, dict) else one)
        ]
    return deepest


def parse(source: str) -> Json:
    """What a text is. Throws ValueError for anything but JSON, and for JSON deeper than results are."""
    try:
        value = json.loads(source, parse_constant=lambda _: None)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if _depth(value) > _DEEPEST:
        raise ValueError("it is nested too deeply")
    return value


def _check_version(record: Record) -> Record:
    version = record.json.get("schema", 0)
    if isinstance(version, bool) or not isinstance(version, int) or version < 0:
        raise input_error(record.where, f"field schema is no version number: {WANTED}")
    if version > SCHEMA:
        raise input_error(
            record.where,
            f"it has schema {version}, and this package reads up to {SCHEMA}: "
            "install the package of the program that wrote it",
        )
    return record


def _lines(source: str, path: str, whole_error: str) -> list[Record]:
    """One object per line. A torn last line, which a killed study leaves, does not count."""
    records: list[Record] = []
    lines = source.split("\n")
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        where = f"{path}:{index + 1}"
        try:
            value = parse(line)
        except ValueError as error:
            if index + 1 == len(lines) and records:
                break
            at, why = (where, error) if records else (path, whole_error)
            raise input_error(at, f"is no JSON ({why}): {WANTED}") from error
        if not isinstance(value, dict):
            raise input_error(where, f"is no JSON object: {WANTED}")
        records.append(Record(where, value))
    return records


def parse_records(source: str, path: str) -> list[Record]:
    """The JSON objects of a text: one, or one in every line. `path` is for messages."""
    try:
        whole = parse(source)
    except ValueError as error:
        records = _lines(source, path, str(error))
    else:
        if not isinstance(whole, dict):
            raise input_error(path, f"is no JSON object: {WANTED}")
        records = [Record(path, whole)]
    if not records:
        raise input_error(path, f"it is empty: {WANTED}")
    return [_check_version(record) for record in records]


def read_records(path: str) -> list[Record]:
    """The JSON objects of a file, with their version checked. Throws ToolError."""
    try:
        source = read_file(path).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise input_error(path, f"cannot be read ({error.strerror}): {WANTED}") from error
    return parse_records(source, path)


# ---- Runs and points ---------------------------------------------------------------------------


def is_run(value: Json) -> bool:
    """Whether an object is the result of a run."""
    return isinstance(member(value, "modes"), list) and not is_dos(value)


def is_solve(value: Json) -> bool:
    """Whether an object is what `spmv_dist solve` has written."""
    return isinstance(member(value, "solvers"), list) and not is_run(value)


def is_eigen(value: Json) -> bool:
    """Whether an object is what `spmv_dist eigen` has written."""
    return isinstance(member(value, "searches"), list) and not is_run(value)


def is_dos(value: Json) -> bool:
    """Whether an object is what `spmv_dist dos` has written."""
    return isinstance(member(value, "density"), list)


def is_point(value: Json) -> bool:
    """Whether an object is a point of a scaling study."""
    return isinstance(member(value, "matrix"), str) and (
        isinstance(member(value, "measured"), dict) or isinstance(member(value, "left_out"), str)
    )


def refuse_commands(record: Record) -> None:
    """Throws ToolError for what a command has written that times no products."""
    for command, has_written in (("solve", is_solve), ("eigen", is_eigen), ("dos", is_dos)):
        if has_written(record.json):
            raise input_error(
                record.where,
                f"it is what spmv_dist {command} has written, which has no times of products: give what --json"
                " of a run, without a command, has written, or the points of a scaling study",
            )


def _missing(run: Json) -> str:
    """The first field without which an object is no run; empty: none."""
    if number_or_0(run, "environment", "ranks") < 1:
        return "environment.ranks"
    if not isinstance(member(run, "matrix", "name"), str):
        return "matrix.name"
    if not isinstance(member(run, "modes"), list):
        return "modes"
    bad = (i for i, mode in enumerate(run["modes"]) if not isinstance(mode, dict))
    return next((f"modes[{i}]" for i in bad), "")


def require_run(record: Record) -> Record:
    """Throws ToolError unless the object has environment.ranks, matrix.name and modes, and is of a run."""
    refuse_commands(record)
    field = _missing(record.json)
    if field:
        raise input_error(
            record.where, f"is no result of a run: field {field} is missing or wrong: {WANTED}"
        )
    return record


def load_run(path: str) -> dict[str, Json]:
    """The run of a file with one run. Throws ToolError that names file and field."""
    records = read_records(path)
    if len(records) != 1:
        raise input_error(path, f"holds {len(records)} results: give a file with one run")
    return require_run(records[0]).json


# ---- Times -------------------------------------------------------------------------------------


def _place(q: float, count: int) -> int:
    return math.floor(q * (count - 1) + 0.5)


def median_place(count: int) -> int:
    """Where the median of so many sorted values is: of an even number the upper one of the middle two."""
    return _place(0.5, count)


def quantile(sample: list[float], q: float) -> float:
    """Value at share q of the sorted sample, nearest rank, as the program takes it; 0 of an empty sample."""
    return sorted(sample)[_place(q, len(sample))] if sample else 0.0


def median(sample: list[float]) -> float:
    """The median; 0 of an empty sample."""
    return quantile(sample, 0.5)
