"""Order between products and streams of CuPy and PyTorch on a GPU. Skipped without a GPU or the package."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import agreed, near
from gpu_packages import Package, delay, some, vectors

import spmv_dist


@pytest.mark.parametrize("columns", [(), (4,)])
def test_a_busy_stream_sees_what_is_complete(
    gpu_matrix: spmv_dist.Matrix, package: Package, columns: tuple[int, ...]
) -> None:
    """Memory that is handed out after products were queued, to a stream that has other work."""
    A = gpu_matrix
    natural = some(A, *columns)
    expected = A @ (A @ natural)
    x, y = vectors(A, natural)
    stream = package.stream()
    for _ in range(3):
        x.set(natural)
        delay(package, stream)
        A.multiply_queued(x, y)
        A.multiply_queued(y, x)
        with package.on(stream):
            seen = package.from_dlpack(x.memory) + 0
        near(package.numpy(seen), expected[A.order()], 0)
    if not columns:
        x.set(natural)
        on = spmv_dist.Workspace(A)
        double = on.combination().set(x, y * 2.0)
        on.multiply(A, x, y)
        on.run(double)
        with package.on(stream):
            seen = package.from_interface(x.memory) + 0
        near(package.numpy(seen), 2 * (A @ natural)[A.order()], 1e-11)


@pytest.mark.parametrize("columns", [(), (4,)])
def test_queued_products_and_a_stream_take_turns(
    gpu_matrix: spmv_dist.Matrix, package: Package, columns: tuple[int, ...]
) -> None:
    A = gpu_matrix
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


def test_a_producers_stream_is_waited_for(gpu_matrix: spmv_dist.Matrix, package: Package) -> None:
    A = gpu_matrix
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


def test_products_start_after_the_streams_work(
    gpu_matrix: spmv_dist.Matrix, package: Package
) -> None:
    """Memory that a stream still writes, and products and copies of vectors that are ordered with it."""
    A = gpu_matrix
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


def test_what_is_given_back_may_be_used_at_once(
    gpu_matrix: spmv_dist.Matrix, package: Package
) -> None:
    A = gpu_matrix
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


def test_another_thread_may_give_arrays(gpu_matrix: spmv_dist.Matrix, package: Package) -> None:
    A = gpu_matrix
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
