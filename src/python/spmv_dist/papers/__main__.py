"""python3 -m spmv_dist.papers DIR: tables and figures of the papers from what jobs/papers/run.sh has measured."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from spmv_dist.tool import ExitCode, input_error, need, parser, run

MODULE = "spmv_dist.papers"


def main(argv: Sequence[str] | None = None) -> int:
    """Writes summary.html and a CSV file for each table into DIR."""
    options = parser(
        MODULE,
        "Tables and figures of [Kreutzer 2012], [Vazquez 2011] and [Wang 2020] as DIR/summary.html and CSV files.",
    )
    options.add_argument(
        "folder",
        nargs="?",
        metavar="DIR",
        help="has formats.csv, formats_float.csv, host.csv and analysis.json of format_compare",
    )
    options.add_argument("--check", action="store_true", help="only say which packages are missing")
    asked = options.parse_args(argv)
    for package in ("altair", "jinja2", "vl_convert"):
        need(package)
    if asked.check:
        return ExitCode.OK
    if asked.folder is None:
        options.error("name the folder with the measurements")

    from spmv_dist.papers.data import Measured, read_analyses
    from spmv_dist.papers.summary import write_summary  # needs those packages

    names = ("formats.csv", "formats_float.csv", "host.csv", "analysis.json")
    files = [os.path.join(asked.folder, name) for name in names]
    double, single, host = (Measured(file) for file in files[:3])
    if not double:
        raise input_error(files[0], "it has no measurements: start jobs/papers/run.sh first")
    reads = list(zip(names, files))
    write_summary(asked.folder, reads, double, single, host or double, read_analyses(files[3]))
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run(MODULE, main))
