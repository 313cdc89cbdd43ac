"""Arrays of GPUs in Python alone: host memory that takes itself for a GPU's, and a driver that writes down what it is asked."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import DIRECT, agreed, near, raises

import spmv_dist
from spmv_dist.library import arrays

STENCIL = "stencil27:6,6,6"
ON_HOST = {"backend": "host", **DIRECT}


class OnGpu:
    """As an array of a GPU, but in host memory."""

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
        self.count = len(array)

    def __len__(self) -> int:
        return self.count


class Driver:
    """As CUDA's, where nothing needs a GPU."""

    def __init__(self, calls: list[Any]):
        self.calls = calls
        self.current: list[Any] = []

    def cuPointerGetAttribute(self, to: Any, attribute: int, address: Any) -> int:
        ctypes.cast(to, ctypes.POINTER(ctypes.c_int))[0] = 3
        return 0

    def cuDevicePrimaryCtxRetain(self, to: Any, device: Any) -> int:
        ctypes.cast(to, ctypes.POINTER(ctypes.c_void_p))[0] = 100 + device.value
        return 0

    def cuCtxPushCurrent_v2(self, context: Any) -> int:
        self.current.append(context.value)
        return 0

    def cuCtxPopCurrent_v2(self, to: Any) -> int:
        self.current.pop()
        return 0

    def cuStreamSynchronize(self, stream: Any) -> int:
        self.calls.append(("cuStreamSynchronize", stream.value, *self.current))
        return 0

    def cuCtxSynchronize(self) -> int:
        self.calls.append(("cuCtxSynchronize", *self.current))
        return 0


@pytest.fixture
def pretended_gpu(monkeypatch: Any) -> Iterator[tuple[spmv_dist.Matrix, list[Any]]]:
    """A matrix on the host that takes itself for one on GPU 3, and the calls that wait."""
    calls: list[Any] = []
    known = Driver(calls)
    monkeypatch.setattr(arrays, "driver", lambda: known)
    arrays.context_of.cache_clear()
    A = spmv_dist.Matrix.generate(STENCIL, **ON_HOST)
    monkeypatch.setattr(A.context, "on_gpu", True)
    yield A, calls
    arrays.context_of.cache_clear()


@pytest.mark.parametrize(
    ("more", "called"),
    [
        ({"stream": None}, None),
        ({"stream": 7}, ("cuStreamSynchronize", 7, 103)),
        ({}, ("cuCtxSynchronize", 103)),
    ],
)
def test_an_array_of_a_gpu_is_waited_for(more: Any, called: Any, pretended_gpu: Any) -> None:
    A, calls = pretended_gpu
    natural = np.random.default_rng(5).standard_normal(len(A.local_rows))
    out = np.zeros_like(natural)
    A.multiply(OnGpu(natural, **more), out=OnGpu(out, **more))
    agreed(calls == ([called] * 2 if called and len(natural) else []), calls)
    near(out, A @ natural, 0)
    wrong = {
        "dtype float32": OnGpu(natural.astype(np.float32), stream=None),
        "has shape": OnGpu(natural[:-1], stream=None),
        "not contiguous": OnGpu(np.zeros(2 * len(natural))[::2], stream=None),
    }
    for said, array in wrong.items():
        raises(spmv_dist.UsageError, said, lambda array=array: A.multiply(array, out=out))


class NotThereYet(OnGpu):
    """As JAX's: its thread gives work to the GPU after the array has been handed out."""

    def __init__(self, array: np.ndarray, calls: list[Any]):
        self.later, self.elements, self.calls = array, np.zeros_like(array), calls
        super().__init__(self.elements)

    def block_until_ready(self) -> None:
        self.calls.append("block_until_ready")
        self.elements[...] = self.later


def test_an_array_that_a_thread_still_computes_is_waited_for(pretended_gpu: Any) -> None:
    A, calls = pretended_gpu
    natural = np.random.default_rng(5).standard_normal(len(A.local_rows))
    near(A.multiply(NotThereYet(natural, calls)), A @ natural, 0)
    near(A.vector(NotThereYet(natural, calls)).get(), natural, 0)
    agreed(calls == ["block_until_ready", ("cuCtxSynchronize", 103)] * 2, calls)


def test_an_array_of_a_gpu_is_refused_where_products_run_on_the_host() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **ON_HOST)
    natural = np.zeros(len(A.local_rows))
    array = OnGpu(natural, stream=None)
    for call in (
        lambda: A @ array,
        lambda: A.multiply(natural, out=array),
        lambda: A.vector(array),
        lambda: A.vector().get(array),
        lambda: A.view(OnGpu(np.zeros(A.capacity()), stream=None)),
        lambda: spmv_dist.cg(A, array),
    ):
        raises(spmv_dist.UsageError, "products of this matrix run on the host", call)


def test_a_view_of_host_memory_stays_there(pretended_gpu: Any) -> None:
    A, _ = pretended_gpu
    host = A.view(np.zeros(A.capacity()))
    there = A.view(OnGpu(np.zeros(A.capacity()), stream=None))
    agreed(not host.on_gpu and there.on_gpu)
    agreed(host.memory.__dlpack_device__() == (1, 0))
    agreed(there.memory.__dlpack_device__() == (2, 3))
    raises(BufferError, "GPU 3", lambda: there.memory.__dlpack__(dl_device=(1, 0)))
    raises(BufferError, "GPU 3", lambda: there.memory.__dlpack__(copy=True))
    raises(BufferError, "GPU 3", lambda: np.from_dlpack(there.memory, device="cpu"))
    raises(BufferError, "in a GPU's memory", lambda: np.asarray(there.memory))


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
    X = spmv_dist.Matrix.generate(STENCIL, **ON_HOST).multivector(3)
    capsule = X.native.on_device(list(X.shape), 1)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(pointer(capsule, b"dltensor"))
    agreed(tensor.data == X.native.address())
    assert list(tensor.device) == [2, 1]  # CUDA's second
    assert list(tensor.dtype) == [2, 64, 1, 0]  # floating point
    agreed(tuple(tensor.shape[:2]) == X.shape and tuple(tensor.strides[:2]) == (3, 1))
