#!/usr/bin/env python3
"""Products, conjugate gradients and eigenvalues from Python beside the program in C++ and other packages: a table, and --csv FILE.

    python3 jobs/bench/python_compare.py [--points 192] [--backend cuda] [--format sell_packed] [--rounds 5] [--csv times.csv]
    mpirun -np 2 python3 jobs/bench/python_compare.py --backend host --points 96

The 27-point stencil in double precision. All contenders take turns, once in each round; a time is the median of the rounds, of the
slowest rank. The program runs as a process of its own, with the format, mode and layout that Python's matrix has. CuPy and PyTorch
run on a GPU, SciPy on one core of the host, petsc4py on the host; those that are missing, and those that do not run on several
ranks, are named at the end. PYTHONPATH: src/python and the folder of the extension module.
"""

import argparse
import csv
import statistics

from python_contenders import (
    COMM,
    NORM,
    CuPy,
    Missing,
    Ours,
    Petsc,
    Program,
    PyTorch,
    SciPy,
    stencil,
)

HEAD = "operation points ranks who median_s least_s most_s rounds residual_over_norm"


def made(name, make, left_out):
    """What make() returns on all ranks; None with a line in `left_out`."""
    said, it = None, None
    try:
        it = make()
    except Exception as error:  # noqa: BLE001, of any package
        said = f"{name}: {error}"
    said = next((text for text in COMM.allgather(said) if text), None)
    if said:
        left_out.append(said.splitlines()[0])
    return None if said else it


def contenders(arguments, points, left_out):
    def missing(text):
        raise Missing(text)

    others = arguments.others.split(",")
    if "cupy" in others and arguments.backend != "host":
        made("CuPy", lambda: __import__("cupy"), [])  # before Ours looks for it
    options = {} if arguments.format is None else {"format": arguments.format}
    ours = Ours(points, arguments.backend, options)
    found = {"spmv_dist, Python": ours}
    found["spmv_dist, C++"] = made(
        "program", lambda: Program(arguments.program, points, ours.A), left_out
    )
    whole = stencil(points) if others != [""] else None
    one_rank = "it does not run on several ranks"
    for name, key, kind, on_gpu in (
        ("CuPy", "cupy", CuPy, True),
        ("PyTorch", "torch", PyTorch, True),
        ("SciPy", "scipy", SciPy, False),
        ("petsc4py", "petsc4py", Petsc, False),
    ):
        if key not in others:
            continue
        if kind is not Petsc and COMM.size > 1:
            make = lambda: missing(one_rank)
        elif on_gpu and not ours.on_gpu:
            make = lambda: missing("products run on the host")
        else:
            make = lambda kind=kind: kind(whole)
        found[name] = made(name, make, left_out)
    return {name: it for name, it in found.items() if it is not None}


def measured(contenders, operation, rounds, left_out):
    """Rows (who, times, worst residual) of one operation."""
    runs = []
    for name, it in contenders.items():
        if hasattr(it, operation):
            try:
                runs += [(name, how, run, it, []) for how, run in getattr(it, operation)()]
            except Exception as error:  # noqa: BLE001, of any package
                left_out.append(f"{name}, {operation}: {error}")
    failed = set()
    for _ in range(rounds):
        for i, (name, how, run, _, times) in enumerate(runs):
            if i in failed:
                continue
            try:
                times.append(run())
            except Exception as error:  # noqa: BLE001, of any package
                failed.add(i)
                left_out.append(f"{name}, {how}: {error}")
    return [
        (f"{name}: {how}", times, getattr(it, "worst", None))
        for name, how, _, it, times in runs
        if times
    ]


def table(rows, operation):
    """Prints it, and returns its lines for the CSV file."""
    base = next(
        (statistics.median(times) for who, times, _ in rows if who.startswith("spmv_dist, C++")),
        None,
    )
    print("| | us | least | most | of C++ | residual / norm |\n|---|---|---|---|---|---|")
    lines = []
    for who, times, worst in rows:
        seconds = (statistics.median(times), min(times), max(times))
        part = f"{seconds[0] / base:.3f}" if base else ""
        small = f"{worst / NORM:.1e}" if operation == "eigen" and worst is not None else ""
        print(
            f"| {who} | {' | '.join(f'{s * 1e6:.1f}' for s in seconds)} | {part} | {small} |",
            flush=True,
        )
        lines.append([who, *seconds, len(times), small])
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=192, help="in each direction")
    parser.add_argument("--eigen-points", type=int, default=48, help="for eigenvalues; 0: none")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--format", help="of spmv_dist (default: as chosen)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--program", default="spmv_dist", help="the program in C++ (default: that in PATH)"
    )
    parser.add_argument(
        "--others", default="cupy,torch,scipy,petsc4py", help="what to compare with"
    )
    parser.add_argument("--csv")
    arguments = parser.parse_args()
    left_out, lines = [], []
    plan = [
        ("products", arguments.points, "a product"),
        ("cg", arguments.points, "an iteration of cg"),
    ]
    plan += (
        [("eigen", arguments.eigen_points, "4 lowest eigenvalues")]
        if arguments.eigen_points
        else []
    )
    made_for, known = None, {}
    for operation, points, words in plan:
        if points != made_for:
            known.clear()
            known = contenders(arguments, points, left_out)
            made_for = points
        A = known["spmv_dist, Python"].A
        rows = measured(known, operation, arguments.rounds, left_out)
        if COMM.rank > 0:
            continue
        print(
            f"\n{words}: stencil27:{points},{points},{points}, {COMM.size} ranks, backend {A.context.native.backend()}, "
            f"format {A.native.format()}, mode {A.native.mode()}\n"
        )
        lines += [[operation, points, COMM.size, *line] for line in table(rows, operation)]
        if arguments.csv:
            with open(arguments.csv, "w", newline="") as file:
                csv.writer(file).writerows([HEAD.split(), *lines])
    if COMM.rank == 0:
        print("\n" + "\n".join(f"left out: {text}" for text in dict.fromkeys(left_out)))


if __name__ == "__main__":
    main()
