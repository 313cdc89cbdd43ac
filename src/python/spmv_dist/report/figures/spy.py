"""Squares of cells: where the nonzeros are, and who sends to whom."""

from __future__ import annotations

import math

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import (
    NO_PICTURES,
    RANK_COLOURS,
    Drawing,
    Legend,
    Pair,
    Plot,
    numbers_table,
    rank_colour,
)
from spmv_dist.report.runs import matrix_of, ranks_of
from spmv_dist.schema import Json, items, member, number_or_0, numbers, text
from spmv_dist.words import byte_count, count, percent, plural

STRENGTHS = 4
MOST_SIDE = 64

Cells = dict[tuple[int, int], tuple[float, int]]  # (row, column) -> value, rank


def _strengths(cells: Cells) -> dict[tuple[int, int], int]:
    """1 to 4 by the logarithm of the value; values that differ little look similar."""
    largest = max(value for value, _ in cells.values())
    least = min(min(value for value, _ in cells.values()), largest / 16)
    scale = (STRENGTHS - 0.001) / math.log(largest / least)
    return {at: 1 + int(scale * math.log(value / least)) for at, (value, _) in cells.items()}


def _ids(cell: str, ids: float, side: int, per_cell: float) -> str:
    """A Vega expression for the ids that a row or a column of cells stands for."""
    if per_cell > 0:
        first, last = (
            f"datum.{cell}*{per_cell:g}",
            f"min((datum.{cell}+1)*{per_cell:g}, {ids:.0f})-1",
        )
    else:
        first = f"ceil(datum.{cell}*{ids:.0f}/{side})"
        last = f"min(ceil((datum.{cell}+1)*{ids:.0f}/{side}), {ids:.0f})-1"
    return f"{last} > {first} ? {first} + ' to ' + ({last}) : '' + {first}"


def _grid(
    cells: Cells, side: int, ids: tuple[float, float], titles: list[str], label: str, **more
) -> Plot:
    """`ids`: rows and columns in all; `titles`: fields of the tip: row, column, value and perhaps rank."""
    per_cell, title, words = (
        more.get("per_cell", 0),
        more.get("title", ""),
        more.get("words", False),
    )
    strengths = _strengths(cells)
    fields = ["r", "c", "v", "k", "s"]
    rows = [(r, c, v, k, strengths[r, c]) for (r, c), (v, k) in sorted(cells.items())]
    if words:  # CSV has numbers alone
        data = charts.data(
            [{**dict(zip(fields, row)), "words": byte_count(row[2])} for row in rows]
        )
    else:
        data = charts.csv_data(fields, rows)
    tips = [f"{field}={name}" for field, name in zip(("rows", "cols", "value", "k"), titles)]
    base = (
        alt.Chart(data)
        .transform_calculate(
            r1="datum.r + 1",
            c1="datum.c + 1",
            rows=_ids("r", ids[0], side, per_cell),
            cols=_ids("c", ids[1], side, per_cell),
            value="format(datum.v, ',')",
            colour=f"'var(--r' + (datum.k % {RANK_COLOURS}) + ')'",
        )
        .encode(
            x=alt.X("c:Q", scale=charts.zoomed("x"), axis=None),
            y=alt.Y("r:Q", scale=charts.zoomed("y"), axis=None),
            tooltip=charts.tips(*tips),
        )
    )
    # Without the type it would be a scale of points, which takes all values between the first two of the range.
    shades = alt.Scale(type="ordinal", domain=[1, 2, 3, 4], range=[0.35, 0.55, 0.78, 1])
    chart = base.mark_rect(clip=True).encode(
        x2="c1:Q",
        y2="r1:Q",
        color=charts.own_colour(),
        opacity=alt.Opacity("s:O", scale=shades, legend=None),
    )
    if words:
        middle = base.transform_calculate(x="datum.c + 0.5", y="datum.r + 0.5")
        cell = "width / (x1 - x0)"
        look = charts.outlined(
            fontSize=alt.ExprRef(f"min(14.4, {cell} / 4)"),
            opacity=alt.ExprRef(
                f"{cell} < 44 ? 0 : 1"
            ),  # until there is room for letters of 11 pixels
        )
        mark = middle.mark_text(clip=True, **look)
        chart = chart + mark.encode(x="x:Q", y="y:Q", text="words:N")
    chart = chart.add_params(*charts.ends("x", 0, side), *charts.ends("y", 0, side))
    chart = chart.properties(view=alt.ViewBackground(fill="var(--paper)", stroke="var(--rule)"))
    return charts.plot(chart, label, title=title, zoom="xy")


# ---- Where the nonzeros are --------------------------------------------------------------------


def _spy(grid: Json) -> tuple[int, Cells]:
    side = number_or_0(grid, "side")
    if not 1 <= side <= MOST_SIDE:
        return 0, {}
    cells: Cells = {}
    for one in items(grid, "cells"):
        values = numbers(one, 4)
        if len(values) != 4:
            continue
        row, col, nonzeros, rank = values
        if 0 <= row < side and 0 <= col < side and nonzeros > 0 and 0 <= rank <= 1e9:
            cells.setdefault((int(row), int(col)), (nonzeros, int(rank)))
    return int(side), cells


