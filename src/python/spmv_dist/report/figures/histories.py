"""Residuals that fall, as lines: of solvers and of searches for eigenvalues."""

from __future__ import annotations

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import Plot

MOST_HISTORY = 1_000_000
MOST_POINTS = 400  # of a line


def history_points(name: str, colour: str, history: list[float]) -> list[dict]:
    """Not all of a long history: every so many steps, and the last."""
    if not history:
        return []
    step = max(1, len(history) // MOST_POINTS)
    shown = sorted({*range(0, len(history), step), len(history) - 1})
    return [
        {"of": name, "colour": colour, "step": i, "residual": history[i]}
        for i in shown
        if history[i] > 0
    ]


def history_lines(rows: list[dict], step: str, residual: str, label: str) -> Plot:
    """A line for each name in history_points(). `step` and `residual` are the titles of the axes."""
    values = [row["residual"] for row in rows]
    scale = alt.Scale(type="log", domain=[min(values) / 2, max(values) * 2], nice=False)
    axis = alt.Axis(format=".0e", tickCount=6, grid=True)
    lines = (
        alt.Chart(charts.data(rows))
        .mark_line(strokeWidth=2, point=len(rows) < MOST_POINTS / 4)
        .encode(
            x=alt.X("step:Q", title=step, axis=charts.few_ticks()),
            y=alt.Y("residual:Q", title=residual, scale=scale, axis=axis),
            color=charts.own_colour(),
            detail="of:N",
            tooltip=charts.tips("of", f"step={step}", "residual"),
        )
    )
    return charts.plot(lines, label, 260)
