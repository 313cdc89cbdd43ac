"""python3 -m spmv_dist.compare A B: how fast the results of B are beside those of A, and what differs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace

from spmv_dist.median_ratio import MedianRatio, median_ratio
from spmv_dist.schema import median
from spmv_dist.series import Facts, Results, Series, Subject, read_results
from spmv_dist.tool import (
    ExitCode,
    Output,
    input_error,
    need,
    parser,
    printable,
    run,
    write_stdout,
)

MODULE = "spmv_dist.compare"


@dataclass
class Compared:
    """B's speed beside A's in one mode."""

    subject: Subject
    before_s: float  # medians
    after_s: float
    speed: MedianRatio  # A's time over B's: above 1, B is faster
    chosen_before: str = ""
    chosen_after: str = ""
    doubts: list[str] = field(default_factory=list)

    @property
    def is_slower(self) -> bool:
        return self.speed.high < 1

    @property
    def is_faster(self) -> bool:
        return self.speed.low > 1

    def is_below(self, min_ratio: float) -> bool:
        return self.speed.ratio < min_ratio

    def fails(self, min_ratio: float) -> bool:
        """Whether this is below what is asked for, beyond chance: the interval shows a loss, or, if more than 1 is
        asked for, ends below that."""
        return self.is_below(min_ratio) and self.speed.high < max(min_ratio, 1)


@dataclass
class Difference:
    """A fact that is not the same in both files; empty where a file does not have it."""

    name: str
    before: str
    after: str


@dataclass
class Comparison:
    """Two files beside each other."""

    before: str
    after: str
    min_ratio: float = 0  # 0: none
    series: list[Compared] = field(default_factory=list)
    only_before: list[str] = field(default_factory=list)
    only_after: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """Whether the gate is closed."""
        return any(one.fails(self.min_ratio) for one in self.series)


# ---- Comparing ---------------------------------------------------------------------------------


def _match_single_values(before: Results, after: Results) -> list[Difference]:
    """Where each file has another format, and no second one, the formats are what is compared."""
    differences = []
    for part in ("partition", "format", "transport"):
        a, b = ({getattr(one.subject, part) for one in file.series} for file in (before, after))
        if len(a) != 1 or len(b) != 1 or a == b:
            continue
        (old,), (new,) = a, b
        differences.append(Difference(part, old, new))
        for one in before.series + after.series:
            one.subject = replace(one.subject, **{part: f"{old} | {new}"})
    return differences


def _marks(name: str, series: Series) -> list[str]:
    if not (series.marks or series.marks_reason):
        return []
    return [
        f"{name}: {', '.join(series.marks)}"
        + (f": {series.marks_reason}" if series.marks_reason else "")
    ]


def _compared(before: Series, after: Series) -> Compared:
    row = Compared(
        before.subject,
        median(before.samples_s),
        median(after.samples_s),
        median_ratio(before.samples_s, after.samples_s),
        before.chosen,
        after.chosen,
        _marks("A", before) + _marks("B", after),
    )
    # Where a machine's memory was faster at one time than at another, all that it carries was.
    spread = max(before.spread, after.spread)
    if (row.is_slower or row.is_faster) and abs(row.speed.ratio - 1) <= spread:
        row.doubts.append(
            "A and B: the difference may be the machine's, whose own copies varied by "
            f"{100 * before.spread:.0f} % in A and {100 * after.spread:.0f} % in B"
        )
    return row


def _all_facts(series: list[Series]) -> Facts:
    """All values of every fact, in the order of their appearance."""
    known: dict[str, dict[str, None]] = {}
    for one in series:
        for name, value in one.facts.items():
            known.setdefault(name, {})[value] = None
    return {name: " | ".join(values) for name, values in known.items()}


def _fact_differences(before: list[Series], after: list[Series]) -> list[Difference]:
    a, b = _all_facts(before), _all_facts(after)
    pairs = [Difference(name, a.get(name, ""), b.get(name, "")) for name in sorted({*a, *b})]
    return [pair for pair in pairs if pair.before != pair.after]


def _notes(name: str, file: Results) -> list[str]:
    notes = []
    if file.superseded:
        notes.append(
            f"{name} has {file.superseded} older points with a newer one after them; the last one counts"
        )
    if file.incomplete:
        notes.append(f"{name} is incomplete: {file.incomplete}")
    return notes


def compare(before: Results, after: Results, min_ratio: float = 0) -> Comparison:
    """Every mode, over every transport and in every format, that both files have.

    Partition, format and transport need not be the same where each file has only one: they are differences then.
    Throws ToolError where the files have nothing in common.
    """
    first = before.series[0].subject, after.series[0].subject
    result = Comparison(before.path, after.path, min_ratio)
    result.differences = _match_single_values(before, after)
    others = {one.subject: one for one in after.series}
    pairs = [(one, others.pop(one.subject)) for one in before.series if one.subject in others]
    taken = {one.subject for one, _ in pairs}
    result.series = [_compared(one, other) for one, other in pairs]
    result.only_before = [str(one.subject) for one in before.series if one.subject not in taken]
    result.only_after = [str(subject) for subject in others]
    if not pairs:
        raise input_error(
            before.path,
            f"has no measurement in common with {printable(after.path)}, since matrix, ranks and mode must be the "
            f"same: A has {printable(str(first[0]))}; B has {printable(str(first[1]))}",
        )
    result.differences += _fact_differences([a for a, _ in pairs], [b for _, b in pairs])
    result.notes = _notes("A", before) + _notes("B", after)
    return result


# ---- Printing ----------------------------------------------------------------------------------


def _verdict(one: Compared, min_ratio: float) -> str:
    if one.fails(min_ratio):
        return f"BELOW {min_ratio:g}"
    if one.is_below(min_ratio):
        return "undecided"
    if one.is_slower:
        return "slower"
    return "faster" if one.is_faster else "no difference"


def aligned(lines: list[list[str]]) -> str:
    """Lines of cells as columns: the first and the last to the left, numbers between them to the right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    last = len(widths) - 1
    text = ""
    for line in lines:
        cells = [
            cell.ljust(width) if i in (0, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        text += "  ".join(cells).rstrip() + "\n"
    return text


def _list_differences(differences: list[Difference]) -> str:
    if not differences:
        return "differs      nothing that the files tell\n"
    lines = [
        f"{printable(d.name)}: {printable(d.before) or 'not told'} -> {printable(d.after) or 'not told'}\n"
        for d in differences
    ]
    return "".join(f"{'differs' if i == 0 else '':13}{line}" for i, line in enumerate(lines))


def _table(c: Comparison) -> str:
    names = ("mode", "transport", "format", "partition", "ranks", "matrix")
    values = {name: [printable(getattr(one.subject, name)) for one in c.series] for name in names}
    shared = [name for name in names if name != "mode" and len(set(values[name])) == 1]
    columns = [name for name in names if name not in shared]
    lines = [columns + ["A us", "B us", "B's speed", "95 % interval", "verdict"]]
    for i, one in enumerate(c.series):
        line = [values[name][i] for name in columns]
        line += [f"{seconds * 1e6:.1f}" for seconds in (one.before_s, one.after_s)]
        line += [f"{one.speed.ratio:.3f}", f"{one.speed.low:.3f} to {one.speed.high:.3f}"]
        lines.append([*line, _verdict(one, c.min_ratio)])
    text = "".join(f"{name:13}{values[name][0]}\n" for name in shared)
    return (
        text + aligned(lines) + "B's speed: median time of A over that of B; above 1, B is faster\n"
    )


def _remarks(c: Comparison, one: Compared) -> str:
    mode, text = printable(one.subject.mode), ""
    if one.chosen_before != one.chosen_after:
        text += f"{mode}: A took {printable(one.chosen_before)}; B {printable(one.chosen_after)}\n"
    text += "".join(f"{mode} in {printable(doubt)}\n" for doubt in one.doubts)
    if one.is_below(c.min_ratio) and not one.fails(c.min_ratio):
        text += (
            f"{mode}: below {c.min_ratio:g}, but the times are too noisy to tell that from chance: measure longer "
            "(--min-repetitions, --max-seconds)\n"
        )
    return text


def to_text(c: Comparison) -> str:
    """For people."""
    text = f"A            {printable(c.before)}\nB            {printable(c.after)}\n"
    text += _list_differences(c.differences) + _table(c)
    text += "".join(_remarks(c, one) for one in c.series)
    for head, lines in (
        ("note", c.notes),
        ("only in A", c.only_before),
        ("only in B", c.only_after),
    ):
        text += "".join(f"{head}: {printable(line)}\n" for line in lines)
    return text


def to_json(c: Comparison) -> str:
    """Everything, as one JSON object."""
    series = [
        {
            **{part.name: getattr(one.subject, part.name) for part in fields(Subject)},
            "before_median_s": one.before_s,
            "after_median_s": one.after_s,
            "ratio": one.speed.ratio,
            "ratio_low": one.speed.low,
            "ratio_high": one.speed.high,
            "below_min_ratio": one.fails(c.min_ratio),
            "chosen_before": one.chosen_before,
            "chosen_after": one.chosen_after,
            "marks": one.doubts,
        }
        for one in c.series
    ]
    head = {
        "before": c.before,
        "after": c.after,
        "min_ratio": c.min_ratio,
        "below_min_ratio": c.fails,
    }
    rest = {
        "differences": [asdict(one) for one in c.differences],
        "only_before": c.only_before,
        "only_after": c.only_after,
        "notes": c.notes,
    }
    return json.dumps({**head, "series": series, **rest}, indent=2) + "\n"


# ---- The command -------------------------------------------------------------------------------


def _ratio(word: str) -> float:
    value = float(word)
    if not 0 <= value <= 1e6:
        raise ValueError
    return value


_ratio.__name__ = "ratio"  # argparse names it: invalid ratio value


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the comparison. SLOWER where a mode is below --min-ratio."""
    options = parser(
        MODULE, "How fast one set of results is beside another, with intervals, and what differs."
    )
    options.add_argument(
        "A", help="results to compare with: what --json of a run has written, or points of a study"
    )
    options.add_argument("B", help="results to judge")
    options.add_argument(
        "--min-ratio",
        type=_ratio,
        default=0.0,
        metavar="R",
        help="exit code 6 where a mode of B is, beyond chance, slower than so many times the speed of A, such as 0.95",
    )
    options.add_argument("--json", metavar="FILE", help="write all of it")
    asked = options.parse_args(argv)
    output = Output("--json", asked.json or "", (("A", asked.A), ("B", asked.B)))
    before, after = read_results(asked.A), read_results(asked.B)
    need("scipy.stats")
    comparison = compare(before, after, asked.min_ratio)
    if asked.json:
        output.write(to_json(comparison))
    write_stdout(to_text(comparison))
    return ExitCode.SLOWER if comparison.fails else ExitCode.OK


if __name__ == "__main__":
    sys.exit(run(MODULE, main))
