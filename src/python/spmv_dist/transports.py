"""python3 -m spmv_dist.transports FILE.json|FOLDER...: modes and transports beside each other over
numbers of ranks, as Markdown, from what spmv_dist --json has written.

A table for every matrix and format. Efficiency is T1 / (N TN), where T1 is the fastest mode's time on one rank in the same format.
hidden is the share of the halo's own time that the product did not wait for. A star marks the transport that auto chose, bold
the fastest of a rank count; beside a mode that was measured in several layouts stands the faster one. Behind the tables: how
often auto's choice was the fastest of the transports that were measured, for every mode of its own, which layout was the
faster, where task mode is slower than vector mode, and which runs gave no result.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from spmv_dist.schema import load_run
from spmv_dist.tool import ExitCode, input_error, parser
from spmv_dist.tool import run as run_tool

MODULE = "spmv_dist.transports"

CHOICE_TOLERANCE = 0.02  # auto takes the first of transports this close to each other
TASK_TOLERANCE = 0.03


Run = dict[str, Any]


class Series:
    """What was measured of one matrix in one format."""

    def __init__(self) -> None:
        self.points: dict = {}  # (mode, transport as named, ranks) -> the mode's object in the file
        self.left_out: dict = {}  # (mode or "every", transport, reason) -> rank counts
        self.nonzeros = 0
        self.formats: dict[int, str] = {}  # ranks -> the format as chosen

    def add(self, run: Run, path: str) -> None:
        ranks = run["environment"]["ranks"]
        self.formats[ranks] = run["format"]["interior"]
        for mode in run["modes"]:
            key = (mode["mode"], "auto" if mode["transport_chosen"] else mode["transport"], ranks)
            if key in self.points:
                raise input_error(
                    path,
                    f"{key[0]} over {key[1]} on {ranks} ranks is in another file, too: give the files of one study",
                )
            self.points[key] = mode
        for left in run["left_out"]:
            where = (
                f"in layout {left['layout']}" if left.get("layout") else f"over {left['transport']}"
            )
            self.left_out.setdefault((left["mode"] or "every", where, left["reason"]), []).append(
                ranks
            )

    def in_order(self, place: int) -> list:
        return list(dict.fromkeys(key[place] for key in self.points))

    def ranks(self) -> list[int]:
        return sorted({key[2] for key in self.points})

    def time(self, mode: str, transport: str, ranks: int) -> float | None:
        """Seconds, or None where that was not measured or gave a wrong result."""
        point = self.points.get((mode, transport, ranks))
        return (
            None
            if point is None or point["rows_wrong"] or point["median_s"] <= 0
            else point["median_s"]
        )

    def times(self, mode: str, ranks: int) -> dict[str, float]:
        """Transport -> seconds, of transports that were named."""
        named = {t: self.time(mode, t, ranks) for t in self.in_order(1) if t != "auto"}
        return {t: s for t, s in named.items() if s is not None}

    def best(self, ranks: int) -> float | None:
        return min(
            (
                t
                for m, transport, n in self.points
                if n == ranks and (t := self.time(m, transport, n))
            ),
            default=None,
        )

    def chosen(self, mode: str, ranks: int) -> str | None:
        """The transport that auto chose for a mode, or None."""
        point = self.points.get((mode, "auto", ranks))
        return None if point is None else point["transport"]


AllSeries = dict[tuple[str, str], Series]


def read(arguments: list[str]) -> AllSeries:
    series: AllSeries = {}
    for argument in arguments:
        paths = (
            sorted(glob.glob(os.path.join(argument, "*.json")))
            if os.path.isdir(argument)
            else [argument]
        )
        for path in paths:
            try:
                run = load_run(path)
                fmt = "auto" if run["tuning"]["automatic"] else run["format"]["interior"]
                series.setdefault((run["matrix"]["name"], fmt), Series()).add(run, path)
                series[run["matrix"]["name"], fmt].nonzeros = run["matrix"]["nonzeros"]
            except (KeyError, TypeError, AttributeError) as error:
                raise input_error(
                    path, f"a field is missing or wrong ({type(error).__name__}: {error})"
                ) from error
    return series


def cells(series: Series, mode: str, transport: str, ranks: int) -> list[str]:
    point = series.points.get((mode, transport, ranks))
    if point is None:
        return ["-", "-"] + (["-"] if ranks > 1 else [])
    time, first, best = series.time(mode, transport, ranks), series.best(1), series.best(ranks)
    if time is None:
        return ["WRONG", "-"] + (["-"] if ranks > 1 else [])
    text = f"{time * 1e6:.1f}"
    if time == best:
        text = f"**{text}**"
    notes = [point["transport"]] if ranks > 1 and transport == "auto" else []
    notes += [point["layout"]] if point.get("other_layouts") else []
    if notes:
        text += f" ({', '.join(notes)})"
    if transport != "auto" and transport == series.chosen(mode, ranks):
        text += " *"
    efficiency = f"{100 * first / (ranks * time):.0f} %" if first else "-"
    return [text, efficiency] + ([f"{100 * point['hidden_share']:.0f} %"] if ranks > 1 else [])


def print_table(name: str, fmt: str, series: Series) -> None:
    print(f"### {name}, {fmt}\n\n{series.nonzeros} nonzeros", end="")
    if fmt == "auto":
        print(
            "; chosen: " + "; ".join(f"{n} ranks {series.formats[n]}" for n in series.ranks()),
            end="",
        )
    head = ["mode", "transport"]
    for n in series.ranks():
        head += [f"{n}: us", "efficiency"] + (["hidden"] if n > 1 else [])
    print("\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for mode in series.in_order(0):
        for transport in series.in_order(1):
            if not any((mode, transport, n) in series.points for n in series.ranks()):
                continue
            row = [mode, transport]
            for n in series.ranks():
                row += cells(series, mode, transport, n)
            print("| " + " | ".join(row) + " |")
    for (mode, where, reason), ranks in series.left_out.items():
        what = "every mode" if mode == "every" else f"mode {mode}"
        print(f"\nLeft out on {', '.join(map(str, ranks))} ranks: {what} {where}: {reason}")
    print()


def print_list(title: str, lines: list[str]) -> None:
    print(f"{title}\n" + "".join(f"- {line}\n" for line in lines))


def print_choices(all_series: AllSeries) -> None:
    cases, fastest, misses = 0, 0, []
    for (name, fmt), series in all_series.items():
        for ranks in series.ranks():
            for mode in series.in_order(0):
                times, chosen = series.times(mode, ranks), series.chosen(mode, ranks)
                own = series.time(mode, "auto", ranks)
                if chosen is not None and own is not None:
                    times.setdefault(chosen, own)  # where it was not named beside auto
                if len(times) < 2 or chosen not in times:
                    continue
                cases += 1
                best = min(times, key=times.get)
                if times[chosen] <= (1 + CHOICE_TOLERANCE) * times[best]:
                    fastest += 1
                else:
                    misses.append(
                        f"{name}, {fmt}, {ranks} ranks, {mode}: chose {chosen} {times[chosen] * 1e6:.1f} us, fastest "
                        f"{best} {times[best] * 1e6:.1f} us ({times[chosen] / times[best]:.2f} x)"
                    )
    print_list(
        f"Auto chose the fastest transport, within {100 * CHOICE_TOLERANCE:.0f} %, in {fastest} of {cases} cases."
        + (" Where it did not:\n" if misses else ""),
        misses,
    )


def print_task(all_series: AllSeries) -> None:
    cases, slower = 0, []
    for (name, fmt), series in all_series.items():
        for ranks in series.ranks():
            for transport in series.in_order(1):
                vector, task = (series.time(mode, transport, ranks) for mode in ("vector", "task"))
                if vector is None or task is None:
                    continue
                cases += 1
                if task > (1 + TASK_TOLERANCE) * vector:
                    slower.append(
                        f"{name}, {fmt}, {ranks} ranks, {transport}: task {task * 1e6:.1f} us, vector {vector * 1e6:.1f} us "
                        f"({task / vector:.2f} x)"
                    )
    print_list(
        f"Task mode is more than {100 * TASK_TOLERANCE:.0f} % slower than vector mode in {len(slower)} of {cases} cases."
        + ("\n" if slower else ""),
        slower,
    )


def print_layouts(all_series: AllSeries) -> None:
    """How often each layout was the faster of those that a mode was measured in; nothing of results without a choice."""
    faster: dict[str, dict[str, int]] = {}  # mode -> layout -> points
    for series in all_series.values():
        for (mode, _, _), point in series.points.items():
            others = point.get("other_layouts", [])
            if (
                others
                and not point["rows_wrong"]
                and not any(other["rows_wrong"] for other in others)
            ):
                counts = faster.setdefault(mode, {})
                for name in [point["layout"]] + [other["layout"] for other in others]:
                    counts.setdefault(name, 0)
                counts[point["layout"]] += 1
    for mode, counts in faster.items():
        text = ", ".join(f"{name} in {count}" for name, count in sorted(counts.items()))
        print(f"The faster layout of mode {mode}, of {sum(counts.values())} measured: {text}.\n")


def print_failures(arguments: list[str]) -> None:
    """Logs of jobs/transports/run.sh without a result beside them."""
    last = {}
    for folder in filter(os.path.isdir, arguments):
        for path in sorted(glob.glob(os.path.join(folder, "*.log")), key=lambda p: (len(p), p)):
            last[re.sub(r"\.\d+\.log$", "", path)] = path
    lines = []
    for base, path in last.items():
        if os.path.exists(base + ".json"):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = [line.strip() for line in file if line.strip()]
        reasons = (
            [line for line in text if re.match(r"(spmv_dist|not measured):", line)]
            or text[-1:]
            or ["no output"]
        )
        lines.append(f"{os.path.basename(base)}: {'; '.join(dict.fromkeys(reasons))}")
    if lines:
        print_list("Runs without a result:\n", lines)


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(
        MODULE, "Modes and transports beside each other over numbers of ranks, as Markdown."
    )
    options.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="what spmv_dist --json has written, or a folder of such files and logs",
    )
    arguments = options.parse_args(argv).files
    all_series = read(arguments)
    for (name, fmt), series in all_series.items():
        print_table(name, fmt, series)
    print_choices(all_series)
    print_layouts(all_series)
    print_task(all_series)
    print_failures(arguments)
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run_tool(MODULE, main))
