"""The tables of figures: a new one is a function that draws it, and a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spmv_dist.report.figures import (
    balance,
    environment,
    modes,
    roofline,
    scaling,
    solves,
    spectra,
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


ENVIRONMENT = Figure(
    "environment",
    "Where and how it was measured",
    "What you need to measure it again.",
    environment.draw_environment,
)

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
        "Communication lasts from gathering the elements of x that other ranks need until theirs are in place. What "
        "overlaps the interior product costs nothing; the exposed part makes the product longer.",
        modes.draw_overlap,
    ),
    Figure(
        "timeline",
        "One product on every rank",
        "For each rank the upper line is computation, the lower one communication; time goes to the right, on the "
        "same scale for all modes. In a good overlap the lower line ends before the first part of the upper one.",
        timeline.draw_timeline,
    ),
    Figure(
        "roofline",
        "Roofline",
        "To the right: floating point operations per byte moved between memory and cores. Upward: operations per "
        "second. The slanted line is the limit by the measured bandwidth of memory; the peak rate of the arithmetic "
        "units, a horizontal limit far above, is not measured.",
        roofline.draw_roofline,
    ),
    Figure(
        "spy",
        "Where the nonzeros are, and whose",
        "Each cell stands for a block of rows and columns; the stronger its colour, the more nonzeros it has (by "
        "the logarithm). Colours are ranks. Left: the matrix as read. Right: as distributed; nonzeros outside the "
        "diagonal blocks need elements of x from another rank.",
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
        "Nonzeros and halo of each rank, relative to the average: the rank with the longest bars makes the others "
        "wait.",
        balance.draw_imbalance,
    ),
    Figure(
        "row_lengths",
        "Row lengths",
        "How many rows have how many nonzeros. Upward: rows, in powers of ten.",
        balance.draw_row_lengths,
    ),
    ENVIRONMENT,
)

# Of one file of `spmv_dist solve`.
SOLVE_FIGURES = (
    Figure(
        "history",
        "How the residual falls",
        "Downward by the logarithm: |b - A x| / |b| before each iteration, as the solver's recurrence has it. A line "
        "that stays level has stagnated. Iterations of different solvers take different times.",
        solves.draw_history,
    ),
    Figure(
        "iteration",
        "Where the time of an iteration goes",
        "Products and sums over ranks are measured alone; vectors are the rest of the iteration, with the "
        "preconditioner. Shorter is better, if the solvers need as many iterations.",
        solves.draw_iteration,
    ),
    ENVIRONMENT,
)

# Of one file of `spmv_dist eigen`.
EIGEN_FIGURES = (
    Figure(
        "eigenvalues",
        "Eigenvalues",
        "From the end of the spectrum inwards. For |v| = 1 an eigenvalue of the matrix is at most |A v - λ v| away from "
        "λ. An eigenvalue that the matrix has several times may be found once only, unless the search looked for copies.",
        spectra.draw_eigenvalues,
    ),
    Figure(
        "convergence",
        "How residuals fall",
        "Downward by the logarithm: the largest residual of the wanted pairs at every restart of Lanczos, as the "
        "recurrence has it. A line that stays level has stagnated.",
        spectra.draw_convergence,
    ),
    ENVIRONMENT,
)

# Of one file of `spmv_dist dos`.
DOS_FIGURES = (
    Figure(
        "density",
        "Density of states",
        "States per unit of energy, as a fraction of all. The band is one standard error of the mean over start vectors, "
        "on both sides; it does not contain the smearing by the number of moments.",
        spectra.draw_density,
    ),
    ENVIRONMENT,
)

STRONG_SCALING = Figure(
    "scaling",
    "Strong scaling",
    "One matrix on more and more ranks, the fastest of each mode; both axes are logarithmic, and the dashed line is "
    "ideal. Below: the parallel efficiency; at 50\u202f%, the dotted line, half of the ranks "
    "are wasted.",
    scaling.draw_strong,
)

WEAK_SCALING = Figure(
    "weak_scaling",
    "Weak scaling",
    "A matrix that grows with the ranks, the fastest of each mode. Ideally a product takes the same time on any number of "
    "ranks: the dashed line. Below: nonzeros per second and rank, as a share of what the fewest ranks reach; the "
    "dotted line is 50\u202f%.",
    scaling.draw_weak,
)
