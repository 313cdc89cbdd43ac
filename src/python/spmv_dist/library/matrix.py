"""Matrix: a distributed sparse matrix, ready to multiply."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spmv_dist.library import rows as rows_of
from spmv_dist.library.arrays import (
    address_of,
    columns_of,
    copy_from_gpu,
    empty_like,
    stream_of,
)
from spmv_dist.library.context import Context, Handle, context_of, options_of
from spmv_dist.library.errors import UsageError
from spmv_dist.library.native import MODULES, value_type
from spmv_dist.library.vectors import MultiVector, Vector

if TYPE_CHECKING:
    from typing_extensions import Self

SIDES = {"x": 0, "y": 1}
MOST_COLUMNS = 32


class Matrix:
    """A sparse matrix whose rows are distributed over the ranks of a communicator.

    Made by from_scipy(), read() or generate(). Arrays have this rank's elements, in the order of
    local_rows; `shape` is that of the whole matrix. Keywords are the library's options of Context
    and Matrix, such as format="csr", mode="task", transport="mpi", backend="host".

    Collective calls are made by all ranks in the same order. Those that make something, and close(),
    raise the errors of any rank on all; products raise what is wrong with their arguments on the rank that
    has them.
    """

    # As scipy.sparse.linalg.aslinearoperator() wants it, on one rank.
    ndim = 2
    __array_ufunc__ = None

    def __init__(self, handle: Handle, dtype: np.dtype):
        self._handle = handle
        self.dtype = dtype
        native = handle.native
        self.shape = (native.global_rows(), native.global_cols())
        self._sizes = (native.size(0), native.size(1))
        self._made: dict[tuple[str, int], tuple[Any, Any]] = {}

    @classmethod
    def from_scipy(
        cls, rows: Any, comm: Any = None, *, root: int | None = None, **options: Any
    ) -> Matrix:
        """Of scipy's sparse matrix with this rank's rows and all columns, which follow those of the rank
        before; with `root`, of the whole matrix that this rank has (None on the others), of which each rank gets an even
        share. Indices of 32 or 64 bits in any order; repeated ones are summed. A square matrix's vectors are distributed like its rows, others'
        x evenly. `comm`: mpi4py's, or a Context; None: MPI.COMM_WORLD. Collective; raises UsageError for a dtype
        that the library does not have or unknown options, InputError for ranks with different columns or dtypes."""
        context, named = context_of(comm, options)
        if root is not None:
            rows = rows_of.scattered_rows(context, rows, root)
        dtype, held = rows_of.own_rows(context, rows)
        make = MODULES[dtype].Matrix
        return cls(
            context.make(lambda: make(context.native, held, options_of(named)), "matrix"), dtype
        )

    @classmethod
    def read(
        cls, file: Any, comm: Any = None, *, dtype: Any = np.float64, **options: Any
    ) -> Matrix:
        """Of a file that every rank can open: Matrix Market, also compressed, .spmv or PETSc. Collective; raises
        InputError for what is wrong with the file, or if dtype cannot hold its values."""
        return cls._loaded("read", str(file), comm, dtype, options)

    @classmethod
    def generate(
        cls, text: str, comm: Any = None, *, dtype: Any = np.float64, **options: Any
    ) -> Matrix:
        """Of a generator, as --generate of the program: "stencil27:96,96,96". Collective; raises UsageError."""
        return cls._loaded("generate", text, comm, dtype, options)

    @classmethod
    def _loaded(cls, how: str, what: str, comm: Any, dtype: Any, options: dict[str, Any]) -> Matrix:
        context, named = context_of(comm, options)
        kind = context.agree(lambda: value_type(dtype, "the matrix"))
        load = getattr(MODULES[kind].Matrix, how)
        return cls(
            context.make(lambda: load(context.native, what, options_of(named)), "matrix"), kind
        )

    # ---- What it is --------------------------------------------------------------------------------

    @property
    def native(self) -> Any:
        return self._handle.native

    @property
    def context(self) -> Context:
        return self._handle.context

    @property
    def comm(self) -> Any:
        """A duplicate of the communicator."""
        return self.context.comm

    @cached_property
    def local_rows(self) -> np.ndarray:
        """The global ids, from 0 on, of this rank's rows, in the order of its vectors. Local."""
        return self.native.ids(1)

    @cached_property
    def local_cols(self) -> np.ndarray:
        """The global ids of this rank's elements of x. Local."""
        return self.native.ids(0)

    @property
    def nnz(self) -> int:
        """Elements of all rows, repeated ones counted once. Local."""
        return self.native.global_elements()

    def describe(self) -> str:
        """What was chosen and why, in lines for people. Local."""
        return self.native.describe()

    def __repr__(self) -> str:
        if self._handle.closed:
            return "<Matrix, closed>"
        n = self.native
        return (
            f"<Matrix {self.shape[0]} x {self.shape[1]}, {self.nnz} elements of {self.dtype}, format {n.format()}, "
            f"mode {n.mode()}, {self.context.comm.size} ranks>"
        )

    # ---- Vectors -----------------------------------------------------------------------------------

    def _side(self, side: str) -> int:
        if side not in SIDES:
            raise UsageError(f"side={side!r} was given, but it is 'x' or 'y'")
        return SIDES[side]

    def vector(self, array: Any = None, side: str = "x") -> Vector:
        """A new vector x, or y of a matrix that is not square: zeros, or a copy of an array. Local."""
        at = self._side(side)
        made = Vector(self.native.make(at), self.dtype, (self._sizes[at],), self._handle)
        return made if array is None else made.set(array)

    def multivector(self, columns: int, array: Any = None, side: str = "x") -> MultiVector:
        """1 to 32 new vectors that one product multiplies together: zeros, or a copy of an array of shape (rows of this
        rank, columns). Collective; raises UsageError."""
        at = self._side(side)
        native = MODULES[self.dtype].MultiVector(self.native, at, columns)
        made = MultiVector(native, self.dtype, (self._sizes[at], columns), self._handle)
        return made if array is None else made.set(array)

    def view(self, array: Any, side: str = "x") -> Vector:
        """A vector in the memory of an array of yours, in the order of the matrix's format. With capacity(side) elements it is used as
        it is, else every product copies it, as one of the host where products run on GPUs. The vector keeps the array. Local; raises UsageError."""
        at = self._side(side)
        count = len(array)
        address = address_of(array, self.dtype, (count,), "the array", self.context.on_gpu, True)
        native = self.native.view(at, address, count)
        return Vector(native, self.dtype, (self._sizes[at],), self._handle, array)

    def capacity(self, side: str = "x") -> int:
        """Elements of a vector, and the room for the halo behind them. Local."""
        return self.native.capacity(self._side(side))

    def order(self, side: str = "x") -> np.ndarray:
        """vector.memory[i] is element order[i] of the natural order. Local."""
        size = self._sizes[self._side(side)]
        digits, order = np.arange(size), np.zeros(size, np.int64)
        for shift in (0, 12, 24):  # single precision holds 24 bits
            part = self.vector(((digits >> shift) & 4095).astype(self.dtype), side)
            found = from_gpu(part) if part.on_gpu else part.memory.numpy()
            order += np.asarray(found.real, np.int64) << shift
        return order

    # ---- Products ----------------------------------------------------------------------------------

    def multiply(self, x: Any, out: Any = None) -> Any:
        """out = A x. Both are vectors of the matrix, which are used as they are, or both arrays of this rank's
        elements, 1-D or by columns, 2-D, in host or GPU memory, which are copied to and from vectors. Without
        `out`, it is made: CuPy's or PyTorch's if x is theirs on a GPU, else numpy's. Returns `out` when it is complete.
        Collective; raises UsageError on the rank whose arguments are wrong."""
        if isinstance(x, (Vector, MultiVector)):
            if out is None:
                out = self._vectors("y", x.shape[1:])
            self._product(x, out)
            return out
        if getattr(x, "ndim", 1) == 2:
            return self._multiply_columns(x, out)
        if out is None:
            out = empty_like(x, self._sizes[1:], self.dtype, "x")
        self._through(*self._kept(()), x, out)
        return out

    def multiply_queued(self, x: Any, out: Any) -> None:
        """out = A x of vectors, but returns when it is queued: x must not change, and `out` is not complete, before synchronize(), the next
        get() or memory, or, in the order of order_with(), in your stream. Collective; raises UsageError."""
        self._require_vectors(x, out)
        self._handle.native.multiply_queued(x.native, out.native)

    def _product(self, x: Any, y: Any) -> None:
        self._require_vectors(x, y)
        self._handle.native.multiply(x.native, y.native)

    def _require_vectors(self, x: Any, y: Any) -> None:
        if type(x) is not type(y) or not isinstance(x, (Vector, MultiVector)):
            raise UsageError(
                f"x is a {type(x).__name__} and out a {type(y).__name__}: give two vectors, or two arrays"
            )
        if x.dtype != self.dtype or y.dtype != self.dtype:
            raise UsageError(
                f"x is of {x.dtype} and out of {y.dtype}, but the matrix of {self.dtype}"
            )

    def _vectors(self, side: str, columns: tuple[int, ...]) -> Any:
        return self.multivector(columns[0], side=side) if columns else self.vector(side=side)

    def _kept(self, columns: tuple[int, ...]) -> tuple[Any, Any]:
        """x and y for products of arrays."""
        if columns not in self._made:
            self._made[columns] = (self._vectors("x", columns), self._vectors("y", columns))
        return self._made[columns]

    def _through(self, x: Any, y: Any, array: Any, out: Any) -> None:
        x_at = x._address_of(array, "x")
        y_at = y._address_of(out, "out", write=True)
        x.native.set(x_at, x.count)
        self._product(x, y)
        y.native.get(y_at, y.count)

    def _multiply_columns(self, x: Any, out: Any) -> Any:
        columns = x.shape[1]
        sizes = [(size, columns) for size in self._sizes]
        if out is None:
            out = empty_like(x, sizes[1], self.dtype, "x")
        if columns <= MOST_COLUMNS and columns > 0:
            self._through(*self._kept((columns,)), x, out)
            return out
        on_gpu = self.context.on_gpu
        address_of(x, self.dtype, sizes[0], "x", on_gpu)
        address_of(out, self.dtype, sizes[1], "out", on_gpu, write=True)
        for part in blocks_of(columns):
            y_part = empty_like(out, (sizes[1][0], part.stop - part.start), self.dtype, "out")
            out[:, part] = self._multiply_columns(columns_of(x, part, self.dtype, "x"), y_part)
        return out

    def __matmul__(self, x: Any) -> Any:
        """A x in a new vector or array. Collective."""
        return self.multiply(x)

    def matvec(self, x: Any) -> Any:
        """As A @ x, for scipy, whose arrays need not be contiguous. Collective."""
        return self.multiply(np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x)

    matmat = matvec

    def multiply_add(self, alpha: complex, x: Vector, beta: complex, y: Vector) -> Vector:
        """y = alpha A x + beta y, of vectors. Collective; raises UsageError."""
        self.native.multiply_add(alpha, x.native, beta, y.native)
        return y

    def multiply_transposed(self, x: Vector, out: Vector | None = None) -> Vector:
        """out = A^T x, for symmetry="symmetric". Collective; raises UsageError."""
        out = self._vectors("x", ()) if out is None else out
        self.native.multiply_transposed(x.native, out.native)
        return out

    def multiply_adjoint(self, x: Vector, out: Vector | None = None) -> Vector:
        """out = A^H x, for symmetry="hermitian", or symmetric and real. Collective; raises UsageError."""
        out = self._vectors("x", ()) if out is None else out
        self.native.multiply_adjoint(x.native, out.native)
        return out

    # ---- Streams and the end -----------------------------------------------------------------------

    def order_with(self, stream: Any) -> None:
        """From now on products start after what a CUDA stream holds when they are called, and what is put
        there afterwards starts when they are complete. A stream of CuPy, PyTorch, Numba, cuda.core, or its address; None:
        no longer. Local."""
        if stream is None:
            self.native.order_with_none()
        else:
            self.native.order_with(stream_of(stream))

    def synchronize(self) -> None:
        """Returns when all queued products are complete on this rank. Local."""
        self.native.synchronize()

    def close(self) -> None:
        """Destroys it on all ranks. Its vectors stay. Collective."""
        self._made.clear()
        self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:  # perhaps on this rank alone
            self._handle.park()


def blocks_of(columns: int) -> list[slice]:
    """All columns, at most as many together as a MultiVector has."""
    return [
        slice(first, min(first + MOST_COLUMNS, columns))
        for first in range(0, columns, MOST_COLUMNS)
    ]


def require_vector(A: Matrix, vector: Any, kind: type = Vector) -> None:
    """Raises UsageError for what is no vector, or, by `kind`, no MultiVector, of this value type. Local."""
    if not isinstance(vector, kind):
        raise UsageError(
            f"a {type(vector).__name__} was given where a {kind.__name__} of the matrix is needed: A.{kind.__name__.lower()}()"
        )
    if vector.dtype != A.dtype:
        raise UsageError(f"a vector of {vector.dtype} was given, but the matrix is of {A.dtype}")


def from_gpu(vector: Vector) -> np.ndarray:
    """The elements as they are stored."""
    vector.synchronize()
    host = np.empty(vector.shape, vector.dtype)
    copy_from_gpu(host, vector.native.address())
    return host
