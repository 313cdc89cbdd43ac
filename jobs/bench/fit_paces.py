#!/usr/bin/env python3
"""Fits the formats' paces to measured products, and prints the resulting file of paces.

    fit_paces.py formats.csv [--analysis analysis.json] [--threads N] [--seconds median_us|replayed_us] >new_paces.json

format_compare writes formats.csv with --csv and analysis.json with --analysis. All rows of one backend must be from one
device. The file of paces is kernels/tune/paces.json: its other numbers, and formats that were not measured, stay. Deviations
of the fit from the measurements go to standard error. The model is that of
kernels/tune/prediction.cpp,

    seconds = launch + max(bytes / bandwidth, iterations x pace, chain x pace)       on a GPU
    seconds = launch + max(bytes / bandwidth, iterations x pace / cores)             on a host

The paces minimise the mean square of log(predicted / measured). If bytes limit every product, all small paces are equally good;
then the largest of them is printed, because it assumes least.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import statistics
import sys

PACES = pathlib.Path(__file__).resolve().parents[2] / "kernels" / "tune" / "paces.json"
SECTOR_BYTES = 32


def number(row, name):
    try:
        return float(row.get(name) or 0)
    except ValueError:
        sys.exit(
            f"{row['where']}: {name} is '{row[name]}', which is not a number: correct or remove the line"
        )


def read_products(path, seconds):
    """The rows of a file from format_compare, as dicts."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        rows = []
        for row in reader:
            row["where"] = f"{path}:{reader.line_num}"
            if row.get("status") is None or row.get("format") is None:
                sys.exit(
                    f"{row['where']}: not a line of format_compare: it has no status or format"
                )
            if row["status"] == "ok" and row["format"] != "auto":
                rows.append(row)
    for row in rows:
        row["seconds"] = (number(row, seconds) or number(row, "median_us")) * 1e-6
    return [row for row in rows if row["seconds"] > 0 and number(row, "cost_moved_bytes") > 0]


def scattered_bytes(analysis):
    """Bytes of x that are loaded but not needed, in the sectors of needed ones; as in
    prediction.cpp."""
    least = analysis["nonzeros"] * analysis["value_bytes"] / SECTOR_BYTES
    iterations = analysis["orders"][0]["iterations"]
    return SECTOR_BYTES * max(0.0, analysis["gather_sectors"] * max(iterations, least) - least)


def read_scattered(path):
    """Scattered bytes by matrix and value type."""
    if path is None:
        return {}
    with open(path) as file:
        text = file.read()
    try:
        found = json.loads(text)
        found = found if isinstance(found, list) else [found]
    except json.JSONDecodeError:  # one object per line
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    return {(a["matrix"], a["value"]): scattered_bytes(a) for a in found}


def pace_of(device, name, number_name):
    """A number of a format, or the file's usual number for formats."""
    return device["formats"].get(name, {}).get(number_name, device["usual"][number_name])


class Product:
    """The model's input for one measured product."""

    def __init__(self, row, scattered, threads, device):
        on_host = row["backend"] != "cuda"
        bandwidth = number(row, "copy_GB_s") * 1e9
        moved = number(row, "cost_moved_bytes")
        cached = pace_of(device, row["format"], "cached_speed")
        diagonal = number(row, "cost_along_diagonals" if on_host else "cost_heads_alone")
        self.measured = row["seconds"]
        self.launch = device["launch_s"]
        self.moving = moved / (bandwidth * (cached if moved < device["cache_bytes"] else 1.0))
        if not on_host:
            self.moving += scattered.get((row["matrix"], row["value"]), 0.0) / (
                bandwidth * device["cache_speed"]
            )
        cores = threads if on_host else 1
        self.iterations = (number(row, "cost_iterations") - diagonal) / cores
        self.diagonal = diagonal / cores
        self.chain = 0.0 if on_host else number(row, "cost_chain")

    def predicted(self, pace):
        iterating = self.iterations * pace["iteration"] + self.diagonal * pace["diagonal"]
        return self.launch + max(self.moving, iterating, self.chain * pace["chain"])


def error(products, pace):
    """Mean square of the logarithm of predicted over measured."""
    return statistics.fmean(math.log(p.predicted(pace) / p.measured) ** 2 for p in products)


