"""Charts by Altair, in the manner of this page: colours from its style, no legends of their own."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from spmv_dist.report.parts import Plot


def data(rows: list[dict[str, Any]]) -> alt.Data:
    """Rows as data within the page."""
    return alt.Data(values=rows)


def csv_data(head: list[str], rows: list[tuple[float, ...]]) -> alt.Data:
    """Many rows of numbers in few characters."""
    lines = [",".join(head)] + [",".join(f"{value:.15g}" for value in row) for row in rows]
    parse = dict.fromkeys(head, "number")
    return alt.Data(values="\n".join(lines), format=alt.CsvDataFormat(type="csv", parse=parse))


def own_colour(field: str = "colour") -> alt.Color:
    """The colour that each row of the data names."""
    return alt.Color(f"{field}:N", scale=None, legend=None)


def tips(*names_and_titles: str) -> list[alt.Tooltip]:
    """What a pointer shows: "field=title", or a field that is its title."""
    pairs = (name.partition("=") for name in names_and_titles)
    return [
        alt.Tooltip(field=field, type="nominal", title=title or field) for field, _, title in pairs
    ]


def outlined(**more: Any) -> dict[str, Any]:
    """The look of text that stays legible on bars, lines and cells."""
    return {"color": "var(--ink)", "stroke": "var(--panel)", "strokeWidth": 3, **more}


def y_at(value: float) -> alt.YDatum:
    """A place along y."""
    return alt.YDatum(value)


def few_ticks(**more: Any) -> alt.Axis:
    """An axis with as many ticks as its length has room for, also when it is enlarged."""
    return alt.Axis(tickCount=alt.ExprRef("ceil(width / 110)"), **more)


def whole_axis(span: str, **more: Any) -> alt.Axis:
    """An axis of whole numbers. `span`: a Vega expression for its length.

    With at most one tick per unit every step is whole; enlarged below one unit, other ticks have no label.
    """
    ticks = alt.ExprRef(f"max(1, min(ceil(width / 110), floor({span})))")
    label = "datum.value % 1 ? '' : format(datum.value, ',')"
    return alt.Axis(tickCount=ticks, labelExpr=label, **more)


def log_axis(least: float, largest: float, **more: Any) -> alt.Axis:
    """An axis with a tick for every power of ten, and, if these are few, for 2 and 5 times it."""
    factors = (1, 2, 5) if largest / least < 100 else (1,)
    exponents = range(math.floor(math.log10(least)), math.ceil(math.log10(largest)) + 1)
    ticks = [factor * 10.0**exponent for exponent in exponents for factor in factors]
    return alt.Axis(values=[t for t in ticks if least <= t <= largest], format=",~r", **more)


def zoomed(axis: str) -> alt.Scale:
    """A linear scale whose ends are signals: x0 and x1, or y0 and y1, downward. page.js changes them."""
    low, high = alt.ExprRef(f"{axis}0"), alt.ExprRef(f"{axis}1")
    return alt.Scale(domainMin=low, domainMax=high, nice=False, zero=False, reverse=axis == "y")


def ends(axis: str, least: float, largest: float) -> list[alt.VariableParameter]:
    """The signals of zoomed(), with what they are at first."""
    return [
        alt.param(name=f"{axis}0", value=least),
        alt.param(name=f"{axis}1", value=largest),
    ]


def narrow() -> list[alt.VariableParameter]:
    """The signal that page.js sets on a telephone, where it makes the chart higher, too."""
    return [alt.param(name="narrow", value=False)]


def plot(
    chart: alt.TopLevelMixin, label: str, height: Any = None, title: str = "", zoom: str = ""
) -> Plot:
    """The chart as a part of a page: as wide as its place."""
    sized = chart.properties(width="container")
    if height is not None:
        sized = sized.properties(height=height)
    spec = sized.to_dict()
    for name in ("$schema", "config"):  # the page has one for all
        spec.pop(name, None)
    return Plot(spec, label, title, zoom)
