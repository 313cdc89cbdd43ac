"""Solvers against scipy, with scipy's names and keywords; what functions of the caller's may do to them."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
from conftest import COMM, DIRECT, agreed, near, poisson, raises

import spmv_dist

WHOLE = poisson(8)
X = np.random.default_rng(1).standard_normal(512)


def matrix(dtype: Any = float, whole: Any = WHOLE) -> spmv_dist.Matrix:
    return spmv_dist.Matrix.from_scipy(
        whole.astype(dtype) if COMM.rank == 0 else None, root=0, largest_block=8, **DIRECT
    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_solutions(dtype: str) -> None:
    A = matrix(dtype)
    factor = 1 + 1j if np.dtype(dtype).kind == "c" else 1
    x = (X * factor).astype(dtype)
    b = (WHOLE @ (X * factor)).astype(dtype)[A.local_rows]
    rtol = 1e-5 if dtype in ("float32", "complex64") else 1e-10
    for solver in (spmv_dist.cg, spmv_dist.minres, spmv_dist.bicgstab, spmv_dist.bicgstab_2):
        for M in (None, "jacobi", "block_jacobi", "chebyshev"):
            found, info = solver(A, b, rtol=rtol, M=M)
            agreed(found.dtype == np.dtype(dtype))
            assert info == 0, (solver.__name__, M)
            near(found, x[A.local_rows], 2e2 * rtol)


def test_keywords_mean_what_scipys_mean() -> None:
    A = matrix()
    b = (WHOLE @ X)[A.local_rows]
    scipys_cg = scipy.sparse.linalg.cg
    norm = np.linalg.norm(WHOLE @ X)
    for rtol, atol in ((1e-5, 0.0), (0.0, 1e-3), (1e-2, 1e-3)):
        found, info = spmv_dist.cg(A, b, rtol=rtol, atol=atol)
        whole = np.empty(512)
        whole[np.concatenate(COMM.allgather(A.local_rows))] = np.concatenate(COMM.allgather(found))
        assert info == 0
        residual = np.linalg.norm(WHOLE @ (X - whole))
        limit = max(rtol * norm, atol)
        assert 1e-3 * limit < residual <= limit * (1 + 1e-6)
    assert spmv_dist.cg(A, b, maxiter=3)[1] == 3 == scipys_cg(WHOLE, WHOLE @ X, maxiter=3)[1]
    guess = X[A.local_rows]
    before = guess.copy()
    found, info = spmv_dist.cg(A, b, guess, maxiter=0)
    near(found, guess, 0)
    near(guess, before, 0)
    indefinite = matrix(whole=sp.csr_array(WHOLE - 6 * sp.eye_array(512)))
    assert spmv_dist.cg(indefinite, b)[1] < 0
    x = spmv_dist.cg(A, A.vector(b), rtol=1e-10)[0]
    agreed(isinstance(x, spmv_dist.Vector))
    near(x.get(), guess, 1e-7)


def test_a_solver_is_set_up_once() -> None:
    A = matrix()
    solver = spmv_dist.Solver(A, "cg", "jacobi", tolerance=1e-10)
    for factor in (1, 2):
        x = A.vector()
        result = solver.solve(A.vector(factor * (WHOLE @ X)[A.local_rows]), x)
        assert (result.stop, result.reason) == ("converged", "")
        assert len(result.history) == result.iterations + 1
        near(x.get(), factor * X[A.local_rows], 1e-7)
    assert "jacobi" in solver.preconditioner()
    raises(spmv_dist.UsageError, "no_such", lambda: spmv_dist.Solver(A, "no_such"))
    raises(spmv_dist.UsageError, "typo is no option", lambda: spmv_dist.Solver(A, typo=3))
    solver.close()
    raises(spmv_dist.UsageError, "was closed", lambda: solver.solve(A.vector(), A.vector()))


def test_preconditioners_of_the_callers() -> None:
    A = matrix()
    b = (WHOLE @ X)[A.local_rows]
    inverse = 1 / WHOLE.diagonal()[A.local_rows]
    calls = []

    class Operator:
        def matvec(self, r: np.ndarray) -> np.ndarray:
            calls.append(r)
            return inverse * r

    on, weights = spmv_dist.Workspace(A), A.vector(inverse)

    def function(r: spmv_dist.Vector, z: spmv_dist.Vector) -> None:
        on.run(on.combination().multiply(z, weights, r))

    for M in (Operator(), function):
        found, info = spmv_dist.cg(A, b, rtol=1e-10, M=M)
        assert info == 0
        near(found, X[A.local_rows], 1e-7)
    agreed(len(calls) > 3)


class Told(Exception):
    pass


def endless() -> tuple[spmv_dist.Matrix, np.ndarray]:
    """A system that is never solved to the tolerance 0 of a long solve."""
    A = spmv_dist.Matrix.generate("stencil7:16,16,16", **DIRECT)
    return A, np.random.default_rng(COMM.rank).standard_normal(len(A.local_rows))


@pytest.mark.parametrize("teller", range(COMM.size))
@pytest.mark.parametrize("kind", [Told, spmv_dist.InputError])
def test_what_a_function_raises_on_one_rank_ends_the_solve_on_all(
    teller: int, kind: type[Exception]
) -> None:
    A, b = endless()

    def raise_here() -> None:
        if COMM.rank == teller:
            raise kind("enough")

    def watch(iterations: int, residual: float) -> None:
        raise_here()

    def precondition(r: Any, z: Any) -> None:
        z.set(r.get())
        raise_here()

    def slow(r: Any, z: Any) -> None:
        z.set(r.get())
        time.sleep(0.05)

    here, text = kind, "enough"
    if COMM.rank != teller:
        here, text = spmv_dist.OtherRankError, f"rank {teller} raised {kind.__name__}: enough"
    raises(here, text, lambda: spmv_dist.cg(A, b, rtol=1e-12, M=precondition))
    raises(here, text, lambda: spmv_dist.cg(A, b, rtol=0, maxiter=10**9, callback=watch, M=slow))
    raises(here, text, lambda: spmv_dist.eigsh(A, 4, tol=1e-13, ncv=8, callback=watch))
    assert spmv_dist.cg(A, b, rtol=1e-6)[1] == 0


@pytest.mark.parametrize("solver", ["cg", "cg_classical", "minres", "bicgstab"])
def test_what_is_raised_in_the_last_iteration_is_raised_on_all_ranks(solver: str) -> None:
    A = matrix()
    b = A.vector((WHOLE @ X)[A.local_rows])
    calls, last = [0], [0]

    def precondition(r: Any, z: Any) -> None:
        z.set(r.get())
        calls[0] += 1
        if calls[0] == last[0] and COMM.rank == COMM.size - 1:
            raise Told("enough")

    of_solver = spmv_dist.Solver(A, solver, precondition, tolerance=1e-6)
    assert of_solver.solve(b, A.vector()).stop == "converged"
    calls[0], last[0] = 0, calls[0]
    kind = Told if COMM.rank == COMM.size - 1 else spmv_dist.OtherRankError
    raises(kind, "enough", lambda: of_solver.solve(b, A.vector()))


def test_a_watch_may_stop_a_solve() -> None:
    A, b = endless()

    def slow(r: Any, z: Any) -> None:
        z.set(r.get())
        time.sleep(0.05)

    _, info = spmv_dist.bicgstab(A, b, rtol=0, M=slow, callback=lambda iterations, residual: True)
    assert info > 0


@pytest.mark.parametrize("teller", range(COMM.size))
def test_an_interrupt_of_one_rank_ends_the_solve_on_all(teller: int) -> None:
    A, b = endless()

    def apply(r: Any, z: Any) -> None:
        z.set(r.get())
        if COMM.rank == teller:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        raises(KeyboardInterrupt, "", lambda: spmv_dist.cg(A, b, rtol=0, M=apply))
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("teller", range(COMM.size))
def test_an_interrupt_ends_a_long_solve_without_functions(teller: int) -> None:
    """The signal comes while the library iterates."""
    size = 200000
    share = [size * rank // COMM.size for rank in range(COMM.size + 1)]
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size), format="csr")
    A = spmv_dist.Matrix.from_scipy(line[share[COMM.rank] : share[COMM.rank + 1]], **DIRECT)
    b, x = A.vector(np.random.default_rng(COMM.rank).standard_normal(len(A.local_rows))), A.vector()
    solver = spmv_dist.Solver(A, tolerance=1e-13, max_iterations=10**9)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        if COMM.rank == teller:
            signal.setitimer(signal.ITIMER_REAL, 0.5)
        raises(KeyboardInterrupt, "", lambda: solver.solve(b, x))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_solver_of_ones_own() -> None:
    slot = spmv_dist.slot
    A = matrix()
    b, x = A.vector((WHOLE @ X)[A.local_rows]), A.vector()
    on = spmv_dist.Workspace(A)
    r, p, s = A.vector(), A.vector(), A.vector()
    goal = (1e-10 * on.norm(b)) ** 2
    near(on.norm(b), np.linalg.norm(WHOLE @ X), 1e-10)
    near(on.dot(b, b), np.linalg.norm(WHOLE @ X) ** 2, 1e-9)
    alpha = slot(0) / slot(1)
    beta = (alpha * alpha * slot(2) - slot(0)) / slot(0)
    first = on.combination().set(r, b - s).set(p, r).sum(0, r, r)
    step = on.combination().require(goal < slot(0)).record(0, slot(0)).set(x, x + alpha * p)
    step.set(r, r - alpha * s).set(p, r + beta * p).sum(0, r, r)
    on.multiply(A, x, s)
    on.run(first)
    with on.loop():
        while True:
            on.multiply_and_sum(A, p, s, 1, 2)
            on.run(step)
            if not on.line()[0] > goal:
                break
    near(x.get(), X[A.local_rows], 1e-7)
    assert on.value(0) <= goal
    with pytest.raises(TypeError, match="has no value before"):
        bool(slot(0) < 1)
    form = on.combination().set(r, 2 * (x - p / 8) + -b)
    on.run(form)
    near(r.get(), 2 * x.get() - p.get() / 4 - b.get(), 1e-12)
