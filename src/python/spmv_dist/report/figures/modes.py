"""Modes beside each other, and how much communication each of them hides."""

from __future__ import annotations

from typing import NamedTuple

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import Drawing, Notes, Plot, Share, Table, numbers_table
from spmv_dist.report.runs import mode_title, modes_of, ranks_of, timed_modes
from spmv_dist.schema import Json, items, member, number, number_or_0, text
from spmv_dist.words import count, digits, percent, plural, seconds

MOST_BARS = 64
MOST_REASONS = 4
NONE = "–"
INTERVAL = f"{percent(0.95)} interval"


class Range(NamedTuple):
    """What the line on a bar spans."""

    low: float
    high: float
    interval: bool  # of the median; else from the minimum to the 95th percentile

    def words(self) -> str:
        return f"{seconds(self.low)} to {seconds(self.high)}"


def range_of(mode: Json) -> Range | None:
    for low_name, high_name, interval in (
        ("median_low_s", "median_high_s", True),
        ("min_s", "p95_s", False),
    ):
        low, high = number(mode, low_name), number(mode, high_name)
        if low is not None and high is not None and 0 < low <= high:
            return Range(low, high, interval)
    return None


def marks_of(mode: Json) -> str:
    """Why not to trust the median, in words; empty if there is no reason."""
    listed = member(mode, "marks")
    if isinstance(listed, list):
        words = [mark for mark in listed if isinstance(mark, str)]
    else:  # what a file without marks has to go by
        words = [text(mode, "marks")] if text(mode, "marks") else []
        if member(mode, "settled") is False:
            words = ["not settled"]
        waited = number_or_0(mode, "waited_for_core")
        if waited > 0.1:
            words.append(f"a thread had no core for {percent(waited)} of the time")
    reason = text(mode, "marks_reason")
    reason = reason.removesuffix(".")
    return ", ".join(words) + (f": {reason}" if words and reason else "")


def _verdict(mode: Json) -> str:
    wrong = number_or_0(mode, "rows_wrong")
    if wrong > 0:
        return f"WRONG: {plural(wrong, 'row')}"
    return "correct" if member(mode, "verified") is True else "not verified"


def _row(run: Json, mode: Json, fastest: bool, longest: float) -> dict:
    found, median, marks = range_of(mode), number_or_0(mode, "median_s"), marks_of(mode)
    wrong = number_or_0(mode, "rows_wrong") > 0
    row = {
        "mode": mode_title(run, mode),
        "star": "*" if marks else "",
        "median": median,
        "end": min(median, longest),
        "words": seconds(median),
        "colour": "var(--warn)" if wrong else "var(--best)" if fastest else "var(--other)",
        "range": f"{found.words()} ({INTERVAL if found.interval else 'minimum to p95'})"
        if found
        else NONE,
        "marks": marks or "none",
    }
    if found:
        row.update(low=min(found.low, longest), high=min(found.high, longest))
    return row


def _if_narrow(narrow: float | str, wide: float | str) -> alt.ExprRef:
    return alt.ExprRef(f"narrow ? {narrow!r} : {wide!r}")


def _name_axis() -> alt.Axis:
    """Names of modes: left of their bars, where a telephone has the room above them."""
    return alt.Axis(
        grid=False,
        labelExpr="data('modes')[toNumber(datum.label)].mode",
        labelColor="var(--ink)",
        labelFontSize=14.4,
        labelAlign=_if_narrow("left", "right"),
        labelLimit=280,
        labelOffset=_if_narrow(-10, 0),
        labelPadding=_if_narrow(-12, 18),  # the star has a place between a name and its bar
        labelOverlap=False,
    )


def _bars(run: Json, modes: list[Json]) -> Plot:
    ends = [number_or_0(mode, "median_s") for mode in modes]
    ends += [found.high for mode in modes if (found := range_of(mode))]
    # A few outliers must not make all bars short.
    longest = min(max(ends), 2 * number_or_0(modes[-1], "median_s"))
    rows = [_row(run, mode, i == 0, longest) for i, mode in enumerate(modes[:MOST_BARS])]
    # Titles may be the same, and each is a bar of its own.
    rows = [{**row, "place": str(i)} for i, row in enumerate(rows)]
    place = alt.Y("place:N", sort=None, title=None, axis=_name_axis())
    tips = charts.tips("mode", "words=median", "range", "marks")
    scale = alt.Scale(domain=[0, longest], nice=False)
    base = alt.Chart(alt.Data(values=rows, name="modes")).encode(y=place, tooltip=tips)
    lower = {"yOffset": _if_narrow(8, 0)}
    bars = base.mark_bar(height=16, **lower).encode(
        x=alt.X("end:Q", scale=scale, axis=None), color=charts.own_colour()
    )
    line = base.transform_filter("isValid(datum.low)")
    rule = line.mark_rule(color="var(--ink)", strokeWidth=1.5, **lower).encode(
        x="low:Q", x2="high:Q"
    )
    tick = {"color": "var(--ink)", "thickness": 1.5, "size": 10, **lower}
    low = line.mark_tick(**tick).encode(x="low:Q")
    high = line.transform_filter(f"datum.high < {longest!r}").mark_tick(**tick).encode(x="high:Q")
    upper = {"baseline": "middle", "yOffset": _if_narrow(-10, 0)}
    at_end = {"align": "right", "dx": _if_narrow(0, 74), "color": "var(--ink)", **upper}
    words = base.mark_text(**at_end).encode(x=alt.value("width"), text="words:N")
    before = {"dx": _if_narrow(4, -9), "color": "var(--warn)", "fontWeight": "bold", **upper}
    stars = base.mark_text(**before).encode(x=alt.value(0), text="star:N")
    layers = alt.layer(bars, rule, low, high, words, stars).add_params(*charts.narrow())
    return charts.plot(layers, "Median time of a product by mode", 24 * len(rows))


