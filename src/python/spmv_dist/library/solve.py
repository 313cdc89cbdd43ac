"""Solvers of A x = b, with scipy's names and keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spmv_dist.library.arrays import address_of, columns_of, empty_like
from spmv_dist.library.context import Handle, Noting
from spmv_dist.library.errors import UsageError
from spmv_dist.library.hierarchy import Hierarchy
from spmv_dist.library.matrix import MOST_COLUMNS, Matrix, blocks_of, require_vector
from spmv_dist.library.native import MODULES, extension
from spmv_dist.library.vectors import MultiVector, Vector

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
        largest_eigenvalue; inner="float": iterations and preconditioner in single precision, x and residuals in the matrix's, float64 or complex128, which is
        made with the option inner="float", too; for one right-hand side at a time and an M by name. Collective; raises UsageError, InputError."""
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
        watching = Noting(watch)
        self._callbacks = [watching]
        if preconditioner is not None and not isinstance(M, Hierarchy):
            preconditioner = Noting(preconditioner)
            self._callbacks.append(preconditioner)
        native = A.native
        make = MODULES[A.dtype].Solver
        self._handle: Handle = A.context.make(
            lambda: make(native, settings, watching, preconditioner), "solver"
        )

    def solve(self, b: Vector | MultiVector, x: Vector | MultiVector) -> Any:
        """Improves the guess in x. b and x are vectors of the matrix. Returns stop (converged, iterations, broke_down, stagnated,
        not_finite, asked), reason, iterations, restarts, residual, history and seconds, and with inner="float" the updates of x. Of two MultiVectors
        all columns are solved for side by side, each with numbers and a result of its own: a list of them; `watch` is told of the largest residual, and M,
        where it is no name, gets one column after another. Collective; raises UsageError, InputError; what a
        function of yours raises, on its rank, and OtherRankError on the others; KeyboardInterrupt on all ranks."""

        def check() -> Any:
            for vector in (b, x):
                require_vector(
                    self.A, vector, MultiVector if isinstance(b, MultiVector) else Vector
                )
            return self._handle.native

        native = self.A.context.agree(check)
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


def columns_of_system(A: Matrix, b: Any, x0: Any) -> tuple[int, ...]:
    """Those of the right-hand sides: none if they are one vector. Local; raises UsageError."""
    several = isinstance(b, MultiVector) or getattr(b, "ndim", 1) == 2
    columns = (int(b.shape[1]),) if several else ()
    for name, given, side in (("b", b, 1), ("x0", x0, 0)):
        shape = (A.native.size(side), *columns)
        if isinstance(given, (Vector, MultiVector)):
            require_vector(A, given, MultiVector if several else Vector)
            if given.shape != shape:
                raise UsageError(
                    f"{name} has shape {given.shape}, but {shape} is needed on this rank"
                )
        elif given is not None or name == "b":
            address_of(given, A.dtype, shape, name, A.context.on_gpu)
    if columns == (0,):
        raise UsageError(f"b has shape {tuple(b.shape)}: give at least one column")
    return columns


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
) -> tuple[Any, Any]:
    if not isinstance(A, Matrix):
        raise UsageError(f"A is a {type(A).__name__}: make a spmv_dist.Matrix of it")
    columns = A.context.agree(lambda: columns_of_system(A, b, x0))
    of_ranks = A.comm.allgather(columns)
    if len(set(of_ranks)) > 1:
        said = ", ".join(str(given[0]) if given else "no" for given in of_ranks)
        raise UsageError(f"ranks give b with {said} columns: give as many on all ranks")
    are_vectors = isinstance(b, (Vector, MultiVector))

    def guess() -> Any:
        return x0.get() if isinstance(x0, (Vector, MultiVector)) else x0

    if columns > (MOST_COLUMNS,):
        shape = (A.native.size(0), *columns)
        x, from_x = A.context.agree(lambda: (empty_like(b, shape, A.dtype, "b"), guess()))
        infos = np.zeros(columns, int)
        watch = None if callback is None else Lasting(callback)
        for part in blocks_of(columns[0]):
            of_part = [
                None if array is None else columns_of(array, part, A.dtype, name)
                for array, name in ((b, "b"), (from_x, "x0"))
            ]
            x[:, part], infos[part] = _solve(
                solver, A, *of_part, rtol, atol, maxiter, M, watch, **options
            )
        return x, infos

    # MultiVectors are made by all ranks together; what else can fail is agreed on.
    room_b = A.multivector(*columns, side="y") if columns and not are_vectors else None
    room_x = A.multivector(*columns) if columns else None

    def filled(room: Any, array: Any, side: str) -> Any:
        if room is None:
            return A.vector(array, side)
        return room if array is None else room.set(array)

    right, x = A.context.agree(
        lambda: (b if are_vectors else filled(room_b, b, "y"), filled(room_x, guess(), "x"))
    )
    norms = norms_of(A, right) if atol > 0 else np.zeros(max(columns, default=1))
    of_solver = Solver(
        A,
        solver,
        M,
        tolerance=max(rtol, float(atol / norms.max()) if norms.any() else 0.0),
        max_iterations=min(10 * A.shape[0] if maxiter is None else maxiter, 2**31 - 1),
        watch=callback,
        **options,
    )
    results = of_solver.solve(right, x)
    of_solver.close()
    infos = [
        0 if result.stop == "converged" else BREAKDOWNS.get(result.stop, max(result.iterations, 1))
        for result in (results if columns else [results])
    ]
    info = np.array(infos) if columns else infos[0]
    if are_vectors:
        return x, info
    return x.get(empty_like(b, x.shape, A.dtype, "b")), info


