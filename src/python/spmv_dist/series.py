"""Measured times, as files of results have them: what of one file can be compared with another."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field, replace

from spmv_dist.schema import (
    WANTED,
    Json,
    Record,
    as_number,
    is_run,
    items,
    member,
    number_or_0,
    parse_records,
    read_records,
    refuse_commands,
    text,
)
from spmv_dist.tool import ExitCode, ToolError, input_error, printable

FEWEST_SAMPLES = 6  # of five, the least and the largest hold the median with 93.75 % only
AUTO = "auto"

# What differs from run to run in any case.
_NEVER_THE_SAME = (
    "date", "versions", "command_line", "launch", "slurm_job", "pbs_job", "lsf_job", "setup", "bandwidth",
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """What was measured: two series with the same subject can be compared."""

    matrix: str  # name without folder, size and value type
    ranks: str
    partition: str  # this and the next two as the user asked for them: auto stays auto
    format: str
    transport: str
    mode: str

    def __str__(self) -> str:
        return (
            f"mode {self.mode} over {self.transport}, format {self.format}, partition {self.partition}, "
            f"{self.ranks} ranks, {self.matrix}"
        )


Facts = dict  # what is known of the circumstances, by names such as "environment.driver"


@dataclass
class Series:
    """The times of one mode."""

    subject: Subject
    samples_s: list[float]  # seconds per product
    marks: list[str] = field(default_factory=list)
    marks_reason: str = ""
    chosen: str = ""  # what stands behind auto: layout, transport, format, partition
    spread: float = 0  # of the machine's own copies; 0: not known
    facts: Facts = field(default_factory=dict)


@dataclass
class Results:
    """A file: one series for each subject; of several the last one counts."""

    path: str
    series: list[Series]
    superseded: int = 0
    incomplete: str = ""  # why a run ended early


def text_of(value: Json) -> str:
    """A text as it is, anything else as JSON, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# ---- Facts -------------------------------------------------------------------------------------


def _shortened(values: list[Json]) -> str:
    """The different elements of a list such as the ranks' cores, each with how many there are."""
    counts = Counter(text_of(value) for value in values)
    return "; ".join(f"{one} ({n} x)" if n > 1 else one for one, n in counts.items())


def _add_facts(value: Json, name: str, facts: Facts) -> None:
    if isinstance(value, dict):
        for part, one in value.items():
            _add_facts(one, f"{name}.{part}", facts)
    else:
        facts[name] = _shortened(value) if isinstance(value, list) else text_of(value)


def _facts_of(run: Json) -> Facts:
    """What may make the same product faster or slower, and is the same for all modes of a run."""
    facts: Facts = {}
    environment = member(run, "environment")
    if isinstance(environment, dict):
        kept = {k: v for k, v in environment.items() if k not in _NEVER_THE_SAME}
        _add_facts(kept, "environment", facts)
    # The lines of --version that the environment has no field of its own for.
    for line in text_of(member(environment, "versions")).split("\n"):
        name, space, rest = line.partition(" ")
        if space and f"environment.{name.lower()}" not in facts:
            facts[f"versions.{name}"] = rest.lstrip(" ")
    for name in ("vectors", "order", "options"):
        value = member(run, name)
        if member(value, "name") is not None:
            facts[name] = text_of(member(value, "name"))
        elif isinstance(value, str):
            facts[name] = value
    return facts


# ---- Series ------------------------------------------------------------------------------------


def _matrix(name: Json, of: Json, columns: Json) -> str:
    """By the name of its file, since folders differ from machine to machine, and by its size. Products with several columns are
    others than those with one."""
    size = [text_of(member(of, key)) for key in ("rows", "nonzeros", "value")]
    together = f", {text_of(columns)} columns" if columns not in (None, 1) else ""
    return f"{os.path.basename(text_of(name))}: {size[0]} rows, {size[1]} nonzeros, {size[2]}{together}"


def _samples(mode: Json, where: str) -> list[float]:
    listed = member(mode, "samples_s")
    if not isinstance(listed, list):
        raise ToolError(
            ExitCode.INPUT,
            f"{where}: it has no samples_s, which the interval needs: measure it again with this program",
        )
    samples = []
    for sample in listed:
        seconds = as_number(sample)
        if seconds is None or seconds <= 0:
            raise ToolError(
                ExitCode.INPUT,
                f"{where}: samples_s has a value that is no time: {printable(text_of(sample))}",
            )
        samples.append(seconds)
    if len(samples) < FEWEST_SAMPLES:
        raise ToolError(
            ExitCode.INPUT,
            f"{where}: {len(samples)} samples are too few for an interval, which takes {FEWEST_SAMPLES}: measure it "
            "again with --min-repetitions 20",
        )
    return samples


