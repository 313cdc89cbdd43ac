"""The product of median length on every rank, mode by mode."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import NO_PICTURES, Drawing, Legend, Plot, numbers_table
from spmv_dist.schema import Json, as_number, items, number_or_0, text
from spmv_dist.words import seconds

MOST_TIMELINES, MOST_RANKS, MOST_SPANS = 8, 16, 16

# The colour of each phase; those of communication have a line of their own.
HALO_PHASES = ("gather", "d2h", "mpi", "h2d", "upload_x", "download_y")
COLOURS = {
    "interior": "var(--c0)",
    "merged": "var(--c2)",
    "boundary": "var(--c5)",
    "gather": "var(--c4)",
    "d2h": "var(--c3)",
    "mpi": "var(--c1)",
    "h2d": "var(--c6)",
}


@dataclass(frozen=True)
class Span:
    phase: str
    begin: float
    end: float


def spans_of(rank: Json) -> list[Span]:
    spans = []
    for span in items(rank, "spans"):
        if not isinstance(span, list) or len(span) != 3 or not isinstance(span[0], str):
            continue
        begin, end = as_number(span[1]), as_number(span[2])
        if begin is not None and end is not None and end >= begin and end >= 0:
            spans.append(Span(span[0], max(0.0, begin), end))
    return spans[:MOST_SPANS]


def _end(rank: Json) -> float:
    return max((span.end for span in spans_of(rank)), default=0.0)


def _last(timeline: Json) -> Span:
    """What ends last in a timeline."""
    spans = [span for rank in items(timeline, "ranks") for span in spans_of(rank)]
    return max(spans, key=lambda span: span.end, default=Span("", 0, 0))


def _wait(timeline: Json) -> tuple[float, float]:
    """When the first rank finishes, and how long before the last."""
    ends = [_end(rank) for rank in items(timeline, "ranks")]
    return min(ends), max(ends) - min(ends)


def _says(timelines: list[Json], number_of_all: int) -> str:
    ends = [
        f"after {seconds(_last(t).end)} in {text(t, 'mode')} ({_last(t).phase} last)"
        for t in timelines
    ]
    listed = " and ".join(part for part in (", ".join(ends[:-1]), ends[-1]) if part)
    says = f"The product of median length ends {listed}"
    uneven = max(timelines, key=lambda t: _wait(t)[1])
    first, wait = _wait(uneven)
    if wait > 0:
        says += (
            f". Ranks are least even in {text(uneven, 'mode')}, where the first of those shown finishes after "
            f"{seconds(first)}, {seconds(wait)} before the last"
        )
    if number_of_all > len(timelines):
        says += f". {len(timelines)} of {number_of_all} timelines are shown"
    return says + "."


def _title(timelines: list[Json], timeline: Json) -> str:
    several = sum(text(t, "mode") == text(timeline, "mode") for t in timelines) > 1
    transport = f" over {text(timeline, 'transport')}" if several else ""
    return f"{text(timeline, 'mode')}{transport}, layout {text(timeline, 'layout')}"


@dataclass
class Lanes:
    """What is drawn, in pixels from the top: for each timeline a head, below it two lines for each rank."""

    heads: list[dict]
    labels: list[tuple[float, str]]
    bars: list[dict]
    height: int


LINE, GAP, HEAD = 12, 8, 22


def _lanes(timelines: list[Json], unit: float) -> Lanes:
    lanes = Lanes([], [], [], 0)
    for timeline in timelines:
        lanes.heads.append({"y": lanes.height + HEAD / 2, "title": _title(timelines, timeline)})
        lanes.height += HEAD
        for rank in items(timeline, "ranks")[:MOST_RANKS]:
            _add_rank(lanes, timeline, rank, unit)
            lanes.height += 2 * LINE + GAP
    return lanes


def _add_rank(lanes: Lanes, timeline: Json, rank: Json, unit: float) -> None:
    name = f"{number_or_0(rank, 'rank'):.0f}"
    lanes.labels.append((lanes.height + LINE / 2, f"rank {name}"))
    for span in spans_of(rank):
        top = lanes.height + (LINE if span.phase in HALO_PHASES else 0)
        lanes.bars.append(
            {
                "y": top,
                "y1": top + LINE - 1,
                "begin": span.begin / unit,
                "end": span.end / unit,
                "colour": COLOURS.get(span.phase, "var(--c7)"),
                "phase": span.phase,
                "mode": text(timeline, "mode"),
                "rank": name,
                "length": seconds(span.end - span.begin),
                "from": seconds(span.begin),
                "to": seconds(span.end),
            }
        )


def _rank_axis(lanes: Lanes) -> alt.Axis:
    places = [place for place, _ in lanes.labels]
    names = [name for _, name in lanes.labels]
    words = f"{names}[indexof({places}, datum.value)]"
    return alt.Axis(values=places, labelExpr=words, grid=False, labelOverlap=False)


def _plot(lanes: Lanes, end: float, unit_name: str) -> Plot:
    scale = alt.Scale(domain=[0, lanes.height], reverse=True, nice=False)
    y = alt.Y("y:Q", title=None, scale=scale, axis=_rank_axis(lanes))
    axis = charts.few_ticks(labelExpr=f"datum.label + ' {unit_name}'")
    x = alt.X("begin:Q", title=None, scale=charts.zoomed("x"), axis=axis)
    bars = (
        alt.Chart(charts.data(lanes.bars))
        .mark_rect(clip=True)
        .encode(
            x=x,
            x2="end:Q",
            y=y,
            y2="y1:Q",
            color=charts.own_colour(),
            tooltip=charts.tips("phase", "mode", "rank", "length", "from", "to"),
        )
    )
    bold = charts.outlined(align="left", fontWeight="bold", dx=-52)
    heads = alt.Chart(charts.data(lanes.heads)).mark_text(**bold)
    chart = alt.layer(bars, heads.encode(x=alt.value(0), y=y, text="title:N"))
    return charts.plot(
        chart.add_params(*charts.ends("x", 0, end)),
        "Phases of one product over time, by mode and rank",
        lanes.height,
        zoom="x",
    )


def _legend(lanes: Lanes) -> Legend:
    phases = {bar["phase"]: bar["colour"] for bar in lanes.bars}
    return Legend([(colour, phase) for phase, colour in sorted(phases.items())])


def draw_timeline(run: Json) -> Drawing:
    every = [t for t in items(run, "pictures", "timelines") if items(t, "ranks")]
    timelines = every[:MOST_TIMELINES]
    end = max((_last(t).end for t in timelines), default=0.0)
    if end <= 0:
        return Drawing(NO_PICTURES)
    unit, unit_name = next(
        u for u in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if end >= u[0] or u[0] == 1e-6
    )
    lanes = _lanes(timelines, unit)
    rows = [("mode", "rank", "phase", "length", "from", "to")]
    rows += [
        tuple(bar[key] for key in ("mode", "rank", "phase", "length", "from", "to"))
        for bar in lanes.bars
    ]
    parts = [_legend(lanes), _plot(lanes, end / unit, unit_name), numbers_table(rows)]
    return Drawing(_says(timelines, len(every)), parts)
