"""What a figure consists of. Plain data: page.html makes markup of it, and every text stays text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

SERIES_COLOURS = 8
RANK_COLOURS = 12


def series_colour(index: int) -> str:
    """The colour of a series, which page.css defines for light, dark and paper."""
    return f"var(--c{index % SERIES_COLOURS})"


def rank_colour(rank: int) -> str:
    """The colour of a rank."""
    return f"var(--r{rank % RANK_COLOURS})"


@dataclass
class Plot:
    """A Vega-Lite chart as wide as its place. `zoom`: the axes that can be enlarged, "x" or "xy"."""

    spec: dict[str, Any]
    label: str  # what it is, for those who cannot see it
    title: str = ""
    zoom: str = ""
    kind = "plot"


@dataclass
class Legend:
    """Colours and what they stand for."""

    entries: list[tuple[str, str]]
    kind = "legend"


@dataclass
class Share:
    """A cell of a table that shows a share, 0 to 1, as a bar, too."""

    value: float
    words: str


Cell = Union[str, Share]


@dataclass
class Table:
    """The first row is the head. With a summary it is folded."""

    rows: list[Sequence[Cell]]
    summary: str = ""
    kind = "table"


@dataclass
class Notes:
    """A folded list."""

    summary: str
    lines: list[str]
    kind = "notes"


@dataclass
class Facts:
    """A folded list of names and values of any shape."""

    summary: str
    values: list[tuple[str, Any]]
    kind = "facts"


@dataclass
class Pair:
    """Plots side by side, or below each other on a narrow screen."""

    plots: list[Plot]
    kind = "pair"


@dataclass
class Drawing:
    """What a figure shows, and a sentence with its numbers; without parts, why there is nothing."""

    says: str
    parts: list[Any] = field(default_factory=list)

    @property
    def to_first_chart(self) -> list[Any]:
        """The parts that stay on one sheet of paper with the head: none where no part is a chart."""
        charts = [i for i, part in enumerate(self.parts) if part.kind in ("plot", "pair")]
        return self.parts[: charts[0] + 1] if charts else []


NO_PICTURES = "these results have no section `pictures` for it"


def numbers_table(rows: list[Sequence[Cell]]) -> Table:
    """All numbers of a figure, folded."""
    return Table(rows, "All numbers")
