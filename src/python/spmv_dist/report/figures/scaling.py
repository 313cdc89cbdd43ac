"""How products of a matrix become faster, or of a growing matrix slower, over the number of ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import Drawing, Legend, Plot, numbers_table, series_colour
from spmv_dist.report.runs import format_asked, matrix_of, ranks_of, timed_modes
from spmv_dist.schema import Json, number_or_0, text
from spmv_dist.words import count, digits, percent, plural, seconds

MOST_MODES, MOST_ROWS = 16, 200


@dataclass
class Point:
    """The fastest product of a mode on so many ranks."""

    mode: str
    ranks: float
    median: float  # seconds
    nonzeros: float
    efficiency: float  # nonzeros per second and rank, as a share of the most on the fewest ranks
    how: str  # over which transport, in which format

    @property
    def speedup(self) -> float:
        """As many ranks as would be as fast, were each as good as each of the fewest."""
        return self.efficiency * self.ranks


@dataclass
class Scaling:
    """Points by mode and ranks, in order; at most 16 modes, the first that there are.

    With several formats each is a series of its own: "task, pjds".
    """

    points: list[Point]

    @property
    def counts(self) -> list[float]:
        return sorted({point.ranks for point in self.points})

    def at(self, ranks: float) -> list[Point]:
        return [point for point in self.points if point.ranks == ranks]

    def best(self, ranks: float) -> Point:
        """Of the highest efficiency on so many ranks."""
        return max(self.at(ranks), key=lambda point: point.efficiency)

    @property
    def modes(self) -> list[str]:
        return list(dict.fromkeys(point.mode for point in self.points))


def scaling_of(runs: list[Json]) -> Scaling | None:
    """None where all runs had the same number of ranks."""
    fastest: dict[tuple[str, float], Point] = {}
    names: dict[str, None] = {}
    several = len({format_asked(run) for run in runs}) > 1
    for run in runs:
        ranks, nonzeros = ranks_of(run), matrix_of(run).nonzeros
        for mode in timed_modes(run):
            name, median = text(mode, "mode"), number_or_0(mode, "median_s")
            name += f", {format_asked(run)}" if several else ""
            if name not in names and len(names) >= MOST_MODES:
                continue
            names[name] = None
            known = fastest.get((name, ranks))
            if known and known.median <= median:
                continue
            how = f"transport {text(mode, 'transport')}, format {text(run, 'format', 'interior')}"
            rate = max(1.0, nonzeros) / median / ranks
            fastest[name, ranks] = Point(name, ranks, median, nonzeros, rate, how)
    scaling = Scaling([fastest[key] for key in sorted(fastest)])
    if len(scaling.counts) < 2:
        return None
    base = scaling.best(scaling.counts[0]).efficiency
    for point in scaling.points:
        point.efficiency /= base
    return scaling


def _row(point: Point, colour: str) -> dict:
    return {
        "mode": point.mode,
        "ranks": point.ranks,
        "colour": colour,
        "efficiency": point.efficiency,
        "speedup": point.speedup,
        "seconds": point.median,
        "median": seconds(point.median),
        "share": percent(point.efficiency),
        "nonzeros": count(point.nonzeros),
        "how": point.how,
    }


@dataclass
class Curve:
    """A chart over the ranks: which field of a row, and its ideal at both ends."""

    field: str
    label: str
    y: alt.Y
    ideal: tuple[float, float]
    ideal_words: str
    dotted: float | None = None  # where a dotted line is


def _ranks_axis(counts: list[float]) -> alt.X:
    most = 12
    shown = counts[:: (len(counts) + most - 1) // most]
    scale = alt.Scale(type="log", domain=[counts[0] / 1.1, counts[-1] * 1.1], nice=False)
    axis = alt.Axis(values=shown, format=",d", grid=True)
    return alt.X("ranks:Q", title="ranks", scale=scale, axis=axis)


def _lines(rows: list[dict], counts: list[float], curve: Curve, height: int) -> Plot:
    x = _ranks_axis(counts)
    tips = charts.tips("mode", "ranks", "nonzeros", "median", "share=efficiency", "how")
    base = alt.Chart(charts.data(rows)).encode(x=x, y=curve.y, color=charts.own_colour())
    lines = base.mark_line(strokeWidth=2).encode(detail="mode:N")
    dots = base.mark_point(size=70, filled=True, opacity=1, stroke="var(--panel)").encode(
        tooltip=tips
    )
    ideal = [
        {"ranks": ranks, curve.field: value, "what": curve.ideal_words}
        for ranks, value in zip((counts[0], counts[-1]), curve.ideal)
    ]
    dashed = (
        alt.Chart(charts.data(ideal))
        .mark_line(color="var(--soft)", strokeDash=[7, 5], strokeWidth=2)
        .encode(x=x, y=curve.y, tooltip=charts.tips("what"))
    )
    layers = [dashed, lines, dots]
    if curve.dotted is not None:
        at = alt.Chart(charts.data([{curve.field: curve.dotted, "what": percent(curve.dotted)}]))
        rule = at.mark_rule(color="var(--soft)", strokeDash=[2, 4], strokeWidth=1.5)
        layers.insert(0, rule.encode(y=curve.y, tooltip=charts.tips("what")))
    return charts.plot(alt.layer(*layers), curve.label, height)


def _efficiency(scaling: Scaling) -> Curve:
    best = max(1.0, max(point.efficiency for point in scaling.points))
    y = alt.Y(
        "efficiency:Q",
        title="efficiency",
        scale=alt.Scale(domain=[0, best]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    label = "Efficiency over the number of ranks, by mode"
    return Curve("efficiency", label, y, (1, 1), "ideal", dotted=0.5)


def _parts(scaling: Scaling, curve: Curve, column: str, entry: Callable[[Point], str]) -> list:
    colours = {mode: series_colour(i) for i, mode in enumerate(scaling.modes)}
    rows = [_row(point, colours[point.mode]) for point in scaling.points]
    table = [("mode", "ranks", column, "median", "efficiency", "how")]
    table += [
        (p.mode, count(p.ranks), entry(p), seconds(p.median), percent(p.efficiency), p.how)
        for p in scaling.points[:MOST_ROWS]
    ]
    legend = [(colour, mode) for mode, colour in colours.items()] + [
        ("var(--soft)", "ideal (dashed)")
    ]
    return [
        Legend(legend),
        _lines(rows, scaling.counts, curve, 280),
        _lines(rows, scaling.counts, _efficiency(scaling), 180),
        numbers_table(table),
    ]


def draw_strong(runs: list[Json]) -> Drawing:
    scaling = scaling_of(runs)
    if scaling is None:
        return Drawing(
            "strong scaling needs results of one matrix on at least two numbers of ranks"
        )
    fewest, most = scaling.counts[0], scaling.counts[-1]
    title = "times as fast as one rank"
    if fewest != 1:  # nothing is known of one rank
        title = f"speed-up; {plural(fewest, 'rank')} count as {count(fewest)}"
    speeds = [point.speedup for point in scaling.points]
    domain = [min([1.0, *speeds]) / 1.1, max([most, *speeds]) * 1.1]
    y = alt.Y(
        "speedup:Q",
        title=title,
        scale=alt.Scale(type="log", domain=domain, nice=False),
        axis=charts.log_axis(*domain),
    )
    label = "Speed-up over the number of ranks, by mode"
    curve = Curve("speedup", label, y, (fewest, most), "ideal: twice the ranks, half the time")
    best, first = scaling.best(most), scaling.best(fewest)
    half = max([p.ranks for p in scaling.points if p.efficiency >= 0.5])
    lost = f"beyond {plural(half, 'rank')} no mode has {percent(0.5)}."
    says = (
        f"On {plural(most, 'rank')} the fastest mode, {best.mode}, takes {seconds(best.median)} for a product, "
        f"{digits(first.median / best.median)} times as fast as the fastest on {plural(fewest, 'rank')}: an "
        f"efficiency of {percent(best.efficiency)}; "
        + (f"no number of ranks here is below {percent(0.5)}." if half >= most else lost)
    )
    return Drawing(says, _parts(scaling, curve, "speed-up", lambda point: digits(point.speedup)))


def draw_weak(runs: list[Json]) -> Drawing:
    scaling = scaling_of(runs)
    if scaling is None:
        return Drawing("weak scaling needs results on at least two numbers of ranks")
    fewest, most = scaling.counts[0], scaling.counts[-1]
    best, first = scaling.best(most), scaling.best(fewest)
    y = alt.Y(
        "seconds:Q",
        title="time of a product",
        scale=alt.Scale(domainMin=0),
        axis=alt.Axis(tickCount=5, labelExpr="format(datum.value, '~s') + 's'"),
    )
    label = "Time of a product over the number of ranks, by mode"
    words = "ideal: as many nonzeros for each rank take as long on any number of ranks"
    curve = Curve("seconds", label, y, (first.median, first.median), words)
    says = (
        f"On {plural(most, 'rank')} the fastest mode, {best.mode}, takes {seconds(best.median)} for a product, where "
        f"the fastest on {plural(fewest, 'rank')} takes {seconds(first.median)}: an efficiency of "
        f"{percent(best.efficiency)}."
    )
    return Drawing(says, _parts(scaling, curve, "nonzeros", lambda point: count(point.nonzeros)))
