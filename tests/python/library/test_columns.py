"""Several right-hand sides in columns, against scipy one by one; and iterations in single precision."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg
from conftest import COMM, DIRECT, agreed, near, poisson, raises

import spmv_dist

WHOLE = poisson(8)
ROWS = WHOLE.shape[0]


def matrix(dtype: Any = float, **options: Any) -> spmv_dist.Matrix:
    return spmv_dist.Matrix.from_scipy(
        WHOLE.astype(dtype) if COMM.rank == 0 else None, root=0, **DIRECT, **options
    )


def columns(k: int, dtype: Any = float) -> np.ndarray:
    """Of all rows, each of another size."""
    random = np.random.default_rng(k)
    made = random.standard_normal((ROWS, k)) * 10.0 ** (np.arange(k) % 5)
    if np.dtype(dtype).kind == "c":
        made = made * (1 + 2j)
    return made.astype(dtype)


def of_scipy(solver: str, B: np.ndarray, **how: Any) -> tuple[np.ndarray, list[int]]:
    solve = getattr(scipy.sparse.linalg, solver)
    solved = [solve(WHOLE, column.astype(np.result_type(B, float)), **how) for column in B.T]
    return np.stack([x for x, _ in solved], axis=1), [info for _, info in solved]


@pytest.mark.parametrize("k", [1, 3, 8, 40])
@pytest.mark.parametrize(
    ("solver", "dtype"),
    [
        ("cg", "float32"),
        ("cg", "float64"),
        ("minres", "float64"),
        ("cg", "complex64"),
        ("cg", "complex128"),
        ("bicgstab", "complex128"),
    ],
)
def test_every_column_is_scipys(solver: str, dtype: str, k: int) -> None:
    A, B = matrix(dtype), columns(k, dtype)
    rtol = 1e-5 if dtype in ("float32", "complex64") else 1e-10
    expected, _ = of_scipy(solver, B, rtol=1e-13)
    X, info = getattr(spmv_dist, solver)(A, B[A.local_rows], rtol=rtol, M="jacobi")
    agreed(type(X) is np.ndarray and X.dtype == np.dtype(dtype))
    agreed(info.shape == (k,) and not info.any(), info)
    near(X, expected[A.local_rows], 100 * rtol * np.linalg.norm(B, axis=0))


@pytest.mark.parametrize("k", [1, 3, 8, 40])
def test_keywords_hold_for_every_column(k: int) -> None:
    A, B = matrix(), columns(k)
    mine = B[A.local_rows]
    _, scipys = of_scipy("cg", B, maxiter=3)
    _, info = spmv_dist.cg(A, mine, maxiter=3)
    agreed(list(info) == scipys == [3] * k, info)
    norms = np.linalg.norm(B, axis=0)
    for rtol, atol in ((1e-5, 0.0), (0.0, 1e-3), (1e-3, 1.0)):
        X, info = spmv_dist.cg(A, mine, rtol=rtol, atol=atol)
        whole = np.empty((ROWS, k))
        whole[np.concatenate(COMM.allgather(A.local_rows))] = np.concatenate(COMM.allgather(X))
        residuals = np.linalg.norm(B - WHOLE @ whole, axis=0)
        agreed(not info.any())
        agreed(bool(np.all(residuals <= np.maximum(rtol * norms, atol) * (1 + 1e-6))), residuals)
    X, _ = spmv_dist.cg(A, mine, rtol=1e-12)
    again, _ = spmv_dist.cg(A, mine, X, maxiter=0)
    near(again, X, 0)
    twice, _ = spmv_dist.cg(A, mine, 2 * X, rtol=1e-12)
    near(twice, X, 1e-8 * norms)


def test_a_callback_ends_all_blocks_of_columns() -> None:
    """It is asked once, in the first block of 32, and not in the second, which ends, too."""
    A, B = matrix(), columns(64)
    asked = []

    def slow(r: np.ndarray) -> np.ndarray:
        time.sleep(0.02)
        return r

    def stop(iterations: int, residual: float) -> bool:
        asked.append(iterations)
        return True

    M = scipy.sparse.linalg.LinearOperator((len(A.local_rows),) * 2, matvec=slow, dtype=float)
    _, info = spmv_dist.cg(A, B[A.local_rows], rtol=1e-12, M=M, callback=stop)
    agreed(len(asked) == 1 and bool(info.all()), (asked, info))


def test_a_column_that_is_0_is_solved_by_0() -> None:
    A, B = matrix(), columns(3)
    B[:, 1] = 0
    expected, _ = of_scipy("cg", B, rtol=1e-12)
    X, info = spmv_dist.cg(A, B[A.local_rows], rtol=0, atol=1e-8)
    agreed(not info.any())
    near(X, expected[A.local_rows], 1e-6)
    near(
        spmv_dist.cg(A, 0 * B[A.local_rows], rtol=0, atol=1e-8)[0],
        np.zeros((len(A.local_rows), 3)),
        0,
    )


def test_multivectors_are_solved_for() -> None:
    A, B = matrix(), columns(3)
    norms = np.linalg.norm(B, axis=0)
    expected, _ = of_scipy("cg", B, rtol=1e-12)
    right = A.multivector(3, B[A.local_rows])
    X, info = spmv_dist.cg(A, right, rtol=1e-10)
    agreed(isinstance(X, spmv_dist.MultiVector) and X is not right and info.shape == (3,))
    near(X.get(), expected[A.local_rows], 1e-7 * norms)
    same, _ = spmv_dist.cg(A, B[A.local_rows], X, maxiter=0)
    near(same, X.get(), 0)
    inverse = 1 / WHOLE.diagonal()[A.local_rows]

    def function(r: spmv_dist.Vector, z: spmv_dist.Vector) -> None:
        z.set(inverse * r.get())

    solver = spmv_dist.Solver(A, "cg", function, tolerance=1e-10)
    for _ in range(2):
        found = A.multivector(3)
        results = solver.solve(right, found)
        agreed([result.stop for result in results] == ["converged"] * 3)
        near(found.get(), expected[A.local_rows], 1e-7 * norms)
    one = A.vector()
    agreed(solver.solve(A.vector(B[A.local_rows, 0].copy()), one).stop == "converged")
    near(one.get(), expected[A.local_rows, 0], 1e-7 * norms[0])


WRONG: dict[str, Callable[[int], Any]] = {
    "has shape": lambda n: np.zeros((n + 1, 3)),
    "give at least one column": lambda n: np.zeros((n, 0)),
    "3, 1), but": lambda n: np.zeros((n, 3, 1)),
    "dtype float32": lambda n: np.zeros((n, 3), np.float32),
    "not contiguous": lambda n: np.zeros((n, 5))[:, :3],
}


@pytest.mark.parametrize("said", WRONG)
def test_right_hand_sides_that_do_not_fit_are_refused(said: str) -> None:
    A = matrix()
    wrong = WRONG[said](len(A.local_rows))
    raises(spmv_dist.UsageError, said, lambda: spmv_dist.cg(A, wrong))
    fine = np.zeros((len(A.local_rows), 3))
    on_last = wrong if COMM.rank == COMM.size - 1 else fine
    raises(spmv_dist.UsageError, said, lambda: spmv_dist.cg(A, on_last))


def test_right_hand_sides_and_guesses_have_as_many_columns() -> None:
    A = matrix()
    n = len(A.local_rows)
    B, b = np.zeros((n, 3)), np.zeros(n)
    other, C, solver = matrix(np.float32), matrix(), spmv_dist.Solver(A)
    for said, call in (
        ("x0 has shape", lambda: spmv_dist.cg(A, B, np.zeros((n, 2)))),
        ("x0 has shape", lambda: spmv_dist.cg(A, B, b)),
        ("x0 has shape", lambda: spmv_dist.cg(A, b, B)),
        ("x0 has shape", lambda: spmv_dist.cg(A, B, A.multivector(2))),
        ("a Vector was given", lambda: spmv_dist.cg(A, B, A.vector())),
        ("a MultiVector was given", lambda: spmv_dist.cg(A, b, A.multivector(3))),
        ("float32", lambda: spmv_dist.cg(A, other.multivector(3))),
        ("a Vector was given", lambda: solver.solve(A.multivector(3), A.vector())),
        ("3 columns and x 2", lambda: solver.solve(A.multivector(3), A.multivector(2))),
        ("another matrix", lambda: solver.solve(C.multivector(3), A.multivector(3))),
    ):
        raises(spmv_dist.UsageError, said, call)
    if COMM.size > 1:
        few = np.zeros((n, 2 + (COMM.rank == 0)))
        raises(spmv_dist.UsageError, "as many on all ranks", lambda: spmv_dist.cg(A, few))
        some = b if COMM.rank == 0 else B
        raises(spmv_dist.UsageError, "as many on all ranks", lambda: spmv_dist.cg(A, some))
        right, X = A.multivector(3), A.multivector(3)
        mixed = (A.vector(), A.vector()) if COMM.rank == 0 else (right, X)
        raises(spmv_dist.UsageError, "number of columns", lambda: solver.solve(*mixed))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("M", [None, "jacobi", "chebyshev"])
def test_iterations_in_single_precision(dtype: str, M: str | None) -> None:
    A, B = matrix(dtype, inner="float"), columns(1, dtype)
    expected, _ = of_scipy("cg", B, rtol=1e-12)
    b = B[A.local_rows, 0].copy()
    x, info = spmv_dist.cg(A, b, rtol=1e-10, M=M, inner="float")
    agreed(info == 0 and x.dtype == np.dtype(dtype))
    near(x, expected[A.local_rows, 0], 1e-8 * np.linalg.norm(B))
    solver, y = spmv_dist.Solver(A, "cg", M, tolerance=1e-10, inner="float"), A.vector()
    result = solver.solve(A.vector(b), y)
    agreed(result.stop == "converged" and result.updates > 1, result.updates)
    agreed("single precision" in solver.preconditioner(), solver.preconditioner())
    near(y.get(), x, 0)
    plain = spmv_dist.Solver(A, "cg", M, tolerance=1e-10)
    agreed(plain.solve(A.vector(b), A.vector()).updates == 0)
    single, info = spmv_dist.cg(A, B[A.local_rows], rtol=1e-10, M=M, inner="float")
    agreed(list(info) == [0])
    near(single[:, 0], x, 0)


def test_what_single_precision_does_not_do_is_refused() -> None:
    A, B = matrix(inner="float"), columns(3)
    plain = matrix()
    b = B[A.local_rows, 0].copy()
    for said, call in (
        ("make it with option inner=float", lambda: spmv_dist.cg(plain, b, inner="float")),
        ("may be none or float", lambda: spmv_dist.cg(A, b, inner="double")),
        ("one right-hand side at a time", lambda: spmv_dist.cg(A, B[A.local_rows], inner="float")),
        ("by name", lambda: spmv_dist.cg(A, b, inner="float", M=lambda r, z: z.set(r.get()))),
    ):
        raises(spmv_dist.UsageError, said, call)
