"""python3 -m spmv_dist.report FILE... -o PAGE.html"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from spmv_dist.report.runs import read_runs
from spmv_dist.tool import ExitCode, Output, need, parser, run

MODULE = "spmv_dist.report"


def main(argv: Sequence[str] | None = None) -> int:
    """Makes a page of the results in files."""
    options = parser(
        MODULE, "One HTML page of figures about runs, scaling studies, solutions and spectra."
    )
    options.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="what --json of a run, solve, eigen or dos has written, .jsonl files with one run per line, or the points of a study",
    )
    options.add_argument("-o", "--output", required=True, metavar="PAGE", help="the page to write")
    asked = options.parse_args(argv)
    output = Output("-o", asked.output, (("FILE", file) for file in asked.files))
    runs = read_runs(asked.files)
    for package in ("altair", "jinja2", "vl_convert"):
        need(package)
    from spmv_dist.report.page import page  # only now, since it needs those packages

    output.write(page(runs))
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run(MODULE, main))
