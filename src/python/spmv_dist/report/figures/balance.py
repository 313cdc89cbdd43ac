"""How even the ranks' shares are, and how long their rows are."""

from __future__ import annotations

import altair as alt

from spmv_dist.report import charts
from spmv_dist.report.parts import NO_PICTURES, Drawing, Legend, Plot, numbers_table
from spmv_dist.report.runs import matrix_of, ranks_of
from spmv_dist.schema import Json, items, number_or_0, numbers
from spmv_dist.words import count, digits, percent, plural

MOST_SHARES, MOST_CLASSES = 1024, 256


class Shares:
    """What each rank has, or the fullest of each block of ranks, beside the average."""

    def __init__(self, run: Json):
        names = ("rows", "nonzeros", "halo", "neighbours")
        self.ranks = ranks_of(run)
        self.values = [
            {name: max(0.0, number_or_0(one, name)) for name in names}
            for one in items(run, "pictures", "shares", "values")[:MOST_SHARES]
        ]
        self.per_share = max(1.0, number_or_0(run, "pictures", "shares", "ranks_per_share"))
        self.average = matrix_of(run).nonzeros / self.ranks
        self.average_halo = number_or_0(run, "partition", "halo_total") / self.ranks

    def nonzeros(self, i: int) -> float:
        return self.values[i]["nonzeros"] / self.average

    def halo(self, i: int) -> float:
        return self.values[i]["halo"] / self.average_halo if self.average_halo > 0 else 0

    def name(self, i: int) -> str:
        first = i * self.per_share
        if self.per_share == 1:
            return f"Rank {count(first)}"
        last = min(first + self.per_share, self.ranks) - 1
        return f"The fullest of ranks {count(first)} to {count(last)}"

    def words(self, i: int) -> dict[str, str]:
        share = self.values[i]
        return {
            "rank": self.name(i),
            "rows": count(share["rows"]),
            "nonzeros": count(share["nonzeros"]),
            "of average": percent(self.nonzeros(i)),
            "halo": count(share["halo"]),
            "halo of average": percent(self.halo(i)),
            "from": plural(share["neighbours"], "rank"),
        }


def _shares_plot(shares: Shares) -> Plot:
    rows = []
    for i in range(len(shares.values)):
        words, step = shares.words(i), shares.per_share
        at = i * step
        both = ((-0.4, 0, shares.nonzeros(i), "best"), (0, 0.4, shares.halo(i), "halo"))
        for left, right, height, colour in both:
            place = {"x": at + left * step, "x1": at + right * step, "height": height}
            rows.append({**words, **place, "colour": f"var(--{colour})"})
    ends = [at * shares.per_share for at in (-0.5, len(shares.values) - 0.5)]
    axis = charts.whole_axis("x1 - x0", grid=False)
    bars = (
        alt.Chart(charts.data(rows))
        .mark_rect(clip=True)
        .encode(
            x=alt.X("x:Q", title="rank", scale=charts.zoomed("x"), axis=axis),
            x2="x1:Q",
            y=alt.Y(
                "height:Q", title="share of the average", axis=alt.Axis(format="%", tickCount=5)
            ),
            y2=charts.y_at(0),
            color=charts.own_colour(),
            tooltip=charts.tips(*shares.words(0)),
        )
    )
    average = (
        alt.Chart(charts.data([{"y": 1, "what": "average"}]))
        .mark_rule(color="var(--soft)", strokeDash=[2, 4])
        .encode(y="y:Q", tooltip=charts.tips("what"))
    )
    chart = alt.layer(bars, average).add_params(*charts.ends("x", *ends))
    return charts.plot(
        chart, "Nonzeros and halo of every rank, relative to the average", 200, zoom="x"
    )


