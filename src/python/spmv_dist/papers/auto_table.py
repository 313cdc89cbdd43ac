"""python3 -m spmv_dist.papers.auto_table FORMATS.csv: what format auto chose beside the best of all
formats and of cuSPARSE's, as Markdown.

FORMATS.csv is format_compare's, of a run on a GPU with --auto. Times are medians in us; products of
matrices below a million nonzeros are replayed from a recording (cuSPARSE's are not: its calls are
what its users queue).
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Sequence

from spmv_dist.tool import ExitCode, input_error, parser, run

MODULE = "spmv_dist.papers.auto_table"

PLAIN = (
    "csr",
    "csr_scalar",
    "csr_vector",
    "ellpack",
    "ellpack_r",
    "hyb",
    "biell",
    "jad",
    "bijad",
    "pellr",
    "pjds",
    "sell",
)
SMALL = 1_000_000


Row = dict[str, str]


def microseconds(row: Row | None, replayed: bool) -> float | None:
    if row is None or not row["median_us"]:
        return None
    queued = float(row["median_us"])
    again = float(row["replayed_us"] or 0) if replayed else 0
    return min(queued, again) if again > 0 else queued


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def least(times: list[tuple[float | None, str]]) -> tuple[float | None, str]:
    return min((t for t in times if t[0] is not None), default=(None, "-"))


def _read(path: str) -> dict[str, dict[str, Row]]:
    """Rows by matrix and format."""
    matrices: dict[str, dict[str, Row]] = {}
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                matrices.setdefault(row["matrix"].split("/")[-1], {})[row["format"]] = row
    except (OSError, KeyError, AttributeError) as error:
        raise input_error(path, f"not what format_compare --csv writes ({error})") from error
    for name, formats in matrices.items():
        if not {"auto", "cusparse_csr"} <= formats.keys():
            raise input_error(path, f"{name} has no auto or no cusparse_csr: measure with --auto")
    return matrices


HEAD = """| matrix | auto us | chosen | best format, us | auto / best | cuSPARSE CSR us | x | best cuSPARSE us | x | best plain, of copy |
|---|---|---|---|---|---|---|---|---|---|"""


def table(matrices: dict[str, dict[str, Row]]) -> str:
    """The table, and the means below it."""
    lines = [HEAD]
    over_csr, over_best, near, small_worst = [], [], 0, math.inf
    for name, formats in matrices.items():
        auto = formats["auto"]
        small = int(auto["nonzeros"]) < SMALL
        time = microseconds(auto, small)
        others = {f: row for f, row in formats.items() if f != "auto"}
        ours = [(microseconds(r, small), f) for f, r in others.items() if "cusparse" not in f]
        theirs = [(microseconds(r, False), f) for f, r in others.items() if "cusparse" in f]
        (best, best_name), (rival, _) = least(ours), least(theirs)
        csr = microseconds(formats["cusparse_csr"], False)
        plain, plain_name = least([(microseconds(formats.get(f), False), f) for f in PLAIN])
        share = float(auto["effective_bytes"]) / plain / 1e3 / float(auto["copy_GB_s"])
        near += time <= 1.05 * best
        if small:
            small_worst = min(small_worst, csr / time)
        else:
            over_csr.append(csr / time)
            over_best.append(rival / time)
        lines.append(
            f"| {name} | {time:.2f} | {auto['choices'].split(':')[0]} | {best_name} {best:.2f} | {time / best:.3f} "
            f"| {csr:.2f} | {csr / time:.2f} | {rival:.2f} | {rival / time:.2f} | {plain_name} {share:.3f} |"
        )
    nan = [math.nan]
    lines.append(
        f"\nFrom a million nonzeros on, geometric means: {geometric_mean(over_csr):.2f} x cuSPARSE CSR (least "
        f"{min(over_csr or nan):.2f}), {geometric_mean(over_best):.2f} x the best of cuSPARSE (least "
        f"{min(over_best or nan):.2f}). Below: at least {small_worst:.2f} x cuSPARSE CSR. "
        f"Within 5 % of the best of all formats: {near} of {len(matrices)}."
    )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(
        MODULE,
        "What format auto chose beside the best of all formats and of cuSPARSE, as Markdown.",
    )
    options.add_argument("formats", metavar="FORMATS.csv", help="of format_compare with --auto")
    print(table(_read(options.parse_args(argv).formats)))
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run(MODULE, main))