def _table(run: Json) -> Table:
    rows = [
        (
            "mode",
            "transport",
            "layout",
            "median",
            INTERVAL,
            "min",
            "p95",
            "GF/s",
            "GB/s",
        )
        + ("halo hidden", "result", "remarks")
    ]
    for mode in modes_of(run)[:MOST_BARS]:
        times = {key: number(mode, key) for key in ("median_s", "min_s", "p95_s")}
        shown = {key: NONE if s is None else seconds(s) for key, s in times.items()}
        rates = (number_or_0(mode, key) for key in ("gflops", "effective_gbytes_per_s"))
        found, hidden = range_of(mode), number(mode, "hidden_share")
        has_halo = hidden is not None and number_or_0(mode, "halo_alone_s") > 0
        rows.append(
            (
                *(text(mode, key) for key in ("mode", "transport", "layout")),
                shown["median_s"],
                found.words() if found and found.interval else NONE,
                shown["min_s"],
                shown["p95_s"],
                *(digits(rate) if rate > 0 else NONE for rate in rates),
                percent(hidden) if has_halo else NONE,
                _verdict(mode),
                marks_of(mode),
            )
        )
    return numbers_table(rows)


def _left_out(run: Json) -> list[str]:
    lines = []
    for left in items(run, "left_out")[:MOST_BARS]:
        what = text(left, "mode") or "all modes"
        if text(left, "transport"):
            what += f" over {text(left, 'transport')}"
        if text(left, "layout"):
            what += f" in layout {text(left, 'layout')}"
        lines.append(f"{what}: {text(left, 'reason')}")
    return lines


def _next(run: Json, first: Json, second: Json) -> str:
    """What there is to say about the two fastest."""
    ratio = number_or_0(second, "median_s") / number_or_0(first, "median_s")
    says = f"; {mode_title(run, second)}, the next, takes {digits(ratio)} times as long"
    a, b = range_of(first), range_of(second)
    if not (a and b and a.interval and b.interval):
        return says
    if a.high < b.low:
        return says + ", and the intervals of the two do not overlap"
    return says + ", but the intervals of the two overlap, so either may be the faster one"


def _says(run: Json, modes: list[Json]) -> str:
    fastest = modes[0]
    time = seconds(number_or_0(fastest, "median_s"))
    says = f"Fastest here is {mode_title(run, fastest)} with {time} for a product"
    if number_or_0(fastest, "gflops") > 0:
        says += f", {digits(number_or_0(fastest, 'gflops'))} GF/s"
    if len(modes) > 1:
        says += _next(run, fastest, modes[1])
    ranges = [range_of(mode) for mode in modes]
    if all(found and found.interval for found in ranges):
        says += ". Lines are the 95\u202f% confidence intervals of the medians."
    else:
        says += (
            ". Lines go from the minimum to the 95th percentile where the file has no "
            "confidence interval of the median."
        )
    marked = [f"{mode_title(run, m)} ({marks_of(m)})" for m in modes if marks_of(m)]
    if len(marked) > MOST_REASONS:
        says += (
            f" Not reliable (*): {len(marked)} of {len(modes)}; bars and table have the reasons."
        )
    elif marked:
        says += f" Not reliable (*): {'; '.join(marked)}."
    if len(modes) > MOST_BARS:
        says += f" The {MOST_BARS} fastest of {len(modes)} are shown."
    return says


def draw_modes(run: Json) -> Drawing:
    modes = timed_modes(run)
    if not modes:
        return Drawing("no mode of this run has a time")
    parts = [_bars(run, modes), _table(run)]
    left = _left_out(run)
    if left:
        parts.append(Notes("Not measured", left))
    return Drawing(_says(run, modes), parts)


def _hidden_and_all(mode: Json) -> tuple[float, float]:
    hidden = number_or_0(mode, "overlap", "hidden_s")
    return hidden, hidden + number_or_0(mode, "overlap", "exposed_s")


def draw_overlap(run: Json) -> Drawing:
    if ranks_of(run) == 1:
        return Drawing("one rank has no halo to hide")
    modes = [mode for mode in timed_modes(run)[:MOST_BARS] if _hidden_and_all(mode)[1] > 0]
    if not modes:
        return Drawing("no mode of this run has a timeline with communication beside a product")
    rows: list = [("mode", "communication hidden", "hidden", "exposed", "rank", "limited by")]
    for mode in modes:
        hidden, whole = _hidden_and_all(mode)
        rank = number(mode, "overlap", "rank")
        rows.append(
            (
                mode_title(run, mode),
                Share(hidden / whole, percent(hidden / whole)),
                seconds(hidden),
                seconds(whole - hidden),
                NONE if rank is None or rank < 0 else count(rank),
                text(mode, "overlap", "limited_by") or NONE,
            )
        )
    hidden, whole = _hidden_and_all(modes[0])
    limit = text(modes[0], "overlap", "limited_by")
    says = (
        f"In {mode_title(run, modes[0])}, the fastest mode that overlaps, {seconds(hidden)} of {seconds(whole)} of "
        f"communication ran beside the interior product ({percent(hidden / whole)})"
        + (f"; {limit.rstrip('.')}." if limit else ".")
    )
    return Drawing(says, [Table(rows)])
