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
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from mpi4py import MPI

import spmv_dist

COMM = MPI.COMM_WORLD
BATCH_SECONDS = 0.05
NORM = 52.0  # of the matrix, nearly


class Missing(Exception):
    """Why a contender does not run."""


def stencil(points):
    """scipy's CSR of the whole matrix."""
    import scipy.sparse as sp

    line = np.arange(points)
    z, y, x = (axis.ravel() for axis in np.meshgrid(line, line, line, indexing="ij"))
    columns = np.empty((points**3, 27), np.int32)
    inside = np.empty(columns.shape, bool)
    offsets = [(c, b, a) for c in (-1, 0, 1) for b in (-1, 0, 1) for a in (-1, 0, 1)]
    for k, (c, b, a) in enumerate(offsets):
        columns[:, k] = ((z + c) * points + y + b) * points + x + a
        inside[:, k] = np.logical_and.reduce([(0 <= at) & (at < points) for at in (z + c, y + b, x + a)])
    row_ptr = np.concatenate([[0], np.cumsum(inside.sum(1))]).astype(np.int32)
    values = np.broadcast_to(np.where(np.arange(27) == 13, 26.0, -1.0), columns.shape)
    return sp.csr_matrix((values[inside], columns[inside], row_ptr), shape=(points**3,) * 2)


def seconds_of(call, count, finish):
    """Per call, of the slowest rank."""
    COMM.barrier()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    finish()
    return COMM.allreduce(time.perf_counter() - begin, MPI.MAX) / count


def in_batches(call, finish=lambda: None):
    """A contender that makes as many calls as fit a batch."""
    call()
    finish()
    count = max(1, round(BATCH_SECONDS / seconds_of(call, 3, finish)))
    return lambda: statistics.median(seconds_of(call, count, finish) for _ in range(3))


class Ours:
    """spmv_dist in Python."""

    def __init__(self, points, backend, options):
        def make(**more):
            return spmv_dist.Matrix.generate(text, backend=backend, **{**options, **more})

        text = f"stencil27:{points},{points},{points}"
        self.A = make()
        if "format" not in options:
            chosen = self.A.native.format()
            self.A.close()
            self.A = make(format=chosen)
        self.on_gpu = self.A.context.on_gpu
        self.ones = np.ones(len(self.A.local_rows))
        self.x, self.y = self.A.vector(self.ones), self.A.vector()

    def products(self):
        A, x, y = self.A, self.x, self.y
        yield "vectors, queued", in_batches(lambda: A.multiply_queued(x, y), A.synchronize)
        yield "vectors, each waited for", in_batches(lambda: A.multiply(x, out=y))
        out = np.empty_like(self.ones)
        yield "numpy's arrays", in_batches(lambda: A.multiply(self.ones, out=out))
        if self.on_gpu and "cupy" in sys.modules:
            import cupy

            array, result = cupy.asarray(self.ones), cupy.empty(len(self.ones))
            yield "CuPy's arrays", in_batches(lambda: A.multiply(array, out=result))

    def cg(self):
        solver = spmv_dist.Solver(self.A, "cg", tolerance=1e-8)
        zeros = np.zeros_like(self.ones)

        def solve():
            self.y.set(zeros)
            done = []
            taken = seconds_of(lambda: done.append(solver.solve(self.x, self.y)), 1, lambda: None)
            return taken / done[0].iterations

        solve()
        yield "Solver", solve

    def eigen(self):
        def search():
            taken = seconds_of(lambda: found.append(spmv_dist.eigsh(self.A, 4, tol=1e-8)), 1, lambda: None)
            values, vectors = found.pop()
            self.worst = max(
                np.linalg.norm(self.A @ np.ascontiguousarray(v) - value * v)
                for value, v in zip(values, vectors.T)
            )
            return taken

        found = []
        yield "eigsh", search


