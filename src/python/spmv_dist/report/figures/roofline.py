"""Rates of modes beside what the bandwidth of memory allows."""

from __future__ import annotations

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import Drawing, Legend, Plot, numbers_table, series_colour
from spmv_dist.report.runs import mode_title, timed_modes
from spmv_dist.schema import Json, number_or_0
from spmv_dist.words import digits, percent

MOST_POINTS, ROOM = 64, 4


def intensity(run: Json, mode: Json) -> float:
    """Flops of a product for each byte that it moves at least; 0: not known."""
    moved, gflops = number_or_0(run, "format", "moved_bytes"), number_or_0(mode, "gflops")
    if moved > 0:
        return gflops * 1e9 * number_or_0(mode, "median_s") / moved
    rate = number_or_0(mode, "effective_gbytes_per_s")
    return gflops / rate if rate > 0 else 0


def _points(run: Json, bandwidth: float) -> list[dict]:
    points = []
    for mode in timed_modes(run):
        x, y = intensity(run, mode), number_or_0(mode, "gflops")
        if x <= 0 or y <= 0 or len(points) >= MOST_POINTS:
            continue
        points.append(
            {
                "x": x,
                "y": y,
                "mode": mode_title(run, mode),
                "colour": series_colour(len(points)),
                "GF/s": digits(y),
                "flop per byte": digits(x),
                "allowed": f"{digits(bandwidth * x)} GF/s",
                "share": percent(y / (bandwidth * x)),
            }
        )
    return points


def _bounds(run: Json, left: float, right: float, bandwidth: float) -> list[dict]:
    """Where plain CSR would be, if x is loaded once and if it is loaded for every nonzero."""
    lines = []
    for key, when in (
        ("code_balance_best", "if x is loaded once"),
        ("code_balance_worst", "if x is loaded for every nonzero"),
    ):
        balance = number_or_0(run, "model", key)
        if balance > 0 and left <= 1 / balance <= right:
            what = f"plain CSR moves {digits(balance)} bytes per flop {when} [Kreutzer 2012, Eq. 1]"
            lines.append({"x": 1 / balance, "y": bandwidth / balance, "what": what})
    return lines


def _plot(run: Json, points: list[dict], bandwidth: float) -> Plot:
    left = min(p["x"] for p in points) / ROOM
    right = max(p["x"] for p in points) * ROOM
    bottom = min([p["y"] for p in points] + [bandwidth * left]) / 2
    top = max([p["y"] for p in points] + [bandwidth * right])
    log_x = alt.Scale(type="log", domain=[left, right], nice=False)
    log_y = alt.Scale(type="log", domain=[bottom, top], nice=False)
    x = alt.X(
        "x:Q", scale=log_x, title="flop for each byte moved", axis=charts.log_axis(left, right)
    )
    y = alt.Y("y:Q", scale=log_y, title="GF/s", axis=charts.log_axis(bottom, top))
    roof = [
        {"x": at, "y": bandwidth * at, "what": f"memory: {digits(bandwidth)} GB/s"}
        for at in (left, right)
    ]
    what = charts.tips("what")
    roof_line = alt.Chart(charts.data(roof)).mark_line(color="var(--ink)", strokeWidth=2)
    bound_lines = alt.Chart(charts.data(_bounds(run, left, right, bandwidth))).mark_rule(
        color="var(--soft)", strokeDash=[2, 4], strokeWidth=1.5
    )
    dots = alt.Chart(charts.data(points[::-1])).mark_point(size=90, filled=True, opacity=1)
    return charts.plot(
        alt.layer(
            roof_line.encode(x=x, y=y, tooltip=what),
            bound_lines.encode(x=x, y=y, y2=charts.y_at(bottom), tooltip=what),
            dots.encode(
                x=x,
                y=y,
                color=charts.own_colour(),
                tooltip=charts.tips("mode", "GF/s", "flop per byte", "allowed", "share"),
            ),
        ),
        "Operations per second over operations per byte, with the limit of memory",
        260,
    )


def draw_roofline(run: Json) -> Drawing:
    bandwidth = number_or_0(run, "bandwidth", "copy_bytes_per_s") * 1e-9  # GB/s
    if bandwidth <= 0:
        return Drawing("these results have no measured bandwidth")
    points = _points(run, bandwidth)
    if not points:
        return Drawing("no mode of this run has a rate")
    fastest = points[0]
    share = fastest["y"] / (bandwidth * fastest["x"])
    says = (
        f"The memory of all ranks together moves {digits(bandwidth)} GB/s. At {fastest['flop per byte']} flop per byte "
        f"that allows {fastest['allowed']}; {fastest['mode']}, the fastest mode, reaches {fastest['GF/s']} GF/s, "
        f"{percent(share)} of it."
    )
    if share > 1:
        says += " That is more than memory allows: caches serve part of the bytes."
    if number_or_0(run, "format", "moved_bytes") <= 0:
        says += (
            " Bytes counted: values, columns, row lengths and vectors, whatever the format stores."
        )
    columns = ("mode", "GF/s", "flop per byte", "allowed", "share")
    rows = [columns, *(tuple(p[c] for c in columns) for p in points)]
    legend = Legend([(p["colour"], p["mode"]) for p in points])
    return Drawing(says, [legend, _plot(run, points, bandwidth), numbers_table(rows)])
