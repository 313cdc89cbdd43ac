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

    def measured(name: str) -> Measured:
        return Measured(os.path.join(asked.folder, name))

    double, single = measured("formats.csv"), measured("formats_float.csv")
    if not double:
        path = os.path.join(asked.folder, "formats.csv")
        raise input_error(path, "it has no measurements: start jobs/papers/run.sh first")
    analyses = read_analyses(os.path.join(asked.folder, "analysis.json"))
    write_summary(asked.folder, double, single, measured("host.csv") or double, analyses)
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run(MODULE, main))
