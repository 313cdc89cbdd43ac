#!/usr/bin/env python3
"""Prints the runs of jobs/bench/two_nodes.sh as a Markdown table; times in microseconds.

    jobs/bench/two_nodes_table.py FOLDER

product: the kernel of vector mode, halo: from gather to upload with nothing beside it; both of the slowest rank. Letters after a
median: u(nsettled), n(oisy), b(imodal), d(isturbed). The last column lists the hardware that ranks share. Runs of a solver have
a table of their own: an iteration, and what it consists of (product + vectors + sums); a dash where products and sums, measured
alone, took longer than the iteration.
"""

import glob
import json
import os
import sys

MODES = ("vector", "naive", "task")
END = ".setup.json"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def microseconds(seconds):
    return f"{seconds * 1e6:.1f}" if seconds < 1e-3 else f"{seconds * 1e6:.0f}"


def median_cell(mode):
    if mode is None:
        return "-"
    wrong = " WRONG" if mode["rows_wrong"] else "" if mode["verified"] else " unchecked"
    letters = "".join(mark[0] for mark in mode["marks"])
    return microseconds(mode["median_s"]) + (f" {letters}" if letters else "") + wrong


def shared(environment):
    """What ranks share, in few words."""
    said = [
        f"{len(gpu['ranks'])} ranks on one GPU by {gpu['by']}" for gpu in environment["shared_gpus"]
    ]
    said += [
        f"{', '.join(cores['hosts'])} on cores {cores['cores']}"
        for cores in environment["shared_cores"]
    ]
    return "; ".join(dict.fromkeys(said)) or "nothing"


def row(name, setup, run):
    modes = {mode["mode"]: mode for mode in run["modes"]}
    vector = modes.get("vector")
    product = vector["phases"].get("merged", {}).get("max_s") if vector else None
    return [
        name,
        str(2 * setup["ranks_per_node"]),
        setup["rate"] or "unlimited",
        " / ".join(dict.fromkeys(run["environment"]["binding"])),
        microseconds(product) if product else "-",
        microseconds(vector["halo_alone_s"]) if vector else "-",
        *(median_cell(modes.get(mode)) for mode in MODES),
        shared(run["environment"]),
    ]


def iteration_cell(solve):
    if solve is None:
        return "-"
    parts = " + ".join(
        microseconds(solve[part]) if solve[part] >= 0 else "-"
        for part in ("product_s", "vectors_s", "sums_s")
    )
    stop = "" if solve["stop"] == "converged" else f" {solve['stop']}"
    return f"{microseconds(solve['seconds_per_iteration'])} ({parts}){stop}"


def solver_rows(name, setup, run):
    for solver in dict.fromkeys(solve["solver"] for solve in run["solvers"]):
        modes = {solve["mode"]: solve for solve in run["solvers"] if solve["solver"] == solver}
        yield [
            name,
            str(2 * setup["ranks_per_node"]),
            setup["rate"] or "unlimited",
            solver,
            *(iteration_cell(modes.get(mode)) for mode in MODES),
        ]


def show(rows):
    widths = [max(len(line[column]) for line in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    for line in rows:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")


def main(folder):
    products = [["run", "ranks", "network", "cores", "product", "halo", *MODES, "shared"]]
    solves = [["run", "ranks", "network", "solver", *MODES]]
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*" + END))):
        stem = path[: -len(END)]
        name, setup, run = os.path.basename(stem), load(path), load(stem + ".json")
        if "solvers" in run:
            solves.extend(solver_rows(name, setup, run))
        else:
            products.append(row(name, setup, run))
    tables = [rows for rows in (products, solves) if len(rows) > 1]
    for number, rows in enumerate(tables):
        if number:
            print()
        show(rows)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1])
