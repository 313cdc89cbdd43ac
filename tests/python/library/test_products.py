"""Products against scipy: random matrices in every value type, however their rows are distributed and their indices spelled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import COMM, agreed, near, poisson, raises
from hypothesis import given
from hypothesis import strategies as st

import spmv_dist

DTYPES = ("float32", "float64", "complex64", "complex128")


@st.composite
def problems(draw: Any) -> dict[str, Any]:
    """A CSR matrix by its arrays, perhaps with empty rows, unsorted and repeated indices; and who has its rows."""
    rows, cols = draw(st.integers(0, 40)), draw(st.integers(1, 40))
    if draw(st.booleans()):
        rows = cols
    seed = draw(st.integers(0, 2**32 - 1))
    cuts = sorted(
        draw(st.lists(st.integers(0, rows), min_size=COMM.size - 1, max_size=COMM.size - 1))
    )
    return {
        "shape": (rows, cols),
        "seed": seed,
        "starts": [0, *cuts, rows],
        "dtype": np.dtype(draw(st.sampled_from(DTYPES))),
        "index": np.dtype(draw(st.sampled_from(["int32", "int64"]))),
        "longest": draw(st.integers(0, 9)),
        "root": draw(st.none() | st.integers(0, COMM.size - 1)),
        "columns": draw(st.sampled_from([0, 0, 1, 3, 33])),
        "options": draw(
            st.sampled_from(
                [
                    # On a GPU those that any MPI and ranks that share the GPU can use.
                    {"transport": "shm", "backend": "host"},
                    {"transport": "mpi", "format": "csr", "backend": "host"},
                    {"transport": "p2p", "mode": "task", "backend": "host"},
                    {"transport": "staged", "mode": "naive"},
                    {"transport": "shm_copy", "partition": "metis"},
                ]
            )
        ),
    }


def random_csr(problem: dict[str, Any]) -> tuple[Any, np.random.Generator]:
    random = np.random.default_rng(problem["seed"])
    rows, cols = problem["shape"]
    lengths = random.integers(0, problem["longest"] + 1, rows) * (random.random(rows) < 0.8)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(problem["index"])
    indices = random.integers(0, cols, indptr[-1]).astype(problem["index"])
    return csr(
        values(random, len(indices), problem["dtype"]), indices, indptr, (rows, cols)
    ), random


def csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> sp.csr_array:
    """scipy would make indices narrower on the way."""
    made = sp.csr_array((data, indices, indptr), shape=shape)
    if len(indptr) % 2:  # arrays may be longer than the rows need
        made.data, indices = np.append(data, data[:1]), np.append(indices, indices[:1])
    made.indices, made.indptr = indices, indptr
    return made


def values(random: np.random.Generator, count: Any, dtype: np.dtype) -> np.ndarray:
    made = random.standard_normal(count)
    return (made + 1j * random.standard_normal(count) if dtype.kind == "c" else made).astype(dtype)


@given(problem=problems())
def test_products_are_scipys(problem: dict[str, Any]) -> None:
    whole, random = random_csr(problem)
    first, end = problem["starts"][COMM.rank : COMM.rank + 2]
    if problem["root"] is None:
        at = whole.indptr[first : end + 1]
        mine = slice(at[0], at[-1])
        given_rows = csr(
            whole.data[mine], whole.indices[mine], at - at[0], (end - first, problem["shape"][1])
        )
    else:
        given_rows = whole if problem["root"] == COMM.rank else None
    with spmv_dist.Matrix.from_scipy(given_rows, root=problem["root"], **problem["options"]) as A:
        assert A.shape == problem["shape"]
        agreed(A.dtype == problem["dtype"])
        if problem["root"] is None and "partition" not in problem["options"]:
            agreed(np.array_equal(A.local_rows, np.arange(first, end)), A.local_rows)
        every = np.concatenate(COMM.allgather(A.local_rows))
        assert np.array_equal(np.sort(every), np.arange(problem["shape"][0]))
        columns = (problem["columns"],) if problem["columns"] else ()
        x = values(random, (problem["shape"][1], *columns), problem["dtype"])
        wide = np.result_type(problem["dtype"], np.float64)
        exact = (whole.astype(wide) @ x.astype(wide))[A.local_rows]
        rounding = 4 * (problem["longest"] + 2) * np.finfo(problem["dtype"]).eps
        bound = (rounding * (abs(whole) @ abs(x)) + 1e-300)[A.local_rows]
        own = np.ascontiguousarray(x[A.local_cols])
        y = A @ own
        agreed(y.dtype == problem["dtype"])
        near(y, exact, bound)
        out = np.empty_like(y)
        agreed(A.multiply(own, out=out) is out)
        near(out, exact, bound)
        if not columns:
            X, Y = A.vector(own), A.vector(side="y")
            A.multiply(X, out=Y)
            near(Y.get(), exact, bound)
            near((A @ X).get(), exact, bound)
            near(X.get(), own, 0)


def test_it_is_a_linear_operator_of_scipy() -> None:
    from scipy.sparse.linalg import aslinearoperator, cg

    whole = poisson(5)
    comm = spmv_dist.library.context.MPI.COMM_SELF
    A = spmv_dist.Matrix.from_scipy(whole, comm)
    operator = aslinearoperator(A)
    assert operator.shape == A.shape
    assert operator.dtype == A.dtype
    x, info = cg(operator, np.ones(125), rtol=1e-10)
    assert info == 0
    near(whole @ x, np.ones(125), 1e-8)
    near(operator @ np.eye(125)[:, :40], whole.toarray()[:, :40], 1e-14)
    A.close()


def test_files_and_generators(tmp_path_factory: Any) -> None:
    from scipy.io import mmwrite

    folder = COMM.bcast(str(tmp_path_factory.mktemp("files")) if COMM.rank == 0 else None)
    path = f"{folder}/m.mtx"
    if COMM.rank == 0:
        mmwrite(path, poisson(4))
    COMM.barrier()
    x = np.random.default_rng(1).standard_normal(64)
    for A in (spmv_dist.Matrix.read(path), spmv_dist.Matrix.generate("stencil7:4,4,4")):
        near(A @ x[A.local_cols], (poisson(4) @ x)[A.local_rows], 1e-13)
        agreed("format" in A.describe() and "64 x 64" in repr(A), A.describe())
    raises(
        spmv_dist.InputError, "missing.mtx", lambda: spmv_dist.Matrix.read(f"{folder}/missing.mtx")
    )
    raises(spmv_dist.UsageError, "stencil9:NX,NY", lambda: spmv_dist.Matrix.generate("stencil9:4"))


@pytest.mark.parametrize("name", ["format", "mode", "transport", "backend"])
def test_options_have_the_librarys_names(name: str) -> None:
    raises(
        spmv_dist.UsageError,
        "no_such",
        lambda: spmv_dist.Matrix.generate("stencil7:4,4,4", **{name: "no_such"}),
    )
