"""Multigrid with levels of PyAMG."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import COMM, DIRECT, agreed, near, poisson, raises

import spmv_dist

pyamg = pytest.importorskip("pyamg")


@pytest.mark.parametrize("maker", ["smoothed_aggregation_solver", "ruge_stuben_solver"])
@pytest.mark.parametrize("root", [None, 0])
def test_levels_of_pyamg(maker: str, root: int | None) -> None:
    whole = poisson(12)
    ml = getattr(pyamg, maker)(whole.tocsr(), max_coarse=20)
    size = whole.shape[0]
    cuts = [0, *(size * k // (2 * COMM.size) for k in range(1, COMM.size)), size]  # uneven
    mine = whole[cuts[COMM.rank] : cuts[COMM.rank + 1]] if root is None else whole
    A = spmv_dist.Matrix.from_scipy(mine, root=root, **DIRECT)
    M = spmv_dist.Hierarchy.from_pyamg(ml, A)
    agreed(f"{len(ml.levels)} levels with {size}" in M.describe(), M.describe())
    x = np.random.default_rng(7).standard_normal(size)
    solver = spmv_dist.Solver(A, "cg", M, tolerance=1e-10)
    b, found = A.vector((whole @ x)[A.local_rows]), A.vector()
    result = solver.solve(b, found)
    near(found.get(), x[A.local_rows], 1e-7)
    plain = spmv_dist.Solver(A, "cg", tolerance=1e-10).solve(b, A.vector())
    assert 0 < result.iterations < plain.iterations / 2
    assert spmv_dist.cg(A, (whole @ x)[A.local_rows], M=M)[1] == 0


def test_levels_that_do_not_fit_are_refused() -> None:
    ml = pyamg.smoothed_aggregation_solver(poisson(6).tocsr(), max_coarse=20)
    A = spmv_dist.Matrix.generate("stencil7:7,7,7", **DIRECT)
    raises(
        spmv_dist.InputError,
        "ml is of a matrix of shape (216, 216)",
        lambda: spmv_dist.Hierarchy.from_pyamg(ml, A),
    )
    A = spmv_dist.Matrix.generate("stencil7:6,6,6", **DIRECT)
    raises(spmv_dist.UsageError, "typo", lambda: spmv_dist.Hierarchy.from_pyamg(ml, A, typo=1))
    raises(spmv_dist.UsageError, "Z", lambda: spmv_dist.Hierarchy.from_pyamg(ml, A, cycle="Z"))
