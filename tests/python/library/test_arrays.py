"""Arrays that go in and out without a copy, and arrays that are refused."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from conftest import DIRECT, agreed, near, raises

import spmv_dist

STENCIL = "stencil27:6,6,6"


@pytest.mark.parametrize("layout", [{"format": "csr"}, {"format": "pjds"}, {}])
def test_memory_is_the_vectors_own(layout: dict[str, str]) -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **layout, **DIRECT)
    x = A.vector(np.arange(len(A.local_rows), dtype=float))
    order = A.order()
    agreed(np.array_equal(np.sort(order), np.arange(len(order))), order)
    for memory in (x.memory.numpy(), np.from_dlpack(x.memory), np.asarray(x.memory)):
        near(memory, order.astype(float), 0)
        memory *= 2
        near(x.get(), 2.0 * np.arange(len(order)), 0)
        memory /= 2
    kept = x.memory.numpy()
    A.close()
    del x, A
    near(kept, order.astype(float), 0)


def test_order_of_a_matrix_with_many_rows() -> None:
    A = spmv_dist.Matrix.generate("stencil7:24,24,24", format="pjds", **DIRECT)
    order = A.order()
    agreed(np.array_equal(np.sort(order), np.arange(len(order))), order)
    x = A.vector(np.arange(len(order), dtype=float))
    near(x.memory.numpy(), order.astype(float), 0)


def test_a_view_is_used_as_it_is() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    memory = np.zeros(A.capacity())
    x, y = A.view(memory), A.vector()
    agreed(not x.native.is_copied())
    natural = np.random.default_rng(3).standard_normal(len(A.local_rows))
    memory[: len(natural)] = natural[A.order()]
    A.multiply(x, out=y)
    near(y.get(), A @ natural, 1e-12)


WRONG = {
    "dtype float32": lambda n: np.zeros(n, np.float32),
    "dtype int64": lambda n: np.zeros(n, np.int64),
    "dtype complex128": lambda n: np.zeros(n, complex),
    "has shape": lambda n: np.zeros(n + 1),
    "not contiguous": lambda n: np.zeros(2 * n)[::2],
    "is a list": lambda n: [0.0] * n,
}


@pytest.mark.parametrize("said", WRONG)
def test_arrays_that_do_not_fit_are_refused(said: str) -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    n = len(A.local_rows)
    wrong = WRONG[said](n)
    raises(spmv_dist.UsageError, said, lambda: A @ wrong)
    raises(spmv_dist.UsageError, said, lambda: A.multiply(np.zeros(n), out=wrong))
    raises(spmv_dist.UsageError, said, lambda: A.vector(wrong))
    raises(spmv_dist.UsageError, said, lambda: A.vector().get(wrong))
    raises(spmv_dist.UsageError, said, lambda: spmv_dist.cg(A, wrong))
    read_only = np.zeros(n)
    read_only.flags.writeable = False
    raises(spmv_dist.UsageError, "read-only", lambda: A.multiply(np.zeros(n), out=read_only))
    near(A @ read_only, np.zeros(n), 0)


def test_a_vector_of_another_matrix_is_refused() -> None:
    A, B = (
        spmv_dist.Matrix.generate(STENCIL, **DIRECT),
        spmv_dist.Matrix.generate("stencil7:6,6,6", **DIRECT),
    )
    raises(spmv_dist.UsageError, "", lambda: A.multiply(B.vector(), out=A.vector()))
    C = spmv_dist.Matrix.generate(STENCIL, dtype=np.float32, **DIRECT)
    raises(spmv_dist.UsageError, "float32", lambda: A.multiply(C.vector(), out=A.vector()))
    raises(spmv_dist.UsageError, "float32", lambda: spmv_dist.cg(A, C.vector()))
    raises(
        spmv_dist.UsageError,
        "ndarray",
        lambda: A.multiply(A.vector(), out=np.zeros(len(A.local_rows))),
    )
    raises(spmv_dist.UsageError, "", lambda: A.multiply(A.multivector(2), out=A.vector()))


def test_what_a_closed_matrix_can_do_is_to_say_so() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    x, y, array = A.vector(), A.vector(), np.zeros(len(A.local_rows))
    A.close()
    for call in (
        lambda: A @ x,
        lambda: A.multiply(x, out=y),
        lambda: A @ array,
        lambda: A.vector(),
        lambda: spmv_dist.cg(A, array),
        lambda: spmv_dist.eigsh(A),
        lambda: A.describe(),
    ):
        raises(spmv_dist.UsageError, "was closed", call)
    A.close()
    near(x.get(), array, 0)


class Stream:
    """As a stream of CuPy, PyTorch or cuda.core."""

    def __init__(self, **names: Any):
        vars(self).update(names)


def test_streams_are_found_under_every_packages_name() -> None:
    from spmv_dist.library.arrays import stream_of

    assert stream_of(7) == 7
    assert stream_of(Stream(ptr=7)) == 7
    assert stream_of(Stream(cuda_stream=7)) == 7
    assert stream_of(Stream(__cuda_stream__=lambda: (0, 7))) == 7


class OnGpu:
    """As an array of a GPU, in host memory, which the library takes where products run on the host."""

    def __init__(self, array: np.ndarray, **more: Any):
        pointer = (array.ctypes.data, not array.flags.writeable)
        strides = None if array.flags.c_contiguous else array.strides
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": pointer,
            "strides": strides,
            "version": 3,
            **more,
        }


@pytest.mark.parametrize(
    ("more", "called"),
    [
        ({"stream": None}, None),
        ({"stream": 7}, ("cuStreamSynchronize", 7)),
        ({}, ("cuCtxSynchronize",)),
    ],
)
def test_an_array_of_a_gpu_is_waited_for(more: Any, called: Any, monkeypatch: Any) -> None:
    from spmv_dist.library import arrays

    calls = []

    class Driver:
        def cuStreamSynchronize(self, stream: Any) -> int:
            calls.append(("cuStreamSynchronize", stream.value))
            return 0

        def cuCtxSynchronize(self) -> int:
            calls.append(("cuCtxSynchronize",))
            return 0

    monkeypatch.setattr(arrays, "driver", Driver)
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    natural = np.random.default_rng(5).standard_normal(len(A.local_rows))
    out = np.zeros_like(natural)
    A.multiply(OnGpu(natural, **more), out=OnGpu(out, **more))
    near(out, A @ natural, 0)
    assert calls == ([called] * 2 if called else [])
    wrong = {
        "dtype float32": OnGpu(natural.astype(np.float32), stream=None),
        "has shape": OnGpu(natural[:-1], stream=None),
        "not contiguous": OnGpu(np.zeros(2 * len(natural))[::2], stream=None),
    }
    for said, array in wrong.items():
        raises(spmv_dist.UsageError, said, lambda array=array: A.multiply(array, out=out))


class DLTensor(ctypes.Structure):
    """The beginning of what a DLPack capsule points to."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("dimensions", ctypes.c_int32),
        ("dtype", ctypes.c_uint8 * 4),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


