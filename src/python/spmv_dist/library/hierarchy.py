"""Multigrid with levels of PyAMG."""

from __future__ import annotations

from typing import Any

import numpy as np

from spmv_dist.library.context import Handle
from spmv_dist.library.errors import InputError, UsageError
from spmv_dist.library.matrix import Matrix
from spmv_dist.library.native import MODULES, extension
from spmv_dist.library.rows import native_rows, share


class Hierarchy:
    """A multigrid cycle as preconditioner of cg and the like. Made by from_pyamg()."""

    def __init__(self, A: Matrix, handle: Handle):
        self.A, self._handle = A, handle

    @property
    def native(self) -> Any:
        return self._handle.native

    @classmethod
    def from_pyamg(cls, ml: Any, A: Matrix, **options: Any) -> Hierarchy:
        """Of PyAMG's solver `ml` of the whole matrix, which every rank has made alike (PyAMG's set-up is serial), for A with
        partition=keep. Each rank takes an even share of the coarser levels. options: smoother (chebyshev, jacobi), degree, cycle (V, W),
        largest_coarse. PyAMG's own smoothers are not used. Collective; raises UsageError, InputError for levels that do not fit A."""

        def check() -> tuple[Any, list[list[Any]]]:
            settings = extension.HierarchyOptions()
            for name, value in options.items():
                if not hasattr(settings, name):
                    raise UsageError(
                        f"{name} is no option of a hierarchy: it has smoother, degree, cycle, largest_coarse"
                    )
                setattr(settings, name, value)
            if tuple(ml.levels[0].A.shape) != A.shape:
                raise InputError(
                    f"ml is of a matrix of shape {ml.levels[0].A.shape}, but A has {A.shape}"
                )
            return settings, levels_of(ml, A)

        settings, levels = A.context.agree(check)
        native, make = A.native, MODULES[A.dtype].Hierarchy
        return cls(A, A.context.make(lambda: make(native, levels, settings), "hierarchy"))

    def describe(self) -> str:
        """Levels, their rows and ranks, cycle and smoother. Local."""
        return self.native.describe()

    def close(self) -> None:
        """Collective."""
        self._handle.close()


def levels_of(ml: Any, A: Matrix) -> list[list[Any]]:
    """This rank's rows of A, P and, where it is not the adjoint of P, R, of each coarser level. Local."""
    comm = A.comm
    fine, levels = np.asarray(A.local_rows), []
    for finer, level in zip(ml.levels, ml.levels[1:]):
        P = finer.P.tocsr()
        coarse = np.arange(*share(level.A.shape[0], comm.rank, comm.size))
        rows = [rows_of(level.A, coarse, None, A.dtype), rows_of(P, fine, coarse, A.dtype)]
        difference = abs(finer.R.tocsr() - P.conj().T.tocsr())
        if difference.nnz and difference.max() > 0:
            rows.append(rows_of(finer.R, coarse, fine, A.dtype))
        levels.append(rows)
        fine = coarse
    return levels


def rows_of(matrix: Any, row_ids: np.ndarray, x_ids: np.ndarray | None, dtype: np.dtype) -> Any:
    if not np.can_cast(matrix.dtype, dtype, "same_kind"):
        raise UsageError(f"PyAMG's levels are {matrix.dtype}, but A is {dtype}")
    csr = matrix.tocsr()[row_ids].astype(dtype)
    return native_rows(csr, row_ids, matrix.shape, x_ids)
