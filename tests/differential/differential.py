#!/usr/bin/env python3
"""differential.py --program FILE [--launcher 'mpiexec -n'] [--count 300] [--seed 1] [--ranks 1,3] [--keep FOLDER]

Writes COUNT random matrices in odd but legal Matrix Market spellings (spelling.py). The library loads and multiplies them
(load_and_multiply.cpp) on each number of ranks; A and A x are compared with the intended matrix and with scipy. Exit code 1
if anything differs; 77 if numpy or scipy is missing or scipy is too old. --can-run alone only checks for them, by the same
exit code.
"""

import argparse
import collections
import io
import pathlib
import shlex
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import scipy
    import scipy.io
except ImportError as error:
    print(f"skipped: {error}; jobs/test.sh installs numpy and scipy in build/python")
    sys.exit(77)

if tuple(int(part) for part in scipy.__version__.split(".")[:2]) < (1, 12):
    print(
        f"skipped: scipy {scipy.__version__} has an older reader of files; jobs/test.sh installs 1.12 or later "
        "in build/python"
    )
    sys.exit(77)
if sys.argv[1:] == ["--can-run"]:
    sys.exit(0)

import spelling

BATCH = 500


def x_of(n):
    ids = np.arange(n)
    return 1 + (ids * 7 % 13) / 8 + 1j * ((ids * 5 % 11) / 8 - 0.5)


class Records:
    """Reads the records that one rank has written."""

    def __init__(self, path):
        self.bytes, self.at = pathlib.Path(path).read_bytes(), 0

    def array(self, kind, count):
        values = np.frombuffer(self.bytes, kind, count, self.at)
        self.at += values.nbytes
        return values

    def next(self):
        code, length, rows, cols, elements, n = self.array(np.int64, 6)
        message = self.array(np.uint8, length).tobytes().decode("utf-8", "replace")
        return (
            code,
            message,
            rows,
            cols,
            self.array(np.int64, elements),
            self.array(np.int64, elements),
            self.array(np.complex128, elements),
            self.array(np.int64, n),
            self.array(np.complex128, n),
        )


def joined(parts):
    """One file's records of all ranks: error, dense A, how often each row of y was written, y."""
    code, message, rows, cols = parts[0][:4]
    if any(part[:4] != parts[0][:4] for part in parts):
        return "ranks disagree: " + "; ".join(str(part[:4]) for part in parts), None, None
    if code != 0:
        return f"error {code}: {message}", None, None
    dense, y, written = (
        np.zeros((rows, cols), complex),
        np.zeros(rows, complex),
        np.zeros(rows, int),
    )
    for part in parts:
        if len(set(zip(part[4].tolist(), part[5].tolist()))) != len(part[4]):
            return "an element comes twice", None, None
        dense[part[4], part[5]] += part[6]
        y[part[7]] = part[8]
        written[part[7]] += 1
    if (written != 1).any():
        return "a row of y is missing, or there twice", None, None
    return None, dense, y


def meant(matrix):
    """Dense A, and for each element the sum of the magnitudes of its entries."""
    dense, magnitude = (
        np.zeros((matrix.rows, matrix.cols), complex),
        np.zeros((matrix.rows, matrix.cols)),
    )
    for row, col, value in matrix.triplets():
        dense[row, col] += value
        magnitude[row, col] += abs(value)
    return dense, magnitude


def by_scipy(path, matrix, differs):
    """What scipy reads from the file, or from a plain spelling of the same matrix."""
    if "no values" in differs:
        return np.zeros((matrix.rows, matrix.cols), complex)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "huge integer" in differs:
            matrix = spelling.Matrix(matrix.layout, "real", *list(vars(matrix).values())[2:])
        read = scipy.io.mmread(
            io.BytesIO(spelling.plain_text(matrix).encode()) if differs else path
        )
    return np.asarray(read.toarray() if hasattr(read, "toarray") else read).astype(complex)


def verdict(read, expected, scipys, matrix):
    """What is wrong with the library's A or y, or None."""
    error, dense, y = read
    wanted, magnitude = expected
    if error:
        return error
    if dense.shape != wanted.shape or scipys.shape != wanted.shape:
        return f"shapes: read {dense.shape}, meant {wanted.shape}, scipy {scipys.shape}"
    # Duplicates may be summed in any order; all other elements are exact.
    exact = len({entry[:2] for entry in matrix.triplets()}) == len(matrix.triplets())
    bound = 0 if exact else 1e-15 * len(matrix.stored) * magnitude + 1e-320
    if not (np.abs(dense - wanted) <= bound).all():
        return f"A is not what was meant:\n{dense}\n{wanted}"
    if not (np.abs(dense - scipys) <= bound).all():
        return f"A is not scipy's:\n{dense}\n{scipys}"
    x = x_of(matrix.cols)
    if matrix.field != "complex":
        x = x.real
    tolerance = 1e-15 * (matrix.cols + 4) * (magnitude @ np.abs(x)) + 1e-320
    if not (np.abs(y - scipys @ x) <= tolerance).all():
        return f"y is not A x:\n{y}\n{scipys @ x}"
    return None


def run(arguments, ranks, folder, paths):
    (folder / "list").write_text("".join(path + "\n" for path in paths))
    out = folder / f"out{ranks}"
    command = [
        *shlex.split(arguments.launcher),
        str(ranks),
        arguments.program,
        str(folder / "list"),
        str(out),
    ]
    subprocess.run(command, check=True, timeout=5000)
    return [Records(f"{out}.{rank}") for rank in range(ranks)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True, help="load_and_multiply")
    parser.add_argument(
        "--launcher", default="mpiexec -n", help="starts programs; the number of ranks follows"
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", default="1,3")
    parser.add_argument("--keep", help="folder for files that differ")
    arguments = parser.parse_args()
    ranks_list = [int(ranks) for ranks in arguments.ranks.split(",")]
    tally, wrong = collections.Counter(), 0
    for begin in range(0, arguments.count, BATCH):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            seeds = range(
                arguments.seed + begin, arguments.seed + min(begin + BATCH, arguments.count)
            )
            cases = [spelling.make(seed, str(folder / str(seed))) for seed in seeds]
            records = {
                ranks: run(arguments, ranks, folder, [case[0] for case in cases])
                for ranks in ranks_list
            }
            for seed, (path, matrix, differs) in zip(seeds, cases):
                expected = meant(matrix)
                try:
                    scipys = by_scipy(path, matrix, differs)
                except Exception as error:  # noqa: BLE001, a spelling that SCIPY_DIFFERS lacks
                    scipys = np.full((matrix.rows, matrix.cols), np.nan)
                    print(f"seed {seed}: scipy refuses the file: {error}")
                    wrong += 1
                tally["read by scipy as they are"] += not differs
                tally.update(differs)
                for ranks in ranks_list:
                    reason = verdict(
                        joined([part.next() for part in records[ranks]]), expected, scipys, matrix
                    )
                    if reason is None:
                        tally[f"agree on {ranks} ranks"] += 1
                        continue
                    wrong += 1
                    print(
                        f"seed {seed} on {ranks} ranks, {matrix.layout} {matrix.field} {matrix.symmetry}: {reason}"
                    )
                    if arguments.keep:
                        pathlib.Path(arguments.keep, pathlib.Path(path).name).write_bytes(
                            pathlib.Path(path).read_bytes()
                        )
    print(f"{arguments.count} matrices, {wrong} differences")
    for what, count in sorted(tally.items()):
        print(
            f"  {count:7d} {what}"
            + (f": {spelling.SCIPY_DIFFERS[what]}" if what in spelling.SCIPY_DIFFERS else "")
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
