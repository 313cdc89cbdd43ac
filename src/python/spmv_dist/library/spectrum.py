"""Eigenvalues and spectra of hermitian matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spmv_dist.library.arrays import empty_like
from spmv_dist.library.context import Noting
from spmv_dist.library.errors import InputError, NotConverged, UsageError
from spmv_dist.library.matrix import Matrix, require_vector
from spmv_dist.library.native import MODULES, extension
from spmv_dist.library.vectors import Vector

NAMES = {
    "SA": "the lowest",
    "LA": "the highest",
    "BE": "half from each end",
    "LM": "the largest absolute values",
}
DEFAULT_TOLERANCE = {"float32": 1e-5, "complex64": 1e-5}


def eigsh(
    A: Matrix,
    k: int = 6,
    which: str = "SA",
    *,
    tol: float = 0.0,
    ncv: int | None = None,
    maxiter: int = 1000,
    return_eigenvectors: bool = True,
    copies: bool = True,
    callback: Callable[[int, float], Any] | None = None,
) -> Any:
    """k eigenvalues of a hermitian matrix in ascending order, and their vectors as columns of this rank's elements, shape (rows
    of this rank, k): as scipy.sparse.linalg.eigsh.

    which: SA, the lowest, LA, the highest; BE, k/2 from each end, if k is odd one more of the highest, and LM, the largest absolute values, are
    two searches, which need copies=True. tol: of |A v - lambda v| / |A|; 0: 1e-8, in single precision 1e-5. ncv: vectors of
    Lanczos. maxiter: restarts. copies: False is
    faster, but may find an eigenvalue that is there several times only once. callback(products,
    residual) is called at every restart; where it returns true, the search ends. Collective; raises UsageError, InputError for
    a matrix that is not hermitian, OutOfMemoryError, and NotConverged, whose `result` is (values, vectors) so far."""

    def check() -> list[Any]:
        return [
            options_of_search(A, highest, count, tol, ncv, maxiter, copies)
            for highest, count in searches(which, k, A.shape[0], copies)
        ]

    watch = Noting(callback)
    search, native = MODULES[A.dtype].eigen, A.native
    ends = []
    for options in A.context.agree(check):
        found = A.context.together(lambda: search(native, options, watch), [watch])  # noqa: B023
        wanted = return_eigenvectors or found.stop != "converged"
        ends.append(sorted_pairs(A, found, wanted))
        if found.stop != "converged":
            error = NotConverged(f"{found.stop}: {found.reason}")
            error.result = ends[-1]
            raise error
    if len(ends) == 2 and ends[0][0][-1] >= ends[1][0][0] - 2 * options.tolerance * found.norm:
        raise InputError(
            f"which={which!r}: both ends of the spectrum have the same eigenvalue {ends[0][0][-1]}: "
            "search for SA or LA"
        )
    values = np.concatenate([end[0] for end in ends])
    vectors = np.concatenate([end[1] for end in ends], axis=1)
    if which == "LM":
        chosen = np.sort(np.argsort(-np.abs(values), kind="stable")[:k])
        values, vectors = values[chosen], vectors[:, chosen]
    return (values, vectors) if return_eigenvectors else values


def searches(which: str, k: int, rows: int, copies: bool) -> list[tuple[bool, int]]:
    """The ends of the spectrum, whether it is the highest, and how many eigenvalues of each are wanted."""
    if which not in NAMES:
        names = ", ".join(f"{name}, {words}" for name, words in NAMES.items())
        raise UsageError(f"which={which!r} was given, but there are {names}")
    if which in ("SA", "LA"):
        return [(which == "LA", k)]
    if not copies:
        raise UsageError(f"which={which!r} needs copies=True: both ends must find every copy")
    if which == "BE" and 1 < k < rows:
        return [(False, k // 2), (True, k - k // 2)]
    if which == "LM" and 0 < k <= rows // 2:
        return [(False, k), (True, k)]
    return [(k == 1, rows if which == "LM" and 0 < k <= rows else k)]


def options_of_search(
    A: Matrix, highest: bool, k: int, tol: float, ncv: int | None, maxiter: int, copies: bool
) -> Any:
    options = extension.EigenOptions()
    options.highest = highest
    options.count, options.max_restarts, options.copies = k, maxiter, copies
    options.tolerance = tol or DEFAULT_TOLERANCE.get(A.dtype.name, 1e-8)
    options.subspace = ncv or 0
    return options


def sorted_pairs(A: Matrix, found: Any, with_vectors: bool) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues in ascending order, and their vectors, if wanted, as columns."""
    order = np.argsort(found.values)
    vectors = np.empty((A.native.size(1), len(order)), A.dtype)
    for column, i in enumerate(order if with_vectors else ()):
        vectors[:, column] = Vector(found.vectors[i], A.dtype, vectors.shape[:1], A._handle).get()
    return np.asarray(found.values)[order], vectors