def _share_between(cells: Cells, side: int, ranks: float) -> float:
    """The share of the nonzeros between ranks with equally many rows and columns, as read; by cells, so not exact."""
    rank = [math.floor((i + 0.5) * ranks / side) for i in range(side)]
    between = sum(value for (row, col), (value, _) in cells.items() if rank[row] != rank[col])
    return between / sum(value for value, _ in cells.values())


def _spy_says(run: Json, side: int, cells: Cells) -> str:
    ranks, nonzeros = ranks_of(run), matrix_of(run).nonzeros
    if ranks == 1:
        return "One rank has the whole matrix, in the order in which it was read."
    cut = number_or_0(run, "partition", "edge_cut")
    travel = plural(number_or_0(run, "partition", "halo_total"), "element")
    leaves = (
        f"partitioner {text(run, 'partition', 'partitioner')} leaves {count(cut)} nonzeros, "
        f"{percent(cut / nonzeros) if nonzeros > 0 else 'none'}, for which {travel} of x travel in every product."
    )
    if ranks * 4 > side:  # a cell is no longer small beside the blocks of ranks
        return "With a column of another rank " + leaves
    return (
        f"Cut into {count(ranks)} equal ranges of rows as it was read, about "
        f"{percent(_share_between(cells, side, ranks))} of the nonzeros would have a column of another rank; {leaves}"
    )


def _rank_legend(cells: Cells) -> Legend:
    ranks = sorted({rank for _, rank in cells.values()})
    entries = [(rank_colour(rank), f"rank {rank}") for rank in ranks[:RANK_COLOURS]]
    if len(ranks) > RANK_COLOURS:
        colour, words = entries[-1]
        entries[-1] = (colour, words + " ..., then the colours begin again")
    return Legend(entries)


def draw_spy(run: Json) -> Drawing:
    side, before = _spy(member(run, "pictures", "spy_before"))
    after_side, after = _spy(member(run, "pictures", "spy_after"))
    if not before or not after:
        return Drawing(NO_PICTURES)
    matrix, every = matrix_of(run), number_or_0(run, "pictures", "every_row")
    value = f"nonzeros in one of {count(every)} rows" if every > 1 else "nonzeros"
    titles, ids = ["rows", "columns", value, "most of rank"], (matrix.rows, matrix.cols)
    read = _grid(
        before, side, ids, titles, "Nonzeros of the matrix as read, by rank", title="as read"
    )
    had = _grid(
        after,
        after_side,
        ids,
        titles,
        "Nonzeros of the partitioned matrix, by rank",
        title="as the ranks have it",
    )
    return Drawing(_spy_says(run, side, before), [_rank_legend(after), Pair([read, had])])


# ---- Who sends to whom -------------------------------------------------------------------------


def _block(block: int, per_block: float, ranks: float) -> str:
    first = block * per_block
    last = min(first + per_block, ranks) - 1
    return f"ranks {count(first)} to {count(last)}" if last > first else f"rank {count(first)}"


def _sent(run: Json) -> tuple[int, Cells]:
    rows = items(run, "pictures", "communication", "bytes")
    cells: Cells = {}
    for start, row in enumerate(rows if len(rows) <= MOST_SIDE else []):
        for end, sent in enumerate(numbers(row, len(rows))):
            if sent > 0:
                cells[start, end] = (sent, 0)
    return len(rows) if len(rows) <= MOST_SIDE else 0, cells


def draw_communication(run: Json) -> Drawing:
    ranks = ranks_of(run)
    if ranks == 1:
        return Drawing("one rank sends nothing")
    blocks, cells = _sent(run)
    if blocks == 0:
        return Drawing(NO_PICTURES)
    if not cells:
        return Drawing("no rank needs elements of x of another one")
    per_block = max(1.0, number_or_0(run, "pictures", "communication", "ranks_per_block"))
    (start, end), (most, _) = max(cells.items(), key=lambda cell: cell[1][0])
    total = sum(value for value, _ in cells.values())
    says = (
        f"In every product {byte_count(total)} travel between {plural(ranks, 'rank')}; the most from "
        f"{_block(start, per_block, ranks)} to {_block(end, per_block, ranks)}, {byte_count(most)}; "
    )
    if per_block == 1:
        says += f"{count(len(cells))} of {count(ranks * (ranks - 1))} pairs have something to send."
    else:
        says += f"each cell stands for {count(per_block)} x {count(per_block)} ranks."
    few = 8
    grid = _grid(
        cells,
        blocks,
        (ranks, ranks),
        ["from rank", "to rank", "bytes"],
        "Bytes from rank to rank in one product",
        per_cell=per_block,
        words=blocks <= few,
    )
    names = [_block(block, per_block, ranks) for block in range(blocks)]
    rows = [("from", "to", "bytes")]
    rows += [(names[a], names[b], count(v)) for (a, b), (v, _) in sorted(cells.items())]
    return Drawing(says, [grid, numbers_table(rows[:257])])
