"""Makes summary.html, and a CSV file for each of its tables."""

from __future__ import annotations

import csv
import functools
import io
import os
from collections.abc import Sequence
from typing import Optional, Union

import altair as alt

from spmv_dist.papers import figures
from spmv_dist.papers.data import Analyses, Measured
from spmv_dist.report import charts
from spmv_dist.report.figures import Figure
from spmv_dist.report.page import Sections, render
from spmv_dist.report.parts import Drawing, Legend, Plot, Table, series_colour
from spmv_dist.tool import NamedFile, Output

Number = Optional[float]
Value = Union[str, Number]
MOST_BARS = 40


def shown(value: Value) -> str:
    """Four digits."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.6g}"
    return "" if value is None else str(value)


class Summary:
    """A page in a folder, with its tables as CSV files beside it. `reads`: files of measurements, which stay."""

    def __init__(self, folder: str, reads: Sequence[NamedFile]):
        self._folder = folder
        self._reads = reads
        self._sections = Sections()
        self._parts: list[tuple[str, functools.partial]] = []

    def add(self, name: str, title: str, says: str, parts: list) -> None:
        """A figure or a table."""
        figure = Figure(name, title, "", lambda _: Drawing(""))
        drawing = Drawing(says, parts)
        self._parts.append((title, functools.partial(self._sections.figure, figure, drawing)))

    def _save(self, name: str, rows: Sequence[Sequence[Value]]) -> str:
        text = io.StringIO()
        csv.writer(text).writerows([["" if v is None else v for v in row] for row in rows])
        self._write(name + ".csv", text.getvalue())
        return f"The numbers are in {name}.csv."

    def table(
        self, name: str, title: str, rows: Sequence[Sequence[Value]], folded: bool = False
    ) -> None:
        """The first row is the head."""
        cells = [tuple(shown(value) for value in row) for row in rows]
        says = self._save(name, rows)
        self.add(name, title, says, [Table(cells, "All numbers" if folded else "")])

    def chart(
        self,
        name: str,
        title: str,
        label: str,
        groups: list[str],
        series: dict[str, list[Number]],
        line: Number = None,
    ) -> None:
        """`series`: one value or None for each of `groups`. Few are bars, many a heat map: blue below `line`, red above."""
        series = {k: v for k, v in series.items() if any(one is not None for one in v)}
        if not series or not groups:
            self.add(name, title, "Not drawn: none of these formats was measured.", [])
            return
        rows = [["matrix", *series]]
        rows += [[g, *(v[i] for v in series.values())] for i, g in enumerate(groups)]
        says = f"{label}. {self._save(name, rows)}"
        cells = [tuple(shown(value) for value in row) for row in rows]
        draw = heat_map if len(series) > 1 and len(groups) * len(series) > MOST_BARS else bars
        self.add(
            name, title, says, [*draw(title, groups, series, line), Table(cells, "All numbers")]
        )

    def lengths(self, name: str, title: str, matrices: dict[str, list[tuple[int, int]]]) -> None:
        """Numbers of rows by length, a chart for each matrix."""
        rows = [["matrix", "length", "rows"]]
        rows += [[m, length, n] for m, pairs in matrices.items() for length, n in pairs]
        plots = [_length_plot(m, pairs) for m, pairs in matrices.items()]
        self.add(name, title, self._save(name, rows), plots)

    def write(self, title: str) -> None:
        page = render(title, self._parts)
        self._write("summary.html", page)

    def _write(self, name: str, text: str) -> None:
        Output("the file to write", os.path.join(self._folder, name), self._reads).write(text)


def _values(groups: list[str], series: dict[str, list[Number]]) -> list[dict]:
    return [
        {
            "matrix": g,
            "format": name,
            "value": v[i],
            "words": shown(v[i]),
            "colour": series_colour(k),
        }
        for k, (name, v) in enumerate(series.items())
        for i, g in enumerate(groups)
        if v[i] is not None
    ]


def _matrix_axis(groups: list[str]) -> alt.Y:
    return alt.Y("matrix:N", sort=groups, title=None, axis=alt.Axis(labelLimit=220, grid=False))


def bars(title: str, groups: list[str], series: dict[str, list[Number]], line: Number) -> list:
    """Lying bars, those of one matrix below each other."""
    names = list(series)
    chart = (
        alt.Chart(charts.data(_values(groups, series)))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=None, axis=charts.few_ticks()),
            y=_matrix_axis(groups),
            yOffset=alt.YOffset("format:N", sort=names),
            color=charts.own_colour(),
            tooltip=charts.tips("matrix", "format", "words=value"),
        )
    )
    if line is not None:
        rule = alt.Chart(charts.data([{"at": line}])).mark_rule(color="var(--ink)")
        chart = alt.layer(chart, rule.encode(x="at:Q"))
    height = len(groups) * (10 * len(series) + 8) + 10
    legend = [(series_colour(k), name) for k, name in enumerate(names)]
    return [Legend(legend)] * (len(names) > 1) + [charts.plot(chart, title, height)]


def heat_map(title: str, groups: list[str], series: dict[str, list[Number]], line: Number) -> list:
    """A cell with its value for each matrix and format."""
    values = _values(groups, series)
    top = max(one["value"] for one in values)
    if line is None:
        scale = alt.Scale(scheme="viridis", domain=[0, top])
    else:
        scale = alt.Scale(
            scheme="redblue", reverse=True, domainMid=line, domain=[0, max(top, 1.5 * line)]
        )
    base = alt.Chart(charts.data(values)).encode(
        x=alt.X(
            "format:N",
            sort=list(series),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=120, grid=False),
        ),
        y=_matrix_axis(groups),
        tooltip=charts.tips("matrix", "format", "words=value"),
    )
    cells = base.mark_rect().encode(color=alt.Color("value:Q", scale=scale, legend=None))
    return [charts.plot(cells, title, 16 * len(groups) + 10)]


def _length_plot(matrix: str, pairs: list[tuple[int, int]]) -> Plot:
    top = max(n for _, n in pairs) * 1.2
    rows = [{"length": at - 0.5, "to": at + 0.5, "rows": n, "nonzeros": at} for at, n in pairs]
    scale = alt.Scale(type="log", domain=[0.7, top], nice=False)
    chart = (
        alt.Chart(charts.data(rows))
        .mark_rect(color="var(--best)")
        .encode(
            x=alt.X("length:Q", title="nonzeros in a row", axis=charts.few_ticks()),
            x2="to:Q",
            y=alt.Y("rows:Q", title="rows", scale=scale, axis=charts.log_axis(0.7, top)),
            y2=charts.y_at(0.7),
            tooltip=charts.tips("nonzeros", "rows"),
        )
    )
    return charts.plot(chart, f"Row lengths of {matrix}", 110, title=matrix)


def write_summary(
    folder: str,
    reads: Sequence[NamedFile],
    double: Measured,
    single: Measured,
    host: Measured,
    analyses: Analyses,
) -> None:
    """All tables and figures of the matrices that were measured and analysed, from the files `reads`."""
    summary = Summary(folder, reads)
    matrices = [m for m in double.matrices() if m in analyses]
    says = (
        f"Device: {', '.join(double.devices())}. Processor: {', '.join(host.devices())}. Times are medians without "
        "transfers; GF/s count 2 flops per nonzero."
    )
    summary.add("devices", "Formats of the papers, measured", says, [])
    figures.of_kreutzer(summary, matrices, double, single, host, analyses)
    figures.of_vazquez(summary, matrices, analyses, double, host)
    figures.of_wang(summary, matrices, analyses, double)
    figures.of_all_formats(summary, matrices, double)
    summary.write("Formats of the papers")
