"""Who takes part in python_compare.py: spmv_dist in Python and in C++, SciPy, CuPy, PyTorch and petsc4py."""

import inspect
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
BATCH_SECONDS, ROUND_SECONDS = 0.002, 0.3
OF_MPIRUN = (
    "OMPI_COMM",
    "OMPI_APP",
    "OMPI_FILE",
    "OMPI_FIRST",
    "OMPI_NUM",
    "OMPI_UNIVERSE",
    "OMPI_MCA_ess",
    "OMPI_MCA_orte",
    "OMPI_MCA_pmix",
    "OMPI_MCA_initial",
    "OMPI_COMMAND",
    "PMIX",
    "ORTE",
    "PMI_",
)
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
        inside[:, k] = np.logical_and.reduce(
            [(0 <= at) & (at < points) for at in (z + c, y + b, x + a)]
        )
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
    """A contender's median over batches, as the program measures."""
    call()
    finish()
    first = seconds_of(call, 3, finish)
    count = max(1, round(BATCH_SECONDS / first))
    batches = max(3, round(ROUND_SECONDS / (count * first)))
    return lambda: statistics.median(seconds_of(call, count, finish) for _ in range(batches))


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
        known = np.random.default_rng(COMM.rank).standard_normal(len(self.ones))
        b, zeros = self.A.vector(self.A @ known), np.zeros_like(known)

        def solve():
            self.y.set(zeros)
            done = []
            taken = seconds_of(lambda: done.append(solver.solve(b, self.y)), 1, lambda: None)
            return taken / done[0].iterations

        solve()
        yield "Solver", solve

    def eigen(self):
        def search():
            taken = seconds_of(
                lambda: found.append(spmv_dist.eigsh(self.A, 4, tol=1e-8)), 1, lambda: None
            )
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
        self.options = [
            "--generate",
            f"stencil27:{points},{points},{points}",
            "--backend",
            A.context.native.backend(),
        ]
        self.options += [
            "--format",
            A.native.format(),
            "--mode",
            A.native.mode(),
            "--layout",
            A.native.layout(),
        ]
        self.options += ["--partition", "rows"]
        if COMM.size > 1:
            self.options += ["--transport", A.native.transport()]

    def run(self, words):
        """What it measured. It starts when other ranks of Python sleep."""
        said = None
        if COMM.rank == 0:
            clean = {k: v for k, v in os.environ.items() if not k.startswith(OF_MPIRUN)}
            start = (
                ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(COMM.size)]
                if COMM.size > 1
                else []
            )
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.json")
                done = subprocess.run(
                    [*start, self.path, *words, *self.options, "--json", path],
                    check=False,
                    env=clean,
                    capture_output=True,
                    text=True,
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
            raise Missing(f"the program failed: {' '.join(said.split())[:300]}")
        return said

    def products(self):
        yield (
            "program",
            lambda: self.run(["--max-seconds", "0.3", "--no-verify"])["modes"][0]["median_s"],
        )

    def cg(self):
        yield (
            "program",
            lambda: self.run(["solve", "--solver", "cg", "--times", "3"])["solvers"][0][
                "seconds_per_iteration"
            ],
        )


def never(cg):
    """The tolerance that no solution reaches: older versions call it tol."""
    return {"rtol" if "rtol" in inspect.signature(cg).parameters else "tol": 1e-300}


class SciPy:
    def __init__(self, whole):
        import scipy.sparse.linalg

        self.A, self.linalg = whole, scipy.sparse.linalg
        self.x = np.ones(whole.shape[0])

    def products(self):
        yield "A @ x", in_batches(lambda: self.A @ self.x)

    def cg(self):
        count = 5
        yield (
            "cg",
            lambda: (
                seconds_of(
                    lambda: self.linalg.cg(self.A, self.x, **never(self.linalg.cg), maxiter=count),
                    1,
                    lambda: None,
                )
                / count
            ),
        )

    def eigen(self):
        def search():
            taken = seconds_of(
                lambda: found.append(self.linalg.eigsh(self.A, 4, which="SA", tol=1e-7)),
                1,
                lambda: None,
            )
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
        solve = lambda: self.linalg.cg(self.A, self.x, **never(self.linalg.cg), maxiter=count)
        solve()
        yield "cg", lambda: seconds_of(solve, 1, self.wait) / count

    def eigen(self):
        def search():
            taken = seconds_of(
                lambda: found.append(self.linalg.eigsh(self.A, 4, which="SA", tol=1e-8 * NORM)),
                1,
                self.wait,
            )
            values, vectors = found.pop()
            self.worst = float(
                self.cupy.linalg.norm(self.A @ vectors - vectors * values, axis=0).max()
            )
            return taken

        found = []
        yield "eigsh", search


class PyTorch:
    def __init__(self, whole):
        import torch

        parts = [
            torch.from_numpy(part).cuda() for part in (whole.indptr, whole.indices, whole.data)
        ]
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
        yield (
            "KSPCG",
            lambda: seconds_of(lambda: ksp.solve(self.x, self.y), 1, lambda: None) / count,
        )
