"""From scipy's sparse matrices to the rows that each rank holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from spmv_dist.library.context import Context
from spmv_dist.library.errors import InputError, UsageError
from spmv_dist.library.native import MODULES, MPI, value_type

LARGEST_MESSAGE = 1 << 28  # elements


def csr_of(rows: Any) -> Any:
    """In scipy's CSR, with a value type of the library. Local; raises UsageError, InputError."""
    if not hasattr(rows, "tocsr"):
        raise UsageError(
            f"a {type(rows).__name__} was given: give a sparse matrix of scipy, such as "
            "scipy.sparse.csr_array(a)"
        )
    if type(rows).__module__.startswith("cupyx."):
        rows = rows.get()  # to the host
    csr = rows.tocsr()
    value_type(csr.dtype, "the sparse matrix")
    csr.check_format(full_check=False)  # and drops what is longer than the rows need
    if csr.ndim != 2:
        raise InputError(f"the sparse array has {csr.ndim} dimensions, but a matrix has 2")
    return csr


def native_rows(csr: Any, row_ids: np.ndarray, shape: tuple[int, int], x_ids: Any = None) -> Any:
    """The library's Rows, whose row i has the global id row_ids[i]. x_ids: of a matrix that is not square. Local."""

    def int64(array: Any) -> np.ndarray:
        return np.ascontiguousarray(array, dtype=np.int64)

    return MODULES[csr.dtype].Rows(
        shape[0],
        shape[1],
        int64(row_ids),
        int64(csr.indptr),
        int64(csr.indices),
        np.ascontiguousarray(csr.data),
        None if x_ids is None else int64(x_ids),
    )


def share(count: int, rank: int, ranks: int) -> tuple[int, int]:
    """The first and the end of an even share."""
    return count * rank // ranks, count * (rank + 1) // ranks


def own_rows(context: Context, rows: Any) -> tuple[np.dtype, Any]:
    """The library's Rows of a matrix of which each rank holds the next rows. Collective."""
    csr = context.agree(lambda: csr_of(rows))
    all_csr = context.comm.allgather((csr.shape, csr.dtype.str))

    def check() -> None:
        for rank, ((_, cols), dtype) in enumerate(all_csr):
            if (cols, dtype) != (csr.shape[1], csr.dtype.str):
                raise InputError(
                    f"this rank has {csr.shape[1]} columns of {csr.dtype}, but rank {rank} has {cols} of "
                    f"{np.dtype(dtype)}: give all ranks rows with all columns and of one dtype"
                )

    context.agree(check)
    counts = [shape[0] for shape, _ in all_csr]
    first = sum(counts[: context.comm.rank])
    ids = np.arange(first, first + csr.shape[0])
    shape = (sum(counts), csr.shape[1])
    return csr.dtype, context.agree(lambda: native_rows(csr, ids, shape))


def scattered_rows(context: Context, whole: Any, root: int) -> Any:
    """An even share of the rows of a matrix that `root` has, in scipy's CSR. Collective."""
    comm = context.comm

    def check() -> Any:
        if not 0 <= root < comm.size:
            raise UsageError(f"root={root} was given, but ranks are 0 to {comm.size - 1}")
        return csr_of(whole) if comm.rank == root else None

    csr = context.agree(check)
    rows, cols, dtype = comm.bcast(None if csr is None else (*csr.shape, csr.dtype), root)
    if csr is not None:
        mine = None
        for rank in range(comm.size):
            first, end = share(rows, rank, comm.size)
            part = csr[first:end]
            if rank == root:
                mine = part
                continue
            arrays = (
                np.asarray(part.indptr, np.int64),
                np.asarray(part.indices, np.int64),
                part.data,
            )
            for array in arrays:
                send(comm, np.ascontiguousarray(array), rank)
        return mine
    first, end = share(rows, comm.rank, comm.size)
    row_ptr = receive(comm, np.empty(end - first + 1, np.int64), root)
    columns = receive(comm, np.empty(int(row_ptr[-1]), np.int64), root)
    values = receive(comm, np.empty(int(row_ptr[-1]), dtype), root)
    from scipy.sparse import csr_array

    return csr_array((values, columns, row_ptr), shape=(end - first, cols))


def send(comm: MPI.Comm, array: np.ndarray, rank: int) -> None:
    for at in range(0, len(array), LARGEST_MESSAGE):
        comm.Send(array[at : at + LARGEST_MESSAGE], rank)


def receive(comm: MPI.Comm, array: np.ndarray, rank: int) -> np.ndarray:
    for at in range(0, len(array), LARGEST_MESSAGE):
        comm.Recv(array[at : at + LARGEST_MESSAGE], rank)
    return array
