"""Arrays of CuPy and PyTorch on a GPU: no copies, other streams, and what is refused. Skipped without a GPU or the package."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import COMM, agreed, near, raises
from gpu_packages import PACKAGES, Package, gpu_is_missing

import spmv_dist

STENCIL = "stencil27:20,20,20"
DTYPES = ("float32", "float64", "complex64", "complex128")


@pytest.fixture(scope="module", params=PACKAGES)
def package(request: Any) -> Package:
    missing = gpu_is_missing()
    if missing:
        pytest.skip(missing)
    pytest.importorskip(request.param)
    made = PACKAGES[request.param]()
    delay(made, made.stream())  # compiles its kernels
    made.wait()
    return made


@pytest.fixture(scope="module")
def A(package: Package) -> spmv_dist.Matrix:
    return spmv_dist.Matrix.generate(STENCIL, backend="cuda")


def some(A: spmv_dist.Matrix, *columns: int, seed: int = 5) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((len(A.local_rows), *columns))
    return made.astype(A.dtype)


def vectors(A: spmv_dist.Matrix, natural: np.ndarray) -> tuple[Any, Any]:
    """x with these elements, and another one; of several columns if `natural` has them."""
    if natural.ndim == 1:
        return A.vector(natural), A.vector()
    return A.multivector(natural.shape[1], natural), A.multivector(natural.shape[1])


def delay(package: Package, stream: Any) -> None:
    """Gives a stream work for about 50 ms, and shows that it is not done."""
    with package.on(stream):
        work = package.ones(1 << 26)
        package.keep.append(work)  # its memory is not for others before it is done
        COMM.barrier()
        for _ in range(200):
            work *= 1.0000001
    agreed(not package.done(stream), "the stream was done before the test began")


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


def test_numpy_is_refused_memory_of_a_gpu(A: spmv_dist.Matrix, package: Package) -> None:
    x = A.vector()
    raises(BufferError, "in a GPU's memory", lambda: x.memory.numpy())
    raises(BufferError, "in a GPU's memory", lambda: np.asarray(x.memory))
    raises(BufferError, "copy", lambda: np.from_dlpack(x.memory, device="cpu"))


@pytest.mark.parametrize("shape", [(), (3,), (40,)])
def test_products_of_arrays(A: spmv_dist.Matrix, package: Package, shape: tuple[int, ...]) -> None:
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


def test_solutions_and_vectors(A: spmv_dist.Matrix, package: Package) -> None:
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


def test_a_view_is_the_array_itself(A: spmv_dist.Matrix, package: Package) -> None:
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


@pytest.mark.parametrize("columns", [(), (4,)])
def test_a_busy_stream_sees_what_is_complete(
    A: spmv_dist.Matrix, package: Package, columns: tuple[int, ...]
) -> None:
    """Memory that is handed out after products were queued, to a stream that has other work."""
    natural = some(A, *columns)
    expected = A @ (A @ natural)
    x, y = vectors(A, natural)
    stream = package.stream()
    delay(package, stream)
    for _ in range(20):
        A.multiply_queued(x, y)
        A.multiply_queued(y, x)
        with package.on(stream):
            seen = package.from_dlpack(x.memory) + 0
        x.set(natural)
    near(package.numpy(seen), expected[A.order()], 0)
    if not columns:
        on = spmv_dist.Workspace(A)
        double = on.combination().set(x, y * 2.0)
        on.multiply(A, x, y)
        on.run(double)
        with package.on(stream):
            seen = package.from_interface(x.memory) + 0
        near(package.numpy(seen), 2 * (A @ natural)[A.order()], 1e-11)


@pytest.mark.parametrize("columns", [(), (4,)])
def test_queued_products_and_a_stream_take_turns(
    A: spmv_dist.Matrix, package: Package, columns: tuple[int, ...]
) -> None:
    natural = some(A, *columns)
    expected = natural
    for _ in range(10):
        expected = (A @ expected) / 32
    x, y = vectors(A, natural)
    here, there = package.from_dlpack(x.memory), package.from_dlpack(y.memory)
    stream = package.stream()
    A.order_with(stream)
    delay(package, stream)
    with package.on(stream):
        for _ in range(10):
            A.multiply_queued(x, y)
            here[:] = there / 32
        seen = here + 0
    A.order_with(None)
    near(package.numpy(seen), expected[A.order()], 1e-13 * np.abs(expected).max(initial=0))


def test_a_producers_stream_is_waited_for(A: spmv_dist.Matrix, package: Package) -> None:
    natural, wrong = some(A), some(A, seed=6)
    expected = A @ natural
    ready = package.array(natural)
    takes: dict[str, Callable[[Any], Any]] = {
        "multiply": lambda array: A @ array,
        "vector": lambda array: A @ A.vector(array).get(),
        "out": lambda array: A.multiply(natural, out=array) is array and array,
    }
    for name, take in takes.items():
        stream = package.stream()
        array = package.array(wrong)
        package.wait()
        delay(package, stream)
        with package.on(stream):
            array[:] = ready
            found = take(array)
        agreed(package.done(stream), f"{name} did not wait")
        near(package.numpy(found) if not isinstance(found, np.ndarray) else found, expected, 0)


def test_products_start_after_the_streams_work(A: spmv_dist.Matrix, package: Package) -> None:
    """Memory that a stream still writes, and products and copies of vectors that are ordered with it."""
    natural = some(A)
    ready = package.array(natural[A.order()])
    calls: dict[str, Callable[[Any, Any], np.ndarray]] = {
        "multiply": lambda x, y: A.multiply(x, out=y).get(),
        "get": lambda x, y: A @ x.get(),
        "cg": lambda x, y: A @ (A @ spmv_dist.cg(A, x, rtol=1e-12)[0].get()),
    }
    for name, call in calls.items():
        stream = package.stream()
        A.order_with(stream)
        x, y = A.vector(), A.vector()
        memory = package.from_dlpack(x.memory)
        delay(package, stream)
        with package.on(stream):
            memory[:] = ready
        found = call(x, y)
        A.order_with(None)
        near(found, A @ natural, 1e-7 if name == "cg" else 0)
        package.wait()


def test_what_is_given_back_may_be_used_at_once(A: spmv_dist.Matrix, package: Package) -> None:
    natural = some(A)
    expected = A @ natural
    stream = package.stream()
    array, out = package.array(natural), package.array(np.zeros_like(natural))
    x = A.vector()
    package.wait()
    for _ in range(20):
        with package.on(stream):
            A.multiply(array, out=out)
            seen = out + 0
            out[:] = 0
            x.set(array)
            array[:] = 0
            A.vector().get(out)
            array[:] = package.array(natural)
        near(package.numpy(seen), expected, 0)
        near(x.get(), natural, 0)


def test_another_thread_may_give_arrays(A: spmv_dist.Matrix, package: Package) -> None:
    natural = some(A)
    array, out = package.array(natural), package.array(np.zeros_like(natural))
    package.wait()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            A.multiply(array, out=out)
            package.numpy(package.from_dlpack(A.vector(array).memory))
            A.order()
        except BaseException as error:  # noqa: BLE001, for the thread that started this one
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    agreed(not raised, raised)
    near(package.numpy(out), A @ natural, 0)


WRONG: dict[str, Callable[[Package, int], Any]] = {
    "dtype float32": lambda package, n: package.array(np.zeros(n, np.float32)),
    "dtype int64": lambda package, n: package.array(np.zeros(n, np.int64)),
    "dtype complex128": lambda package, n: package.array(np.zeros(n, complex)),
    "has shape": lambda package, n: package.array(np.zeros(n + 1)),
    "not contiguous": lambda package, n: package.array(np.zeros(2 * n))[::2],
}


@pytest.mark.parametrize("said", WRONG)
def test_arrays_that_do_not_fit_are_refused(
    A: spmv_dist.Matrix, package: Package, said: str
) -> None:
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


def test_memory_of_the_wrong_place_is_refused(A: spmv_dist.Matrix, package: Package) -> None:
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
