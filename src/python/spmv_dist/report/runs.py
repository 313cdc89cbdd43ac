"""The runs that a page is about, from files of runs and of scaling studies."""

from __future__ import annotations

from dataclasses import dataclass

from spmv_dist.schema import (
    Json,
    Record,
    is_dos,
    is_eigen,
    is_point,
    is_solve,
    items,
    member,
    number_or_0,
    read_records,
    require_run,
    text,
)

# What a point has for a run's section.
_OF_POINT = {
    "format": "storage",
    "partition": "partition_stats",
    "model": "model",
    "transport_choice": "transport_choice",
    "pictures": "pictures",
}


@dataclass(frozen=True)
class Matrix:
    """What a run says of its matrix. Numbers that it does not have are 0."""

    name: str
    description: str
    value: str
    rows: float
    cols: float
    nonzeros: float


def matrix_of(run: Json) -> Matrix:
    """The matrix of a run."""
    m = member(run, "matrix")
    return Matrix(
        text(m, "name"),
        text(m, "description"),
        text(m, "value"),
        number_or_0(m, "rows"),
        number_or_0(m, "cols"),
        number_or_0(m, "nonzeros"),
    )


def ranks_of(run: Json) -> float:
    """Number of ranks."""
    return number_or_0(run, "environment", "ranks")


def format_asked(run: Json) -> str:
    """The format as the user named it: auto stays auto, whatever it took."""
    if text(run, "format_asked"):
        return text(run, "format_asked")
    return "auto" if member(run, "tuning", "automatic") is True else text(run, "format", "interior")


def modes_of(run: Json) -> list[Json]:
    """All modes, as they are in the file."""
    return items(run, "modes")


def timed_modes(run: Json) -> list[Json]:
    """The modes with a positive median, the fastest first."""
    timed = [mode for mode in modes_of(run) if number_or_0(mode, "median_s") > 0]
    return sorted(timed, key=lambda mode: number_or_0(mode, "median_s"))


def mode_title(run: Json, mode: Json) -> str:
    """A mode's name, with its transport if the run has the mode over several."""
    name = text(mode, "mode")
    if sum(text(other, "mode") == name for other in modes_of(run)) <= 1:
        return name
    chosen = " (auto)" if member(mode, "transport_chosen") is True else ""
    return f"{name} over {text(mode, 'transport')}{chosen}"


def _run_of_point(point: Json) -> Json:
    """The run of a point, with that mode alone."""
    environment = member(point, "environment")
    if isinstance(environment, dict):
        environment = {"ranks": member(point, "ranks"), **environment}
    matrix = {"name": point["matrix"]}
    matrix.update({k: point[k] for k in ("rows", "cols", "nonzeros", "value") if k in point})
    run = {
        "matrix": matrix,
        "environment": environment,
        "bandwidth": member(environment, "bandwidth"),
        "grows_as": text(point, "grows_as"),
        "format_asked": text(point, "format"),
        "modes": [],
        "left_out": [],
    }
    run.update({of_run: member(point, of_point) for of_run, of_point in _OF_POINT.items()})
    if isinstance(member(point, "measured"), dict):
        run["modes"].append(point["measured"])
    else:
        left = {key: text(point, key) for key in ("mode", "transport")}
        run["left_out"].append({**left, "reason": text(point, "left_out")})
    return run


def _joined(run: Json, other: Json) -> bool:
    """Whether both are points of one run: then `run` gets the modes of `other`."""
    same = ("environment", "matrix", "grows_as", "format", "partition")
    if any(member(run, key) != member(other, key) for key in same):
        return False
    run["modes"] += other["modes"]
    run["left_out"] += other["left_out"]
    return True


def runs_of(records: list[Record]) -> list[Record]:
    """The runs and what else a page shows of a file's objects; points that follow each other and are of one run become that run."""
    runs: list[Record] = []
    after_point = False
    for record in records:
        if is_solve(record.json) or is_eigen(record.json) or is_dos(record.json):
            runs.append(record)
            after_point = False
            continue
        point = is_point(record.json)
        run = _run_of_point(record.json) if point else record.json
        run = require_run(Record(record.where, run))
        if not (point and after_point and _joined(runs[-1].json, run.json)):
            runs.append(run)
        after_point = point
    return runs


def read_runs(files: list[str]) -> list[Record]:
    """The runs of all files, in their order. Throws ToolError."""
    return [run for file in files for run in runs_of(read_records(file))]