def norms_of(A: Matrix, b: Vector | MultiVector) -> np.ndarray:
    """|b| of every column. Collective."""
    squares = A.context.agree(
        lambda: np.sum(np.abs(b.get().astype(np.complex128)) ** 2, axis=0, keepdims=True)
    )
    return np.sqrt(np.ravel(A.comm.allreduce(squares)))


class Lasting:
    """A callback for several solves: once it has returned true, it does so without being asked."""

    def __init__(self, callback: Watch):
        self.callback, self.stopped = callback, False

    def __call__(self, iterations: int, residual: float) -> bool:
        self.stopped = self.stopped or bool(self.callback(iterations, residual))
        return self.stopped


def _named(solver: str, of: str) -> Callable[..., tuple[Any, Any]]:
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
    ) -> tuple[Any, Any]:
        return _solve(solver, A, b, x0, rtol, atol, maxiter, M, callback, **options)

    solve.__name__ = solve.__qualname__ = solver
    solve.__doc__ = f"""Solves A x = b for {of}: (x, info) as scipy.sparse.linalg.{solver}.

    b and x0 are arrays of this rank's elements, of the matrix's dtype, or vectors of the matrix, and x is of the kind of b (numpy's for arrays on GPUs that are not CuPy's or PyTorch's). Shapes: (rows of this rank,); or,
    unlike scipy's, (rows of this rank, k) or a MultiVector, the same k on all ranks: right-hand sides in columns that are solved for side by side, up to 32 at a time.
    It ends when |b - A x| <= max(rtol |b|, atol), in every column; where atol decides, columns whose b is smaller than others are solved as exactly as
    the one with the largest. maxiter: None means 10 times the rows. M, as in Solver, is close to A.
    callback(iterations, residual) is called about five times a second on every rank, unlike scipy's; where it returns true, the solve ends. Further keywords are
    Solver's options, such as inner="float". info: 0 solved; more than 0 the iterations after which it was not; -10 breakdown, -11 not finite; of
    columns an array of shape (k,) with one for each. Solver says more.
    Collective; raises UsageError, InputError."""
    return solve


cg = _named("cg", "hermitian positive definite matrices")
minres = _named("minres", "hermitian matrices")
bicgstab = _named("bicgstab", "square matrices")
bicgstab_2 = _named("bicgstab_2", "square matrices, where bicgstab stagnates")
