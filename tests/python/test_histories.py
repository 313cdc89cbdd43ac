"""Residual histories of conjugate gradients, beside those of scipy's."""

from __future__ import annotations

import packages

packages.need("numpy", "scipy")

import json
import os
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from scipy import sparse
from scipy.sparse.linalg import cg

from tools import ToolTest

RANKS = (1, 2, 3, 7) if "SPMV_THOROUGH" in os.environ else (1, 2, 3)
SOLVERS = ("cg", "cg_classical", "cg_pipelined")
TOLERANCE = 1e-6
# Rounding errors of two recurrences grow apart, by a factor that depends on the condition.
FIRST, CLOSE = 12, 1e-8
COUNTS_DIFFER = {"cg": 0.02, "cg_classical": 0.02, "cg_pipelined": 0.05}
# Here rounding errors decide: even the classical form, as scipy has it, differs from scipy by 3 % if sums are added in another order.
SENSITIVE, SENSITIVE_TIMES = (("scaled", "none"), ("1138_bus", "none")), 5


def mixed(keys: np.ndarray[Any, Any], salt: int) -> np.ndarray[Any, Any]:
    """x_value() of src/core/reference.cpp: 24 bits by splitmix64, in [-1, 1)."""
    with np.errstate(over="ignore"):
        z = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15 * (salt + 1) % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return ((z >> np.uint64(40)).astype(np.int64) - 2**23) / 2.0**23


def known_solution(matrix: Any) -> np.ndarray[Any, Any]:
    keys = np.arange(matrix.shape[0])
    real = mixed(keys, 0)
    return real + 1j * mixed(keys, 1) if np.iscomplexobj(matrix) else real


def grid(nx: int, ny: int, weak: float) -> Any:
    line = [sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n)) for n in (nx, ny)]
    return sparse.kronsum(line[0], weak * line[1]).tocsr()


def battery() -> Iterator[tuple[str, Any]]:
    """Matrices that are hermitian and positive definite."""
    random = np.random.default_rng(1)
    yield "grid", grid(24, 19, 1)
    yield "anisotropic", grid(20, 20, 1e-2)
    yield "line", grid(150, 1, 0) + 0.01 * sparse.eye(150)
    scale = sparse.diags(10.0 ** random.uniform(-1, 1, 24 * 19))
    yield "scaled", (scale @ grid(24, 19, 1) @ scale).tocsr()
    factor = sparse.random(300, 300, 0.01, random_state=random)
    yield "random", (factor @ factor.T + 0.1 * sparse.eye(300)).tocsr()
    yield "diagonal", sparse.diags(np.linspace(1, 100, 90)).tocsr()
    yield "one row", sparse.csr_matrix([[3.0]])
    hopping = sparse.diags([np.full(199, -1j)], [1])
    yield "complex", (hopping + hopping.conj().T + 2.1 * sparse.eye(200)).tocsr()
    real = Path(os.environ.get("SPMV_TEST_MATRICES", "nowhere")) / "real" / "1138_bus.mtx.gz"
    if real.exists():
        yield "1138_bus", scipy.io.mmread(real).tocsr()


def scipy_history(matrix: Any, m: str) -> list[float]:
    """|b - A x| / |b| before every iteration, and at the end."""
    b = matrix @ known_solution(matrix)
    history = [1.0]
    inverse = sparse.diags(1 / matrix.diagonal().real) if m == "jacobi" else None
    _, info = cg(
        matrix,
        b,
        rtol=TOLERANCE,
        atol=0,
        maxiter=10**5,
        M=inverse,
        callback=lambda x: history.append(
            float(np.linalg.norm(b - matrix @ x) / np.linalg.norm(b))
        ),
    )
    assert info == 0
    return history


class Histories(ToolTest):
    def solves(self, ranks: int, file: Path, m: str) -> list[dict[str, Any]]:
        path = self.folder / "solve.json"
        words = ["solve", str(file), "--solver", ",".join(SOLVERS), "--preconditioner", m]
        words += ["--backend=host", "--format=sell", "--transport=staged", "--times=1"]
        words += [f"--tolerance={TOLERANCE}", f"--json={path}"]
        self.program(ranks, *words)
        return list(json.loads(path.read_text())["solvers"])

    def test_beside_scipy(self) -> None:
        for name, matrix in battery():
            file = self.folder / f"{name.replace(' ', '_')}.mtx"
            scipy.io.mmwrite(file, matrix, precision=17)
            for m in ("none", "jacobi"):
                expected = scipy_history(matrix, m)
                for ranks in RANKS if m == "none" else RANKS[-1:]:
                    for solve in self.solves(ranks, file, m):
                        with self.subTest(matrix=name, m=m, ranks=ranks, solver=solve["solver"]):
                            self.compare(solve, expected, (name, m) in SENSITIVE)

    def compare(self, solve: dict[str, Any], expected: list[float], sensitive: bool) -> None:
        self.assertEqual(solve["stop"], "converged", solve["reason"])
        for i, (ours, theirs) in enumerate(zip(solve["history"], expected[:FIRST])):
            self.assertLessEqual(abs(ours - theirs), CLOSE * theirs + 1e-13, f"iteration {i}")
        count = len(expected) - 1
        share = COUNTS_DIFFER[solve["solver"]] * (SENSITIVE_TIMES if sensitive else 1)
        self.assertLessEqual(abs(solve["iterations"] - count), max(1, share * count))


if __name__ == "__main__":
    unittest.main()
