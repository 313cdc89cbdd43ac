"""Solvers of A x = b, with scipy's names and keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spmv_dist.library.arrays import empty_like
from spmv_dist.library.context import Handle, Noting
from spmv_dist.library.errors import UsageError
from spmv_dist.library.hierarchy import Hierarchy
from spmv_dist.library.matrix import Matrix, require_vector
from spmv_dist.library.native import MODULES, extension
from spmv_dist.library.vectors import Vector

Watch = Callable[[int, float], Any]
# Of scipy: 0 solved, more than 0 iterations without the solution, less than 0 a breakdown.
BREAKDOWNS = {"broke_down": -10, "not_finite": -11}


class Solver:
    """Solves systems with one matrix: keeps its preconditioner and its vectors from one right-hand side to the next."""

    def __init__(
        self,
        A: Matrix,
        solver: str = "cg",
        M: Any = None,
        *,
        tolerance: float = 1e-8,
        max_iterations: int = 10000,
        watch: Watch | None = None,
        **options: Any,
    ):
        """`solver`: cg, cg_classical, cg_pipelined, minres, bicgstab or bicgstab_2. `M`: None; jacobi,
        block_jacobi or chebyshev; a Hierarchy; a function M(r, z) that makes the vector z = M^-1 r of the vector r, where M^-1 is close to A^-1; or an
        object with matvec(array), as scipy's LinearOperator, of this rank's elements. `tolerance`: of |b - A x| / |b|. `watch(iterations,
        residual)` is called about five times a second; if it returns true on one rank, all stop. `options`: degree, block_size,
        largest_eigenvalue. Collective; raises UsageError, InputError."""
        self.A = A

        def check() -> tuple[Any, Any]:
            settings = extension.SolveOptions()
            given = {
                "solver": solver,
                "tolerance": tolerance,
                "max_iterations": max_iterations,
                **options,
            }
            if isinstance(M, str):
                given["preconditioner"] = M
            for name, value in given.items():
                if not hasattr(settings, name):
                    raise UsageError(f"{name} is no option of a solver")
                setattr(settings, name, value)
            if isinstance(M, Hierarchy):
                return settings, M.native
            return settings, None if M is None or isinstance(M, str) else preconditioner_of(A, M)

        settings, preconditioner = A.context.agree(check)
        watching = Noting(watch if watch is not None else lambda iterations, residual: False)
        self._callbacks = [watching]
        if preconditioner is not None and not isinstance(M, Hierarchy):
            preconditioner = Noting(preconditioner)
            self._callbacks.append(preconditioner)
        native = A.native
        make = MODULES[A.dtype].Solver
        self._handle: Handle = A.context.make(
            lambda: make(native, settings, watching, preconditioner), "solver"
        )

    def solve(self, b: Vector, x: Vector) -> Any:
        """Improves the guess in x. b and x are vectors of the matrix. Returns stop (converged, iterations, broke_down, stagnated,
        not_finite, asked), reason, iterations, restarts, residual, history and seconds. Collective; raises UsageError, InputError; what a
        function of yours raises, on its rank, and OtherRankError on the others; KeyboardInterrupt on all ranks."""
        for vector in (b, x):
            require_vector(self.A, vector)
        native = self._handle.native
        return self.A.context.together(lambda: native.solve(b.native, x.native), self._callbacks)

    def preconditioner(self) -> str:
        """Its name and what was chosen for it. Local."""
        return self._handle.native.preconditioner()

    def close(self) -> None:
        """Destroys it on all ranks. Collective."""
        self._handle.close()


def preconditioner_of(A: Matrix, M: Any) -> Callable[[Any, Any], None]:
    """A function of the library's vectors."""
    shape = (A.native.size(1),)

    def vector(native: Any) -> Vector:
        return Vector(native, A.dtype, shape, A._handle)

    if hasattr(M, "matvec"):
        return lambda r, z: (
            vector(z).set(np.ascontiguousarray(M.matvec(vector(r).get()), dtype=A.dtype)) and None
        )
    if not callable(M):
        raise UsageError(
            f"M is a {type(M).__name__}: give a name, a Hierarchy, or something with matvec()"
        )
    return lambda r, z: M(vector(r), vector(z)) and None


def _solve(
    solver: str,
    A: Matrix,
    b: Any,
    x0: Any,
    rtol: float,
    atol: float,
    maxiter: int | None,
    M: Any,
    callback: Any,
    **options: Any,
) -> tuple[Any, int]:
    def check() -> tuple[Vector, Vector]:
        if not isinstance(A, Matrix):
            raise UsageError(f"A is a {type(A).__name__}: make a spmv_dist.Matrix of it")
        right = b if isinstance(b, Vector) else A.vector(b, "y")
        require_vector(A, right)
        guess = x0.get() if isinstance(x0, Vector) else x0
        return right, A.vector(guess)

    if not isinstance(A, Matrix):
        check()
    right, x = A.context.agree(check)
    tolerance = rtol
    if atol > 0:
        norm = np.sqrt(
            A.comm.allreduce(float(np.sum(np.abs(right.get().astype(np.complex128)) ** 2)))
        )
        tolerance = max(rtol, atol / norm) if norm > 0 else rtol
    limit = 10 * A.shape[0] if maxiter is None else maxiter
    of_solver = Solver(
        A,
        solver,
        M,
        tolerance=tolerance,
        max_iterations=min(limit, 2**31 - 1),
        watch=callback,
        **options,
    )
    result = of_solver.solve(right, x)
    of_solver.close()
    info = (
        0 if result.stop == "converged" else BREAKDOWNS.get(result.stop, max(result.iterations, 1))
    )
    if isinstance(b, Vector):
        return x, info
    return x.get(empty_like(b, x.shape, A.dtype, "b")), info


def _named(solver: str, of: str) -> Callable[..., tuple[Any, int]]:
    def solve(
        A: Matrix,
        b: Any,
        x0: Any = None,
        *,
        rtol: float = 1e-5,
        atol: float = 0.0,
        maxiter: int | None = None,
        M: Any = None,
        callback: Watch | None = None,
        **options: Any,
    ) -> tuple[Any, int]:
        return _solve(solver, A, b, x0, rtol, atol, maxiter, M, callback, **options)

    solve.__name__ = solve.__qualname__ = solver
    solve.__doc__ = f"""Solves A x = b for {of}: (x, info) as scipy.sparse.linalg.{solver}.

    b and x0 are arrays of this rank's elements, or vectors of the matrix, and x is of the kind of b (numpy's for arrays on GPUs that are not CuPy's or PyTorch's). It ends when
    |b - A x| <= max(rtol |b|, atol). maxiter: None means 10 times the rows. M, as in Solver, is close to A. callback(iterations,
    residual) is called about five times a second on every rank, unlike scipy's; where it returns true, the solve ends.
    info: 0 solved; more than 0 the iterations after which it was not; -10 breakdown, -11 not finite; Solver says more.
    Collective; raises UsageError, InputError."""
    return solve


cg = _named("cg", "hermitian positive definite matrices")
minres = _named("minres", "hermitian matrices")
bicgstab = _named("bicgstab", "square matrices")
bicgstab_2 = _named("bicgstab_2", "square matrices, where bicgstab stagnates")