def draw_imbalance(run: Json) -> Drawing:
    shares = Shares(run)
    if shares.ranks == 1:
        return Drawing("one rank has all of it")
    if not shares.values:
        return Drawing(NO_PICTURES)
    if shares.average <= 0:
        return Drawing("the matrix has no nonzeros")
    every = range(len(shares.values))
    fullest = max(every, key=shares.nonzeros)
    full = shares.words(fullest)
    says = f"{full['rank']} has the most nonzeros, {full['nonzeros']}: {full['of average']} of the average"
    waits = 1 - 1 / shares.nonzeros(fullest) if shares.nonzeros(fullest) > 0 else 0
    if waits < 0.005:
        says += "; no rank waits for long"
    else:
        says += f"; the others may wait for it for {percent(waits)} of their time"
    if shares.average_halo > 0:
        far = shares.words(max(every, key=shares.halo))
        says += (
            f". {far['rank']} has the largest halo, {far['halo']} elements of x from {far['from']}, "
            f"{far['halo of average']} of the average"
        )
    legend = Legend(
        [
            ("var(--best)", "nonzeros of a rank"),
            ("var(--halo)", "halo: elements of x from other ranks"),
        ]
    )
    rows = [tuple(full)] + [tuple(shares.words(i).values()) for i in every]
    return Drawing(says + ".", [legend, _shares_plot(shares), numbers_table(rows)])


# ---- Row lengths -------------------------------------------------------------------------------

Class = tuple[float, float, float]  # from, to, rows


def _classes(run: Json) -> list[Class]:
    found = []
    for one in items(run, "pictures", "row_lengths"):
        values = numbers(one, 3)
        if len(values) == 3 and 0 <= values[0] <= values[1] and values[2] > 0:
            found.append((values[0], values[1], values[2]))
    return found[:MOST_CLASSES]


def _class_name(one: Class) -> str:
    if one[0] == one[1]:
        return plural(one[0], "nonzero")
    return f"{count(one[0])} to {count(one[1])} nonzeros"


def _lengths_plot(classes: list[Class], rows: float) -> Plot:
    # Where classes grow with their lengths the axis is logarithmic, and a length of 0 stands before 1.
    wide = any(to > start for start, to, _ in classes)
    bars = [
        {
            "left": max(start, 0.5) if wide else start - 0.5,
            "right": to + 1 if wide else to + 0.5,
            "height": number,
            "row length": _class_name((start, to, number)),
            "rows": count(number),
            "share": percent(number / rows),
        }
        for start, to, number in classes
    ]
    left, right = min(b["left"] for b in bars), max(b["right"] for b in bars)
    bounds = {"domain": [left, right], "nice": False}
    x_scale = alt.Scale(type="log", **bounds) if wide else alt.Scale(zero=False, **bounds)
    x_axis = charts.log_axis(left, right) if wide else charts.whole_axis(f"{right - left:g}")
    top = max(b["height"] for b in bars) * 1.2
    y_scale = alt.Scale(type="log", domain=[0.5, top], nice=False)
    chart = (
        alt.Chart(charts.data(bars))
        .mark_rect(color="var(--best)", stroke="var(--panel)", strokeWidth=0.5)
        .encode(
            x=alt.X("left:Q", scale=x_scale, title="nonzeros in a row", axis=x_axis),
            x2="right:Q",
            y=alt.Y(
                "height:Q", scale=y_scale, title="number of rows", axis=charts.log_axis(0.5, top)
            ),
            y2=charts.y_at(0.5),
            tooltip=charts.tips("row length", "rows", "share"),
        )
    )
    return charts.plot(chart, "Numbers of rows by their lengths", 220)


def draw_row_lengths(run: Json) -> Drawing:
    classes = _classes(run)
    if not classes:
        return Drawing(NO_PICTURES)
    rows, nonzeros = sum(number for _, _, number in classes), matrix_of(run).nonzeros
    shortest, longest = min(c[0] for c in classes), max(c[1] for c in classes)
    often = max(classes, key=lambda c: c[2])
    if shortest == longest:
        says = f"Every row has {plural(longest, 'nonzero')}."
    else:
        average = f", {digits(nonzeros / rows)} on average" if nonzeros > 0 else ""
        says = (
            f"Rows have {count(shortest)} to {count(longest)} nonzeros{average}; most often {_class_name(often)}, in "
            f"{percent(often[2] / rows)} of the rows."
        )
    if nonzeros > 0 and longest > 0:
        says += (
            " ELLPACK, which fills every row up to the longest, would store "
            f"{digits(longest * rows / nonzeros)} elements for each nonzero."
        )
    table = [("row length", "rows", "share")]
    table += [(_class_name(c), count(c[2]), percent(c[2] / rows)) for c in classes]
    return Drawing(says, [_lengths_plot(classes, rows), numbers_table(table)])