def fit(products):
    """Paces in seconds: per iteration, per iteration along a diagonal, and per iteration in a
    chain."""
    pace = {"iteration": 0.0, "diagonal": 0.0, "chain": 0.0}
    wanted = ["iteration"]
    if any(p.diagonal > 0 for p in products):
        wanted.append("diagonal")
    if any(p.chain > 0 for p in products):
        wanted.append("chain")
    for _ in range(4):  # fits one pace after the other; four rounds are enough to converge
        for name in wanted:
            grid = [0.0] + [10 ** (exponent / 40) for exponent in range(-12 * 40, -4 * 40)]
            errors = [error(products, {**pace, name: value}) for value in grid]
            least = min(errors)
            pace[name] = max(
                value for value, e in zip(grid, errors) if e <= least * (1 + 1e-9) + 1e-15
            )
    return pace


def build_ns(rows, threads, device):
    """Median nanoseconds to build a nonzero, on as many cores as a build can use. Includes the
    order of rows: subtract sort_ns for a format that always sorts."""
    each = []
    for row in rows:
        spent = number(row, "build_s") - 1e-3 * pace_of(device, row["format"], "start_ms")
        if spent > 0 and number(row, "nonzeros") > 1e5:
            share = min(threads, device["build_threads"]) / device["build_threads"]
            each.append(spent / number(row, "nonzeros") * 1e9 * share)
    return statistics.median(each) if each else 0.0


def fitted(rows, scattered, threads, device):
    """The new numbers of a format, and a text with the deviations of their predictions from the
    measurements."""
    products = [Product(row, scattered, threads, device) for row in rows]
    pace = fit(products)
    numbers = {
        "iteration_ns": float(f"{pace['iteration'] * 1e9:.3g}"),
        "build_ns": float(f"{build_ns(rows, threads, device):.2g}"),
    }
    for name, fitted_as in (("fast_ns", "diagonal"), ("chain_ns", "chain")):
        if pace[fitted_as] > 0:
            numbers[name] = float(f"{pace[fitted_as] * 1e9:.3g}")
    ratios = sorted(p.predicted(pace) / p.measured for p in products)
    return numbers, (
        f"predicted / measured {ratios[0]:.2f} to {ratios[-1]:.2f}, median {statistics.median(ratios):.2f}, "
        f"{len(products)} products"
    )


def lines_of(paces):
    """The file's text, a line for each format."""

    def members(values, indent, last):
        lines = [f"{' ' * indent}{json.dumps(name)}: {text}" for name, text in values]
        return ",\n".join(lines) + f"\n{' ' * (indent - 2)}{last}"

    devices = []
    for backend, device in paces.items():
        formats = members(
            [(name, json.dumps(numbers)) for name, numbers in device["formats"].items()], 6, "}"
        )
        common = [(name, json.dumps(value)) for name, value in device.items() if name != "formats"]
        devices.append((backend, "{\n" + members(common + [("formats", "{\n" + formats)], 4, "}")))
    return "{\n" + members(devices, 2, "}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", help="file that format_compare wrote with --csv")
    parser.add_argument(
        "--analysis", help="file that it wrote with --analysis, for the scattered loads of x"
    )
    parser.add_argument(
        "--paces", default=PACES, help="file whose paces are replaced (kernels/tune/paces.json)"
    )
    parser.add_argument(
        "--threads", type=int, default=16, help="cores that built and, on a host, multiplied"
    )
    parser.add_argument(
        "--seconds", default="replayed_us", help="column of the times; median_us if it is empty"
    )
    arguments = parser.parse_args()

    with open(arguments.paces) as file:
        paces = json.load(file)
    scattered = read_scattered(arguments.analysis)
    by_format = collections.defaultdict(list)
    for row in read_products(arguments.csv, arguments.seconds):
        by_format[(row["backend"], row["format"])].append(row)
    for (backend, name), measured in by_format.items():
        device = paces["cuda" if backend == "cuda" else "host"]
        numbers, quality = fitted(measured, scattered, arguments.threads, device)
        device["formats"][name] = {**device["formats"].get(name, {}), **numbers}
        print(f"{backend} {name}: {quality}", file=sys.stderr)
    print(lines_of(paces))


if __name__ == "__main__":
    main()
