"""The table of figures: a new one is a function that draws it, and a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spmv_dist.report.figures import (
    balance,
    environment,
    modes,
    roofline,
    scaling,
    spy,
    timeline,
)
from spmv_dist.report.parts import Drawing
from spmv_dist.schema import Json


@dataclass(frozen=True)
class Figure:
    """`reads`: how it is read, whatever it shows. `draw` takes a run, or the runs of one matrix."""

    name: str
    title: str
    reads: str
    draw: Callable[[Json], Drawing]


# Of one run, in the order in which they are shown.
RUN_FIGURES = (
    Figure(
        "modes",
        "Modes side by side",
        "Bars reach to the median time of a product, of the slowest rank: shorter is better. The line on a bar is "
        "the range that the sentence names; where two ranges overlap, this run does not show which of the two is "
        "faster.",
        modes.draw_modes,
    ),
    Figure(
        "overlap",
        "What limits the overlap",
        "The way of the halo is everything from gathering elements of x to having those of other ranks in place. "
        "The part of it beside the product that needs no halo costs nothing; the exposed part makes the product "
        "longer.",
        modes.draw_overlap,
    ),
    Figure(
        "timeline",
        "One product on every rank",
        "For each rank the upper line is its computation, the lower one the way of its halo; time goes to the "
        "right, the same for all modes. In a good overlap the lower line ends before the first part of the upper "
        "one does.",
        timeline.draw_timeline,
    ),
    Figure(
        "roofline",
        "Roofline",
        "To the right: floating point operations for each byte that moves between memory and cores. Upward: "
        "operations per second. The slanted line is what the measured bandwidth of memory allows; the rate of the "
        "arithmetic units, which would cut it off far above, is not measured.",
        roofline.draw_roofline,
    ),
    Figure(
        "spy",
        "Where the nonzeros are, and whose",
        "Each cell stands for a block of rows and columns; the stronger its colour, the more nonzeros it has (by "
        "the logarithm). Colours are ranks. Left: as the matrix was read. Right: as the ranks have it; what lies "
        "off the blocks along the diagonal needs elements of x of another rank.",
        spy.draw_spy,
    ),
    Figure(
        "communication",
        "Who sends to whom",
        "Bytes of x from the rank of a row to the rank of a column, in one product; the stronger the colour, the "
        "more.",
        spy.draw_communication,
    ),
    Figure(
        "imbalance",
        "How even the shares are",
        "For each rank its nonzeros and its halo, relative to the average of all: the rank with the longest bars "
        "makes all others wait.",
        balance.draw_imbalance,
    ),
    Figure(
        "row_lengths",
        "Row lengths",
        "How many rows have how many nonzeros. Upward: rows, in powers of ten.",
        balance.draw_row_lengths,
    ),
    Figure(
        "environment",
        "Where and how it was measured",
        "What you need to measure it again.",
        environment.draw_environment,
    ),
)

STRONG_SCALING = Figure(
    "scaling",
    "Strong scaling",
    "One matrix on more and more ranks, the fastest of each mode; both axes are logarithmic, and the dashed line is "
    "ideal. Below: the share of the ideal; at 50 % half of the ranks are spent on nothing.",
    scaling.draw_strong,
)

WEAK_SCALING = Figure(
    "weak_scaling",
    "Weak scaling",
    "A matrix that grows with the ranks, the fastest of each mode. Ideally a product takes as long on any number of "
    "ranks, as the dashed line does. Below: nonzeros per second and rank, as a share of what the fewest ranks reach.",
    scaling.draw_weak,
)