class Program:
    """spmv_dist, the program, with what Python's matrix has."""

    def __init__(self, path, points, A):
        self.path = path
        self.options = ["--generate", f"stencil27:{points},{points},{points}", "--backend", A.context.native.backend()]
        self.options += ["--format", A.native.format(), "--mode", A.native.mode(), "--layout", A.native.layout()]
        self.options += ["--partition", "rows"]

    def run(self, words):
        """What it measured. It starts when other ranks of Python sleep."""
        said = None
        if COMM.rank == 0:
            clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_COMM", "OMPI_APP", "PMIX", "ORTE"))}
            start = ["mpirun", "-np", str(COMM.size)] if COMM.size > 1 else []
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.json")
                done = subprocess.run(
                    [*start, self.path, *words, *self.options, "--json", path], env=clean, capture_output=True, text=True
                )
                said = done.stderr or done.stdout
                if done.returncode == 0:
                    with open(path, encoding="utf-8") as file:
                        said = json.load(file)
        waiting = COMM.Ibarrier()
        while not waiting.Test():
            time.sleep(0.005)
        said = COMM.bcast(said)
        if isinstance(said, str):
            raise Missing(f"the program failed: {said.strip().splitlines()[-1:]}")
        return said

    def products(self):
        yield "program", lambda: self.run(["--max-seconds", "0.3", "--no-verify"])["modes"][0]["median_s"]

    def cg(self):
        yield "program", lambda: self.run(["solve", "--solver", "cg", "--times", "3"])["solvers"][0]["seconds_per_iteration"]


class SciPy:
    def __init__(self, whole):
        import scipy.sparse.linalg

        self.A, self.linalg = whole, scipy.sparse.linalg
        self.x = np.ones(whole.shape[0])

    def products(self):
        yield "A @ x", in_batches(lambda: self.A @ self.x)

    def cg(self):
        count = 5
        yield "cg", lambda: seconds_of(lambda: self.linalg.cg(self.A, self.x, rtol=0, maxiter=count), 1, lambda: None) / count

    def eigen(self):
        def search():
            taken = seconds_of(lambda: found.append(self.linalg.eigsh(self.A, 4, which="SA", tol=1e-7)), 1, lambda: None)
            values, vectors = found.pop()
            self.worst = np.linalg.norm(self.A @ vectors - vectors * values, axis=0).max()
            return taken

        found = []
        yield "eigsh", search


class CuPy:
    def __init__(self, whole):
        import cupy
        from cupyx.scipy.sparse import csr_matrix, linalg

        self.cupy, self.linalg, self.A = cupy, linalg, csr_matrix(whole)
        self.x = cupy.ones(whole.shape[0])
        self.wait = cupy.cuda.Device().synchronize

    def products(self):
        yield "A @ x", in_batches(lambda: self.A @ self.x, self.wait)

    def cg(self):
        count = 50
        solve = lambda: self.linalg.cg(self.A, self.x, tol=1e-300, maxiter=count)  # noqa: E731
        solve()
        yield "cg", lambda: seconds_of(solve, 1, self.wait) / count

    def eigen(self):
        def search():
            taken = seconds_of(
                lambda: found.append(self.linalg.eigsh(self.A, 4, which="SA", tol=1e-8 * NORM)), 1, self.wait
            )
            values, vectors = found.pop()
            self.worst = float(self.cupy.linalg.norm(self.A @ vectors - vectors * values, axis=0).max())
            return taken

        found = []
        yield "eigsh", search


class PyTorch:
    def __init__(self, whole):
        import torch

        parts = [torch.from_numpy(part).cuda() for part in (whole.indptr, whole.indices, whole.data)]
        self.torch, self.A = torch, torch.sparse_csr_tensor(*parts, size=whole.shape)
        self.x = torch.ones(whole.shape[0], dtype=torch.float64, device="cuda")

    def products(self):
        yield "A @ x, CSR", in_batches(lambda: self.A @ self.x, self.torch.cuda.synchronize)


class Petsc:
    def __init__(self, whole):
        from petsc4py import PETSc

        rows = whole.shape[0]
        first, end = rows * COMM.rank // COMM.size, rows * (COMM.rank + 1) // COMM.size
        mine = whole[first:end]
        size = ((end - first, rows), (end - first, rows))
        self.PETSc = PETSc
        self.A = PETSc.Mat().createAIJ(size, csr=(mine.indptr, mine.indices, mine.data), comm=COMM)
        self.x, self.y = self.A.createVecs()
        self.x.set(1)

    def products(self):
        yield "MatMult", in_batches(lambda: self.A.mult(self.x, self.y))

    def cg(self):
        count = 20
        ksp = self.PETSc.KSP().create(COMM)
        ksp.setOperators(self.A)
        ksp.setType("cg")
        ksp.getPC().setType("none")
        ksp.setTolerances(rtol=1e-300, max_it=count)
        ksp.solve(self.x, self.y)
        yield "KSPCG", lambda: seconds_of(lambda: ksp.solve(self.x, self.y), 1, lambda: None) / count


