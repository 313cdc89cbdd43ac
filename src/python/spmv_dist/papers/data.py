"""What jobs/papers/run.sh has measured, and the numbers that the papers derive from it."""

from __future__ import annotations

import csv
import json
import os
from typing import Any

from spmv_dist.tool import input_error

Analysis = dict[str, Any]
Analyses = dict[str, Analysis]

# The papers' names of formats, and ours; the first that was measured counts.
OURS = {
    "COO": ["coo"],
    "CRS": ["csr_scalar", "csr"],
    "CRS(vector)": ["csr_vector"],
    "CSRV": ["csr_vector"],
    "SpMV4GPU": ["spmv4gpu_padded", "spmv4gpu"],
    "ELLPACK": ["ellpack", "ell"],
    "ELL": ["ellpack", "ell"],
    "HYB": ["hyb"],
    "ELLPACK-R": ["ellpack_r", "ellr"],
    "ELLR": ["ellpack_r", "ellr"],
    "PELLR": ["pellr"],
    "JAD": ["jad", "jds"],
    "BiELL": ["biell"],
    "BiJAD": ["bijad"],
    "pJDS": ["pjds"],
    "cuCSR": ["cusparse_csr"],
}


def short_name(matrix: str) -> str:
    """A file without its folder and endings; a generator's specification as it is."""
    if ".mtx" in matrix:
        return os.path.basename(matrix).split(".mtx")[0]
    return matrix


class Measured:
    """One CSV file of format_compare."""

    def __init__(self, path: str):
        self.rows: dict[tuple[str, str], dict[str, str]] = {}
        if not os.path.exists(path):
            return
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            for row in reader:
                row["where"] = f"{path}:{reader.line_num}"
                if any(row.get(name) is None for name in ("matrix", "format", "status", "device")):
                    raise input_error(
                        row["where"], "no line of format_compare: columns are missing"
                    )
                self.rows[short_name(row["matrix"]), row["format"]] = row

    def __bool__(self) -> bool:
        return bool(self.rows)

    def devices(self) -> list[str]:
        return sorted({row["device"] for row in self.rows.values()})

    def matrices(self) -> list[str]:
        return list(dict.fromkeys(matrix for matrix, _ in self.rows))

    def formats(self) -> list[str]:
        return list(dict.fromkeys(fmt for _, fmt in self.rows))

    def ours(self, name: str) -> str | None:
        """The name in our table of a paper's format, or None if no matrix has it."""
        measured = {fmt for (_, fmt), row in self.rows.items() if row["status"] == "ok"}
        return next((fmt for fmt in OURS.get(name, [name]) if fmt in measured), None)

    def number(self, matrix: str, fmt: str | None, column: str) -> float | None:
        """None where the format was refused or not asked for."""
        row = self.rows.get((matrix, fmt))
        if row is None or row["status"] != "ok" or not row[column]:
            return None
        try:
            return float(row[column])
        except ValueError:
            why = f"{column} is '{row[column]}', which is no number: fix or remove the line"
            raise input_error(row["where"], why) from None

    def gflops(self, matrix: str, name: str) -> float | None:
        return self.number(matrix, self.ours(name), "gflops")


def ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b else None


def read_analyses(path: str) -> Analyses:
    """What format_compare --analysis has written, by matrix."""
    try:
        with open(path, encoding="utf-8") as file:
            return {short_name(a["matrix"]): a for a in json.load(file)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise input_error(path, f"no analysis of format_compare ({error})") from error


def lengths(analysis: Analysis) -> list[tuple[int, int]]:
    """Pairs of a row length and how many rows have it, ascending."""
    return [tuple(pair) for pair in analysis["rows_of_length"]]


def shortest(analysis: Analysis) -> int:
    return min((length for length, _ in lengths(analysis)), default=0)


def ell_share_of_hyb(analysis: Analysis) -> float:
    """Share of the entries that HYB keeps in ELLPACK: a column is while a third of the rows reach it [Wang 2020, sect. 2]."""
    if analysis["nonzeros"] == 0:
        return 1.0
    width = 0
    reach = analysis["rows"]
    counts = dict(lengths(analysis))
    while True:
        reach -= counts.get(width, 0)  # rows longer than `width`
        if reach == 0 or 3 * reach < analysis["rows"]:
            break
        width += 1
    return (
        sum(min(length, width) * rows for length, rows in lengths(analysis)) / analysis["nonzeros"]
    )


def iterations(analysis: Analysis) -> tuple[int, int]:
    """N_iter [Wang 2020, Eq. 1] with rows as they are, and with all rows sorted by length."""
    orders = sorted(analysis["orders"], key=lambda order: order["window"])
    return orders[0]["iterations"], orders[-1]["iterations"]


def computations(analysis: Analysis) -> int:
    """N_p [Wang 2020, Eq. 2]. Rows without elements count nothing."""
    return sum((2 * length - 1) * rows for length, rows in lengths(analysis) if length > 0)
