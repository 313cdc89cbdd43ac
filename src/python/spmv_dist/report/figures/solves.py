"""What solvers made of one system: how residuals fall, and where the time of an iteration goes."""

from __future__ import annotations

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.figures.histories import MOST_HISTORY, history_lines, history_points
from spmv_dist.report.parts import Drawing, Legend, Plot, Table, numbers_table, series_colour
from spmv_dist.schema import Json, items, number_or_0, numbers, text
from spmv_dist.words import count, digits, percent, plural, seconds

MOST_LINES = 8
MOST_BARS = 64
PARTS = (("product_s", "product"), ("vectors_s", "vectors"), ("sums_s", "sums over ranks"))


def solved(solve: Json) -> list[Json]:
    """The solvers that were run, in the order of the table."""
    return [one for one in items(solve, "solvers") if isinstance(one, dict) and text(one, "stop")]


def titles(solve: Json) -> list[str]:
    """A name for each of solved(): with the mode and the transport where these differ; each only once."""
    runs = solved(solve)
    named = ["solver"] + [
        key for key in ("mode", "transport") if len({text(one, key) for one in runs}) > 1
    ]
    found: list[str] = []
    for one in runs:
        name = ", ".join(text(one, key) or "-" for key in named)
        times = sum(known == name or known.startswith(f"{name} (") for known in found)
        found.append(f"{name} ({times + 1})" if times else name)
    return found


def _ends(one: Json, name: str) -> str:
    """How a solver ended, in words."""
    iterations = plural(number_or_0(one, "iterations"), "iteration")
    residual = f"{number_or_0(one, 'residual'):.1e}"
    if text(one, "stop") == "converged":
        return f"{name} converges in {iterations}"
    return f"{name} stops after {iterations} with a residual of {residual} ({text(one, 'stop')})"


def _ends_table(solve: Json) -> Table:
    rows = [("solver", "iterations", "restarts", "residual", "error", "stop", "reason")]
    for one, name in zip(solved(solve), titles(solve)):
        rows.append(
            (
                name,
                *(count(number_or_0(one, key)) for key in ("iterations", "restarts")),
                f"{number_or_0(one, 'residual'):.2e}",
                f"{number_or_0(one, 'error'):.2e}" if "error" in one else "–",
                *(text(one, key) for key in ("stop", "reason")),
            )
        )
    return numbers_table(rows)


def draw_history(solve: Json) -> Drawing:
    """|r| / |b| before every iteration."""
    runs, names = solved(solve)[:MOST_LINES], titles(solve)[:MOST_LINES]
    rows: list[dict] = []
    for i, (one, name) in enumerate(zip(runs, names)):
        history = numbers(one.get("history"), MOST_HISTORY)
        rows += history_points(name, series_colour(i), history)
    if not rows:
        return Drawing("no solver of this file has a history")
    says = "; ".join(_ends(one, name) for one, name in zip(runs, names)) + "."
    if len(solved(solve)) > MOST_LINES:
        says += f" The first {MOST_LINES} of {len(solved(solve))} are shown."
    legend = Legend([(series_colour(i), name) for i, name in enumerate(names)])
    lines = history_lines(rows, "iteration", "|r| / |b|", "Residual by iteration")
    return Drawing(says, [legend, lines, _ends_table(solve)])


def _measured(solve: Json) -> list[tuple[Json, str]]:
    """The solvers whose parts were measured, the fastest iteration first."""
    pairs = [
        (one, name)
        for one, name in zip(solved(solve), titles(solve))
        if number_or_0(one, "product_s") > 0 and number_or_0(one, "seconds_per_iteration") > 0
    ]
    return sorted(pairs, key=lambda pair: number_or_0(pair[0], "seconds_per_iteration"))


def _bar(one: Json, name: str) -> list[dict]:
    rows, end = [], 0.0
    for i, (key, part) in enumerate(PARTS):
        length = max(0.0, number_or_0(one, key))
        rows.append(
            {
                "solver": name,
                "part": part,
                "colour": series_colour(i),
                "begin": end * 1e6,
                "end": (end + length) * 1e6,
                "time": seconds(length),
            }
        )
        end += length
    return rows


def _fastest(pairs: list[tuple[Json, str]]) -> str:
    one, name = pairs[0]
    whole = number_or_0(one, "seconds_per_iteration")
    product = number_or_0(one, "product_s")
    says = f"{name} has the fastest iteration with {seconds(whole)}, of which products are {percent(product / whole)}"
    if number_or_0(one, "bound_s") > 0:
        says += f"; at the bandwidth measured its bytes take {seconds(number_or_0(one, 'bound_s'))}"
    slowest, last = pairs[-1]
    if len(pairs) > 1:
        ratio = number_or_0(slowest, "seconds_per_iteration") / whole
        says += f". {last}, the slowest, takes {digits(ratio)} times as long"
    return says + "."


def _stacks(pairs: list[tuple[Json, str]]) -> Plot:
    rows = [row for one, name in pairs for row in _bar(one, name)]
    axis = alt.Axis(grid=False, labelLimit=280, labelOverlap=False)
    bars = (
        alt.Chart(charts.data(rows))
        .mark_bar(height=16)
        .encode(
            x=alt.X("begin:Q", title="µs", axis=charts.few_ticks()),
            x2="end:Q",
            y=alt.Y("solver:N", sort=None, title=None, axis=axis),
            color=charts.own_colour(),
            tooltip=charts.tips("solver", "part", "time"),
        )
    )
    return charts.plot(bars, "Parts of an iteration by solver", 24 * len(pairs))


def _parts_table(pairs: list[tuple[Json, str]]) -> Table:
    times = ("seconds_per_iteration", "product_s", "vectors_s", "sums_s", "bound_s")
    rows = [
        ("solver", "iteration", "product", "vectors", "sums", "bound", "limit", "format", "layout")
    ]
    for one, name in pairs:
        shown = (seconds(max(0.0, number_or_0(one, key))) for key in times)
        words = (text(one, key) or "–" for key in ("limit", "format", "layout"))
        rows.append((name, *shown, *words))
    return numbers_table(rows)


def draw_iteration(solve: Json) -> Drawing:
    """The parts of an iteration as stacked bars."""
    pairs = _measured(solve)
    if not pairs:
        return Drawing("no solver of this file has the parts of its iterations")
    legend = Legend([(series_colour(i), part) for i, (_, part) in enumerate(PARTS)])
    return Drawing(_fastest(pairs), [legend, _stacks(pairs[:MOST_BARS]), _parts_table(pairs)])
