"""python3 -m spmv_dist.density DOS.csv... -o FILE.svg: draws densities of states that
spmv_dist dos --write-dos has written, each with the band of its standard error, as SVG or PNG.

Beside each other in one chart: of one matrix with more moments or vectors, or of several matrices.
"""

from __future__ import annotations

import csv
import io
import math
import os
import sys
from collections.abc import Sequence
from typing import Any

from spmv_dist.tool import (
    ExitCode,
    Output,
    ToolError,
    input_error,
    need,
    parser,
    printable,
    read_file,
)
from spmv_dist.tool import run as run_tool

MODULE = "spmv_dist.density"

HEADS = (["energy", "density"], ["energy", "density", "error"])

Row = dict[str, Any]


def read_density(path: str) -> list[Row]:
    """The points of one file; `low` and `high` are the ends of the error band."""
    try:
        lines = list(csv.reader(io.StringIO(read_file(path).decode("utf-8"), newline="")))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise input_error(path, f"cannot be read ({error})") from error
    if not lines or lines[0] not in HEADS:
        raise input_error(
            path, "is not what spmv_dist dos --write-dos writes: its first line differs"
        )
    rows = [
        _row(path, number, line, len(lines[0])) for number, line in enumerate(lines[1:], start=2)
    ]
    if len(rows) < 2:
        raise input_error(path, "has fewer than two energies")
    return rows


def _row(path: str, number: int, line: list[str], columns: int) -> Row:
    try:
        values = [float(word) for word in line]
    except ValueError:
        values = []
    if len(values) != columns or not all(map(math.isfinite, values)):
        raise input_error(path, f"line {number} has not {columns} finite numbers")
    return points(*([value] for value in values))[0]


def points(energy: list[float], density: list[float], error: Sequence[float] = ()) -> list[Row]:
    """The points of a curve; without errors its band has no width."""
    errors = error or [0.0] * len(energy)
    return [
        {"energy": e, "density": d, "low": d - s, "high": d + s}
        for e, d, s in zip(energy, density, errors)
    ]


def area_of_error(curve: list[Row]) -> float:
    """The area between the density and an end of its band, by trapezoids: the density itself has the area 1."""
    return sum(
        (b["energy"] - a["energy"]) * (b["high"] - b["density"] + a["high"] - a["density"]) / 2
        for a, b in zip(curve, curve[1:])
    )


def layers(base: Any) -> Any:
    """The error band and the line of charts that encode energy and colour."""
    alt = need("altair")
    band = base.mark_area(opacity=0.3).encode(
        alt.Y("low:Q", title="states per energy"), alt.Y2("high:Q")
    )
    return band + base.mark_line(strokeWidth=1).encode(alt.Y("density:Q"))


def draw(curves: dict[str, list[Row]]) -> Any:
    """A chart by Altair: a line and a band for each name."""
    alt = need("altair")
    rows = [{**row, "of": name} for name, curve in curves.items() for row in curve]
    colour = alt.Color("of:N", title=None, legend=None if len(curves) == 1 else alt.Undefined)
    base = alt.Chart(alt.Data(values=rows)).encode(alt.X("energy:Q", title="energy"), colour)
    return layers(base).properties(width=640, height=320)


def picture_of(chart: Any, path: str) -> str | bytes:
    """The picture, of the kind that the name asks for."""
    convert = need("vl_convert")
    if path.endswith(".png"):
        return convert.vegalite_to_png(chart.to_json(), scale=2)
    return convert.vegalite_to_svg(chart.to_json())


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(MODULE, __doc__ or "")
    options.add_argument("files", nargs="+", metavar="DOS.csv", help="what --write-dos has written")
    options.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the picture: .svg or .png"
    )
    given = options.parse_args(argv)
    if not given.output.endswith((".svg", ".png")):
        raise ToolError(
            ExitCode.USAGE, f"{printable(given.output)}: name a file that ends in .svg or .png"
        )
    output = Output("-o", given.output, (("DOS.csv", file) for file in given.files))
    names = [printable(os.path.basename(path).removesuffix(".csv")) for path in given.files]
    if len(set(names)) < len(names):
        names = [printable(path) for path in given.files]
    curves = {name: read_density(path) for name, path in zip(names, given.files)}
    output.write(picture_of(draw(curves), given.output))
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run_tool(MODULE, main))
