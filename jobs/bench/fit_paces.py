#!/usr/bin/env python3
"""Fits the paces of formats to measured products, and prints them as the rows of the table of formats have them.

    fit_paces.py formats.csv [--analysis analysis.json] [--threads N] [--seconds median_us|replayed_us]

formats.csv and analysis.json are what format_compare writes with --csv and --analysis. Rows of one device belong
together; a file of another device is fitted apart. What is fitted is the model of kernels/tune/prediction.cpp,

    seconds = launch + max(bytes / bandwidth, iterations x pace, chain x pace)       on a GPU
    seconds = launch + max(bytes / bandwidth, iterations x pace / cores)             on a host

and the paces are those that keep the logarithms of predicted / measured smallest. Where bytes decide every product, any
small pace does as well as any other: the largest of these is printed, which is the least that is known.
"""
import argparse
import collections
import csv
import json
import math
import statistics
import sys

# As in kernels/tune/prediction.cpp; what a format reaches of the cache's bandwidth stands in its lines.
CUDA = {"launch_s": 1.5e-6, "cache_bytes": 40e6, "cache_speed": 1.6}
HOST = {"launch_s": 2e-6, "cache_bytes": 0, "cache_speed": 1.0}
BUILD_THREADS = 8
BUILD_OVERHEAD_S = {"cuda": 1e-3, "host": 1e-4}  # on CUDA of most formats, Pace::start_ms
SECTOR_BYTES = 32


def number(row, name):
    try:
        return float(row.get(name) or 0)
    except ValueError:
        sys.exit(f"{row['where']}: {name} is '{row[name]}', which is not a number: mend or remove the line")


def read_products(path, seconds):
    """The measured products of a file of format_compare's, as dicts."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        rows = []
        for row in reader:
            row["where"] = f"{path}:{reader.line_num}"
            if row.get("status") is None or row.get("format") is None:
                sys.exit(f"{row['where']}: no line that format_compare writes: it has no status or format")
            if row["status"] == "ok" and row["format"] != "auto":
                rows.append(row)
    for row in rows:
        row["seconds"] = (number(row, seconds) or number(row, "median_us")) * 1e-6
    return [row for row in rows if row["seconds"] > 0 and number(row, "cost_moved_bytes") > 0]


def scattered_bytes(analysis):
    """Bytes of sectors of x that bring neighbours nobody asked for; as in prediction.cpp."""
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
    except json.JSONDecodeError:  # one object a line
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    return {(a["matrix"], a["value"]): scattered_bytes(a) for a in found}


class Product:
    """What the model needs to know of one measured product."""

    def __init__(self, row, scattered, threads):
        on_host = row["backend"] != "cuda"
        constants = HOST if on_host else CUDA
        bandwidth = number(row, "copy_GB_s") * 1e9
        moved = number(row, "cost_moved_bytes")
        faster = number(row, "cached_speed") if moved < constants["cache_bytes"] else 1.0
        if faster <= 0:
            sys.exit(f"{row['where']}: no cached_speed: measure again, with the format_compare of this version")
        diagonal = number(row, "cost_along_diagonals" if on_host else "cost_heads_alone")
        self.measured = row["seconds"]
        self.launch = constants["launch_s"]
        self.moving = moved / (bandwidth * faster)
        if not on_host:
            self.moving += scattered.get((row["matrix"], row["value"]), 0.0) / (bandwidth * constants["cache_speed"])
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
    """Paces in seconds: of an iteration, of one along a diagonal, of one in a chain."""
    pace = {"iteration": 0.0, "diagonal": 0.0, "chain": 0.0}
    wanted = ["iteration"]
    if any(p.diagonal > 0 for p in products):
        wanted.append("diagonal")
    if any(p.chain > 0 for p in products):
        wanted.append("chain")
    for _ in range(4):  # one pace after the other, until they no longer move each other
        for name in wanted:
            grid = [0.0] + [10 ** (exponent / 40) for exponent in range(-12 * 40, -4 * 40)]
            errors = [error(products, {**pace, name: value}) for value in grid]
            least = min(errors)
            pace[name] = max(value for value, e in zip(grid, errors) if e <= least * (1 + 1e-9) + 1e-15)
    return pace


def build_ns(rows, backend, threads):
    """Median nanoseconds a nonzero takes to be built, on as many cores as a build can use, the order of the rows included:
    where a format sorts, its row wants this without sort_ns."""
    each = []
    for row in rows:
        spent = number(row, "build_s") - BUILD_OVERHEAD_S[backend]
        if spent > 0 and number(row, "nonzeros") > 1e5:
            each.append(spent / number(row, "nonzeros") * 1e9 * min(threads, BUILD_THREADS) / BUILD_THREADS)
    return statistics.median(each) if each else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", help="what format_compare wrote with --csv")
    parser.add_argument("--analysis", help="what it wrote with --analysis, for the scattered loads of x")
    parser.add_argument("--threads", type=int, default=16, help="cores that built and, on a host, multiplied")
    parser.add_argument("--seconds", default="replayed_us", help="column of the times; median_us where it is empty")
    arguments = parser.parse_args()

    scattered = read_scattered(arguments.analysis)
    rows = read_products(arguments.csv, arguments.seconds)
    by_format = collections.defaultdict(list)
    for row in rows:
        by_format[(row["backend"], row["format"])].append(row)
    for (backend, name), measured in by_format.items():
        products = [Product(row, scattered, arguments.threads) for row in measured]
        pace = fit(products)
        ratios = sorted(p.predicted(pace) / p.measured for p in products)
        build = build_ns(measured, "cuda" if backend == "cuda" else "host", arguments.threads)
        if backend == "cuda":
            text = f".iteration_ps = {pace['iteration'] * 1e12:.0f}, .chain_ns = {pace['chain'] * 1e9:.0f}"
            if pace["diagonal"] > 0:
                text += f", .diagonal_ps = {pace['diagonal'] * 1e12:.0f}"
        else:
            text = f".host_iteration_ns = {pace['iteration'] * 1e9:.0f}"
        print(f"{name:<16} {text}, {'.build_ns' if backend == 'cuda' else '.host_build_ns'} = {build:.2g}    "
              f"predicted / measured {ratios[0]:.2f} to {ratios[-1]:.2f}, median {statistics.median(ratios):.2f}, "
              f"{len(products)} products")


if __name__ == "__main__":
    main()