def made(name, make, left_out):
    """What make() returns on all ranks; None with a line in `left_out`."""
    said, it = None, None
    try:
        it = make()
    except (ImportError, Missing, RuntimeError) as error:
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
    found["spmv_dist, C++"] = made("program", lambda: Program(arguments.program, points, ours.A), left_out)
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
            make = lambda: missing(one_rank)  # noqa: E731
        elif on_gpu and not ours.on_gpu:
            make = lambda: missing("products run on the host")  # noqa: E731
        else:
            make = lambda kind=kind: kind(whole)  # noqa: E731
        found[name] = made(name, make, left_out)
    return {name: it for name, it in found.items() if it is not None}


def measured(contenders, operation, rounds, left_out):
    """Rows (who, times, worst residual) of one operation."""
    runs = []
    for name, it in contenders.items():
        if hasattr(it, operation):
            try:
                runs += [(name, how, run, it, []) for how, run in getattr(it, operation)()]
            except (Missing, RuntimeError) as error:
                left_out.append(f"{name}, {operation}: {error}")
    failed = set()
    for _ in range(rounds):
        for i, (name, how, run, _, times) in enumerate(runs):
            if i in failed:
                continue
            try:
                times.append(run())
            except (Missing, RuntimeError) as error:
                failed.add(i)
                left_out.append(f"{name}, {how}: {error}")
    return [(f"{name}: {how}", times, getattr(it, "worst", None)) for name, how, _, it, times in runs if times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=192, help="in each direction")
    parser.add_argument("--eigen-points", type=int, default=48, help="for eigenvalues; 0: none")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--format", help="of spmv_dist (default: as chosen)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", default="spmv_dist", help="the program in C++ (default: that in PATH)")
    parser.add_argument("--others", default="cupy,torch,scipy,petsc4py", help="what to compare with")
    parser.add_argument("--csv")
    arguments = parser.parse_args()
    left_out, lines = [], []
    plan = [("products", arguments.points, "a product"), ("cg", arguments.points, "an iteration of cg")]
    plan += [("eigen", arguments.eigen_points, "4 lowest eigenvalues")] if arguments.eigen_points else []
    made_for, known = None, {}
    for operation, points, words in plan:
        if points != made_for:
            known.clear()
            known = contenders(arguments, points, left_out)
            made_for = points
        A = known["spmv_dist, Python"].A
        rows = measured(known, operation, arguments.rounds, left_out)
        base = next((statistics.median(t) for who, t, _ in rows if who.startswith("spmv_dist, C++")), None)
        if COMM.rank == 0:
            print(f"\n{words}: stencil27:{points},{points},{points}, {COMM.size} ranks, backend {A.context.native.backend()}, "
                  f"format {A.native.format()}, mode {A.native.mode()}\n")
            print("| | us | least | most | of C++ | residual / norm |\n|---|---|---|---|---|---|")
        for who, times, worst in rows:
            middle = statistics.median(times)
            part = f"{middle / base:.3f}" if base else ""
            small = f"{worst / NORM:.1e}" if operation == "eigen" and worst is not None else ""
            lines.append([operation, points, COMM.size, who, middle, min(times), max(times), len(times), small])
            if COMM.rank == 0:
                cells = (f"{s * 1e6:.1f}" for s in (middle, min(times), max(times)))
                print(f"| {who} | {' | '.join(cells)} | {part} | {small} |", flush=True)
    if COMM.rank == 0:
        print("\n" + "\n".join(f"left out: {text}" for text in dict.fromkeys(left_out)))
        if arguments.csv:
            with open(arguments.csv, "w", newline="") as file:
                head = "operation points ranks who median_s least_s most_s rounds residual_over_norm"
                csv.writer(file).writerows([head.split(), *lines])


if __name__ == "__main__":
    main()