def require_done(stop: str, what: str, result: Any) -> None:
    if stop == "asked":
        error = NotConverged(f"the callback has stopped {what}")
        error.result = result
        raise error


def bounds_of(bounds: Any) -> Any:
    """The library's, of a pair or of a result's."""
    if bounds is None:
        return extension.Bounds(0.0, 0.0)
    return bounds if isinstance(bounds, extension.Bounds) else extension.Bounds(*map(float, bounds))


def moments(
    A: Matrix,
    count: int = 512,
    vectors: int = 10,
    *,
    start: Any = None,
    seed: int = 1,
    bounds: Any = None,
    callback: Callable[[int], Any] | None = None,
) -> Any:
    """`count` Chebyshev moments of so many random vectors, or of the vector `start`, an array or a Vector: its local density of
    states. bounds: (low, high), an interval that contains the spectrum; None: estimated. callback(moments) is called about five times a
    second with how many of all vectors are there; where it returns true, they end. Returns of_vector[i][n], bounds,
    bounds_from, norm, products and seconds. Collective; raises UsageError, InputError; KeyboardInterrupt on all ranks; and NotConverged
    where callback ends them, whose `result` has the vectors of which all moments are there, or the first with some, or none."""

    def check() -> tuple[Any, Any]:
        options = extension.MomentsOptions()
        options.moments, options.vectors, options.seed, options.bounds = (
            count,
            vectors,
            seed,
            bounds_of(bounds),
        )
        vector = start if start is None or isinstance(start, Vector) else A.vector(start)
        if vector is not None:
            require_vector(A, vector)
        return options, vector

    options, vector = A.context.agree(check)
    watch, compute, native = Noting(callback), MODULES[A.dtype].moments, A.native
    start = None if vector is None else vector.native
    found = A.context.together(lambda: compute(native, start, options, watch), [watch])
    require_done(found.stop, "the moments", found)
    return found


@dataclass(frozen=True)
class Density:
    """States per unit of energy, at ascending energies; all states together are 1."""

    energy: np.ndarray
    density: np.ndarray
    error: np.ndarray
    integral: float


def density_of_states(of: Any, energies: int = 1000, **options: Any) -> Density:
    """The density of states at so many energies, of moments, or of a Matrix with the keywords of moments(). Returns arrays energy,
    density and error (of the mean over start vectors; empty if there is one), and integral. Local, of a Matrix Collective."""
    if isinstance(of, Matrix):
        of = moments(of, **options)
    found = extension.density_of_states(of, energies)
    return Density(*map(np.asarray, (found.energy, found.density, found.error)), found.integral)


def evolve(
    A: Matrix,
    x: Any,
    t: float,
    *,
    tolerance: float = 1e-10,
    imaginary_time: bool = False,
    bounds: Any = None,
    callback: Callable[[int], Any] | None = None,
) -> tuple[Any, Any]:
    """(exp(-i A t) x, or in imaginary time exp(-A t) x; what was done): of an array, a new one; a Vector is changed. bounds: those of the last
    result, for many steps. callback(products) is called about five times a second with those of the expansion that are done; where it
    returns true, it ends. The second has bounds, bounds_from, terms, products, norm_before, norm_after and seconds. Collective; raises
    UsageError for real values in real time, InputError; KeyboardInterrupt on all ranks; and NotConverged where callback ends it. A Vector that was not
    evolved is as it was."""

    def check() -> tuple[Any, Vector, float]:
        options = extension.EvolveOptions()
        options.tolerance, options.imaginary_time, options.bounds = (
            tolerance,
            imaginary_time,
            bounds_of(bounds),
        )
        vector = x if isinstance(x, Vector) else A.vector(x)
        require_vector(A, vector)
        return options, vector, float(t)

    options, vector, time = A.context.agree(check)
    watch, step, native = Noting(callback), MODULES[A.dtype].evolve, A.native
    done = A.context.together(lambda: step(native, vector.native, time, options, watch), [watch])
    require_done(done.stop, "the evolution", None)
    if isinstance(x, Vector):
        return x, done
    return vector.get(empty_like(x, vector.shape, A.dtype, "x")), done
