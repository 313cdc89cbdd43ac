"""What else packages for GPUs give and take: JAX, Numba, and CuPy's sparse matrices and solvers."""

from __future__ import annotations

import inspect
import os
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import agreed, near, poisson
from gpu_packages import gpu_is_missing, gpu_of_this_rank

import spmv_dist
from spmv_dist.library.native import MPI


@pytest.fixture(scope="module")
def A() -> spmv_dist.Matrix:
    missing = gpu_is_missing()
    if missing:
        pytest.skip(missing)
    return spmv_dist.Matrix.generate("stencil27:20,20,20", backend="cuda")


@pytest.fixture
def natural(A: spmv_dist.Matrix) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(len(A.local_rows))


def test_jax(A: spmv_dist.Matrix, natural: np.ndarray) -> None:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # it would take most of the GPU
    jax = pytest.importorskip("jax")
    try:
        gpu = jax.devices("gpu")[gpu_of_this_rank()]
    except RuntimeError as error:
        pytest.skip(f"JAX has no GPU: {error}")
    jax.config.update("jax_enable_x64", True)
    x = A.vector(natural)
    seen = jax.dlpack.from_dlpack(x.memory)
    agreed(seen.unsafe_buffer_pointer() == x.native.address())
    near(np.asarray(seen), natural[A.order()], 0)
    array = jax.device_put(natural, gpu) + 0
    near(A @ array, A @ natural, 0)
    near(A.vector(array * 2).get(), 2 * natural, 0)


def test_numba(A: spmv_dist.Matrix, natural: np.ndarray) -> None:
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba finds no GPU")
    cuda.select_device(gpu_of_this_rank())
    x = A.vector(natural)
    seen = cuda.as_cuda_array(x.memory)
    agreed(seen.__cuda_array_interface__["data"][0] == x.native.address())
    near(seen.copy_to_host(), natural[A.order()], 0)
    out = cuda.device_array(len(natural))
    A.multiply(cuda.to_device(natural), out=out)
    near(out.copy_to_host(), A @ natural, 0)
    A.order_with(cuda.stream())
    A.order_with(None)


def test_cupys_matrices_and_solvers(A: spmv_dist.Matrix) -> None:
    cupy = pytest.importorskip("cupy")
    cupyx: Any = pytest.importorskip("cupyx.scipy.sparse.linalg")
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    whole = poisson(8)
    one = spmv_dist.Matrix.from_scipy(
        sparse.csr_matrix(sp.csr_matrix(whole)),
        MPI.COMM_SELF,
        backend="cuda",
        device=str(gpu_of_this_rank()),
    )
    exact = np.random.default_rng(3).standard_normal(512)
    near((one @ cupy.asarray(exact)).get(), whole @ exact, 1e-12)
    operator = cupyx.LinearOperator(one.shape, matvec=one.multiply, dtype=one.dtype)
    relative = "rtol" if "rtol" in inspect.signature(cupyx.cg).parameters else "tol"
    x, info = cupyx.cg(operator, cupy.asarray(whole @ exact), **{relative: 1e-10})
    agreed(info == 0)
    near(x.get(), exact, 1e-7)
    near(cupyx.aslinearoperator(one).matvec(cupy.asarray(exact)).get(), whole @ exact, 1e-12)
    one.close()
