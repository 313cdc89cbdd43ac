"""Arrays of CuPy and PyTorch on a GPU: no copies, other streams, and what is refused. Skipped without a GPU or the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import COMM, agreed, near, raises
from gpu_packages import Package, some, vectors

import spmv_dist

STENCIL = "stencil27:20,20,20"
DTYPES = ("float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [(), (3,)])
def test_memory_is_shared(package: Package, dtype: str, columns: tuple[int, ...]) -> None:
    A = spmv_dist.Matrix.generate(STENCIL, backend="cuda", dtype=dtype)
    natural = some(A, *columns)
    x, _ = vectors(A, natural)
    for memory in (package.from_dlpack(x.memory), package.from_interface(x.memory)):
        agreed(package.address(memory) == x.native.address())
        agreed(package.numpy(memory).dtype == np.dtype(dtype))
        near(package.numpy(memory), natural[A.order()], 0)
        memory *= 2
        package.wait()
        near(x.get(), 2 * natural, 0)
        memory /= 2
        package.wait()
    near(x.get(), natural, 0)
    A.close()
    del x, A
    near(package.numpy(memory).shape, natural.shape, 0)
    agreed(
        np.array_equal(
            np.sort_complex(package.numpy(memory).ravel()), np.sort_complex(natural.ravel())
        )
    )


def test_numpy_is_refused_memory_of_a_gpu(gpu_matrix: spmv_dist.Matrix, package: Package) -> None:
    A = gpu_matrix
    x = A.vector()
    raises(BufferError, "in a GPU's memory", lambda: x.memory.numpy())
    raises(BufferError, "in a GPU's memory", lambda: np.asarray(x.memory))
    raises(BufferError, "copy", lambda: np.from_dlpack(x.memory, device="cpu"))


@pytest.mark.parametrize("shape", [(), (3,), (40,)])
def test_products_of_arrays(
    gpu_matrix: spmv_dist.Matrix, package: Package, shape: tuple[int, ...]
) -> None:
    A = gpu_matrix
    natural = some(A, *shape)
    expected = A @ natural
    x, out = package.array(natural), package.array(np.zeros_like(natural))
    before = package.address(out)
    agreed(A.multiply(x, out=out) is out and package.address(out) == before)
    near(package.numpy(out), expected, 0)
    made = A @ x
    agreed(type(made) is type(x), f"made a {type(made).__name__}")
    near(package.numpy(made), expected, 0)
    on_host = np.zeros_like(natural)
    A.multiply(x, out=on_host)
    near(on_host, expected, 0)
    near(A.multiply(natural, out=out) is out and package.numpy(out), expected, 0)


def test_solutions_and_vectors(gpu_matrix: spmv_dist.Matrix, package: Package) -> None:
    A = gpu_matrix
    natural = some(A)
    b = package.array(A @ natural)
    found, info = spmv_dist.cg(A, b, package.array(np.zeros_like(natural)), rtol=1e-10)
    agreed(info == 0 and type(found) is type(b))
    near(package.numpy(found), natural, 1e-6)
    x = A.vector(b)
    near(package.numpy(x.get(package.array(np.zeros_like(natural)))), package.numpy(b), 0)
    complex_A = spmv_dist.Matrix.generate(STENCIL, backend="cuda", dtype=complex)
    start = package.array(some(complex_A) + 1j)
    moved, _ = spmv_dist.evolve(complex_A, start, 0.1)
    back, _ = spmv_dist.evolve(complex_A, moved, -0.1)
    agreed(type(back) is type(start))
    near(package.numpy(back), package.numpy(start), 1e-8)


def test_a_view_is_the_array_itself(gpu_matrix: spmv_dist.Matrix, package: Package) -> None:
    A = gpu_matrix
    natural = some(A)
    array = package.array(np.zeros(A.capacity()))
    x, y = A.view(array), A.vector()
    agreed(not x.native.is_copied() and x.native.address() == package.address(array))
    package.copy(array[: len(natural)], natural[A.order()])
    package.wait()
    near(A.multiply(x, out=y).get(), A @ natural, 0)
    agreed(package.address(package.from_dlpack(x.memory)) == package.address(array))
    on_host = np.zeros(A.capacity())
    z = A.view(on_host)
    agreed(z.native.is_copied() and not z.on_gpu)
    A.multiply(x, out=z)
    near(z.memory.numpy(), (A @ natural)[A.order()], 0)
    agreed(z.memory.numpy().ctypes.data == on_host.ctypes.data)


WRONG: dict[str, Callable[[Package, int], Any]] = {
    "dtype float32": lambda package, n: package.array(np.zeros(n, np.float32)),
    "dtype int64": lambda package, n: package.array(np.zeros(n, np.int64)),
    "dtype complex128": lambda package, n: package.array(np.zeros(n, complex)),
    "has shape": lambda package, n: package.array(np.zeros(n + 1)),
    "not contiguous": lambda package, n: package.array(np.zeros(2 * n))[::2],
}


@pytest.mark.parametrize("said", WRONG)
def test_arrays_that_do_not_fit_are_refused(
    gpu_matrix: spmv_dist.Matrix, package: Package, said: str
) -> None:
    A = gpu_matrix
    n = len(A.local_rows)
    wrong, fine = WRONG[said](package, n), package.array(np.zeros(n))
    for call in (
        lambda: A @ wrong,
        lambda: A.multiply(fine, out=wrong),
        lambda: A.vector(wrong),
        lambda: A.vector().get(wrong),
        lambda: spmv_dist.cg(A, wrong),
    ):
        raises(spmv_dist.UsageError, said, call)
    near(package.numpy(A @ fine), np.zeros(n), 0)


def test_memory_of_the_wrong_place_is_refused(
    gpu_matrix: spmv_dist.Matrix, package: Package
) -> None:
    A = gpu_matrix
    host = spmv_dist.Matrix.generate(STENCIL, backend="host")
    array = package.array(np.zeros(len(host.local_rows)))
    on_host = np.zeros(len(host.local_rows))
    for call in (
        lambda: host @ array,
        lambda: host.multiply(on_host, out=array),
        lambda: host.vector(array),
        lambda: host.view(package.array(np.zeros(host.capacity()))),
        lambda: spmv_dist.cg(host, array),
    ):
        raises(spmv_dist.UsageError, "products of this matrix run on the host", call)
    near(host @ on_host, on_host, 0)
    for matrix in (A, host):
        for wrong, said in package.not_usable(on_host):
            raises(spmv_dist.UsageError, said, lambda matrix=matrix, wrong=wrong: matrix @ wrong)
    raises(spmv_dist.UsageError, "", lambda: A.multiply(host.vector(), out=A.vector()))


def test_a_closed_matrix_says_so(package: Package) -> None:
    A = spmv_dist.Matrix.generate(STENCIL, backend="cuda")
    natural = some(A)
    x, array = A.vector(natural), package.array(natural)
    memory = x.memory
    A.close()
    for call in (
        lambda: A @ array,
        lambda: A.multiply(array, out=array),
        lambda: A.multiply(x, out=x),
        lambda: A.view(array),
        lambda: A.order_with(package.stream()),
        lambda: spmv_dist.cg(A, array),
    ):
        raises(spmv_dist.UsageError, "was closed", call)
    near(x.get(), natural, 0)
    agreed(package.address(package.from_dlpack(memory)) == x.native.address())


def test_ranks_without_rows(package: Package) -> None:
    rows = 7 if COMM.rank == COMM.size - 1 else 0
    mine = sp.eye_array(7, format="csr")[7 - rows :]
    A = spmv_dist.Matrix.from_scipy(mine, backend="cuda")
    array = package.array(np.arange(rows, dtype=float))
    near(package.numpy(A @ array), np.arange(rows), 0)
    memory = package.from_dlpack(A.vector(array).memory)
    near(package.numpy(memory), np.arange(rows, dtype=float)[A.order()], 0)
