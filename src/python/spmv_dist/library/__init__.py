"""The library for scipy's users: distributed matrices, products, solvers and spectra on MPI ranks with or
without GPUs. `import spmv_dist` loads it when one of these names is used first."""

from spmv_dist.library.context import Context
from spmv_dist.library.errors import (
    Error,
    InputError,
    InternalError,
    NoProgressError,
    NotConverged,
    OtherRankError,
    OutOfMemoryError,
    UnavailableError,
    UsageError,
)
from spmv_dist.library.hierarchy import Hierarchy
from spmv_dist.library.matrix import Matrix
from spmv_dist.library.own import Combination, Workspace, conjugate, root, slot, where
from spmv_dist.library.solve import Solver, bicgstab, bicgstab_2, cg, minres
from spmv_dist.library.spectrum import density_of_states, eigsh, evolve, moments
from spmv_dist.library.vectors import MultiVector, Vector

__all__ = [
    "Combination",
    "Context",
    "Error",
    "Hierarchy",
    "InputError",
    "InternalError",
    "Matrix",
    "MultiVector",
    "NoProgressError",
    "NotConverged",
    "OtherRankError",
    "OutOfMemoryError",
    "Solver",
    "UnavailableError",
    "UsageError",
    "Vector",
    "Workspace",
    "bicgstab",
    "bicgstab_2",
    "cg",
    "conjugate",
    "density_of_states",
    "eigsh",
    "evolve",
    "minres",
    "moments",
    "root",
    "slot",
    "where",
]