def test_memory_of_a_gpu_is_described_as_such() -> None:
    """Nothing reads it: without a GPU host memory stands in."""
    X = spmv_dist.Matrix.generate(STENCIL, **DIRECT).multivector(3)
    capsule = X.native.on_device(list(X.shape), 1)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(pointer(capsule, b"dltensor"))
    agreed(tensor.data == X.native.address())
    assert list(tensor.device) == [2, 1]  # CUDA's second
    assert list(tensor.dtype) == [2, 64, 1, 0]  # floating point
    agreed(tuple(tensor.shape[:2]) == X.shape and tuple(tensor.strides[:2]) == (3, 1))


def test_arrays_of_a_gpu() -> None:
    try:
        A = spmv_dist.Matrix.generate(STENCIL, backend="cuda")
    except spmv_dist.UnavailableError as error:
        pytest.skip(f"no GPU: {error}")
    try:
        import cupy as arrays
    except ImportError:
        arrays = pytest.importorskip("torch")
    natural = np.random.default_rng(5).standard_normal(len(A.local_rows))
    expected = A @ natural
    device = (
        arrays.asarray(natural) if arrays.__name__ == "cupy" else arrays.as_tensor(natural).cuda()
    )
    out = arrays.zeros_like(device)
    A.multiply(device, out=out)
    near(np.asarray(out.get() if arrays.__name__ == "cupy" else out.cpu()), expected, 0)
    x, y = A.vector(), A.vector()
    memory = arrays.from_dlpack(x.memory)
    agreed(
        memory.__cuda_array_interface__["data"][0] == x.memory.__cuda_array_interface__["data"][0]
    )
    stream = arrays.cuda.Stream()
    with stream if arrays.__name__ == "cupy" else arrays.cuda.stream(stream):
        A.order_with(stream)
        order = A.order()
        memory[:] = device[
            arrays.asarray(order) if arrays.__name__ == "cupy" else arrays.as_tensor(order).cuda()
        ]
        A.multiply(x, out=y)
    near(y.get(), expected, 0)