def _series(mode: Json, subject: Subject, file: str) -> Series:
    """One entry of a run's modes."""
    subject = replace(subject, mode=text_of(member(mode, "mode")))
    if not subject.mode:
        raise input_error(file, "an entry of modes has no field mode")
    where = printable(f"{file}: mode {subject.mode} over transport {subject.transport}")
    wrong = as_number(member(mode, "rows_wrong")) or 0
    if wrong > 0:
        raise ToolError(
            ExitCode.WRONG_RESULT,
            f"{where}: {text_of(member(mode, 'rows_wrong'))} rows of its result were wrong: there is nothing to compare",
        )
    return Series(
        subject,
        _samples(mode, where),
        [text_of(mark) for mark in items(mode, "marks")],
        text_of(member(mode, "marks_reason")),
        text_of(member(mode, "layout")),
    )


def _add_chosen(series: Series, asked: str, taken: str) -> None:
    """What auto stands for, beside the layout."""
    if asked == AUTO and taken not in ("", asked):
        series.chosen += (", " if series.chosen else "") + taken


def _of_run(record: Record) -> list[Series]:
    run, found = record.json, []
    facts = _facts_of(run)
    fmt = text_of(member(run, "format", "interior"))
    partition = text_of(member(run, "partition", "partitioner"))
    asked = text_of(member(run, "partition", "asked"))
    base = Subject(
        _matrix(member(run, "matrix", "name"), member(run, "matrix"), member(run, "columns")),
        text_of(member(run, "environment", "ranks")),
        asked or partition,
        AUTO if member(run, "tuning", "automatic") is True else fmt,
        "",
        "",
    )
    for mode in run["modes"]:
        transport = text_of(member(mode, "transport"))
        chosen = member(mode, "transport_chosen") is True
        series = _series(mode, replace(base, transport=AUTO if chosen else transport), record.where)
        subject = series.subject
        _add_chosen(series, subject.transport, transport)
        _add_chosen(series, subject.format, fmt)
        _add_chosen(series, subject.partition, partition)
        series.spread, series.facts = number_or_0(run, "bandwidth", "spread"), facts
        found.append(series)
    return found


def _of_point(record: Record) -> list[Series]:
    point = record.json
    if member(point, "left_out") is not None:
        return []
    names = ("partition", "format", "transport")
    asked = {name: text_of(member(point, name)) for name in ("ranks", *names)}
    base = Subject(
        matrix=_matrix(member(point, "matrix"), point, member(point, "columns")), mode="", **asked
    )
    mode = member(point, "measured")
    series = _series(mode, base, record.where)
    _add_chosen(series, base.transport, text_of(member(mode, "transport")))
    _add_chosen(series, base.format, text_of(member(point, "storage", "interior")))
    series.spread = number_or_0(point, "environment", "bandwidth", "spread")
    series.facts = _facts_of(point)
    return [series]


def _of_record(record: Record) -> list[Series]:
    if is_run(record.json):
        return _of_run(record)
    if isinstance(member(record.json, "measured"), dict) or text(record.json, "left_out"):
        return _of_point(record)
    refuse_commands(record)
    raise input_error(
        record.where, f"it has neither the modes of a run nor a point of a study: {WANTED}"
    )


def results_of(records: list[Record], path: str) -> Results:
    """The series of a file's objects. Throws ToolError that names file, mode and remedy."""
    known: dict[Subject, Series] = {}
    found = [series for record in records for series in _of_record(record)]
    for series in found:
        known[series.subject] = series
    if not known:
        raise input_error(path, "no mode of it was measured")
    reasons = [text_of(member(record.json, "incomplete")) for record in records]
    return Results(
        path,
        list(known.values()),
        len(found) - len(known),
        next((reason for reason in reversed(reasons) if reason), ""),
    )


def parse_results(source: str, path: str) -> Results:
    """The series of a text."""
    return results_of(parse_records(source, path), path)


def read_results(path: str) -> Results:
    """The series of a file."""
    return results_of(read_records(path), path)
