"""Arrays of other packages: numpy, scipy, and on GPUs whatever has __cuda_array_interface__ (CuPy, PyTorch, JAX, Numba)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from spmv_dist.library.errors import UnavailableError, UsageError

WRITE = "written"


def address_of(
    array: Any, dtype: np.dtype, shape: tuple[int, ...], what: str, write: bool = False
) -> int:
    """Where the elements of an array lie, which is of this dtype and shape, in C order. What its stream
    holds is complete. Local; raises UsageError."""
    on_gpu = getattr(array, "__cuda_array_interface__", None)
    if on_gpu is None and not isinstance(array, np.ndarray):
        raise UsageError(
            f"{what} is a {type(array).__name__}: give a numpy array, a vector of the matrix, or an "
            "array with __cuda_array_interface__, such as CuPy's and PyTorch's on GPUs"
        )
    if on_gpu is None:
        found, has, at = array.dtype, array.shape, array.ctypes.data
        contiguous, writable = array.flags.c_contiguous, array.flags.writeable
    else:
        found, has = np.dtype(on_gpu["typestr"]), tuple(on_gpu["shape"])
        at, read_only = on_gpu["data"]
        strides = on_gpu.get("strides")
        contiguous = strides is None or tuple(strides) == c_strides(has, found.itemsize)
        writable = not read_only
    if found != dtype:
        raise UsageError(
            f"{what} has dtype {found}, but the matrix has {dtype}: convert it by astype()"
        )
    if tuple(has) != shape:
        raise UsageError(f"{what} has shape {tuple(has)}, but {shape} is needed on this rank")
    if not contiguous:
        raise UsageError(
            f"{what} is not contiguous in C order: copy it, by numpy.ascontiguousarray or the like"
        )
    if write and not writable:
        raise UsageError(f"{what} is read-only, but would be {WRITE}: give another array")
    if on_gpu is not None:
        wait_for_producer(on_gpu)
    return int(at or 0)


def c_strides(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides, step = [], size
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def stream_of(stream: Any) -> int:
    """The address of a CUDA stream: a number, or a stream of CuPy, PyTorch, Numba or cuda.core."""
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("ptr", "cuda_stream", "handle"):
        if hasattr(stream, name):
            found = getattr(stream, name)
            return int(getattr(found, "value", found) or 0)
    return int(stream)


def driver() -> Any:
    """CUDA's driver library."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise UnavailableError(
            f"an array of a GPU was given, but CUDA's driver cannot be loaded: {error}"
        ) from error


def wait_for_producer(interface: dict[str, Any]) -> None:
    """Returns when the array of a __cuda_array_interface__ is complete: it names a stream, or None, which means that there is nothing
    to wait for; older versions, such as PyTorch's, say nothing: then all work of the device is waited for."""
    if "stream" not in interface:
        failed = driver().cuCtxSynchronize()
    elif interface["stream"] is not None:  # 1 and 2 are the default streams
        failed = driver().cuStreamSynchronize(ctypes.c_void_p(interface["stream"]))
    else:
        return
    if failed:
        raise UnavailableError(
            f"waiting for the array's CUDA stream failed with CUDA's error {failed}"
        )


def device_of(address: int) -> int:
    """The number of the GPU whose memory this is."""
    device = ctypes.c_int(0)
    ordinal_of_pointer = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    failed = driver().cuPointerGetAttribute(
        ctypes.byref(device), ordinal_of_pointer, ctypes.c_uint64(address)
    )
    if failed:
        raise UnavailableError(f"the GPU of a vector cannot be found: CUDA's error {failed}")
    return device.value


def copy_from_gpu(to: np.ndarray, address: int) -> None:
    """Copies a GPU's memory to the host. Returns when done."""
    failed = driver().cuMemcpyDtoH_v2(
        ctypes.c_void_p(to.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(to.nbytes)
    )
    if failed:
        raise UnavailableError(f"a vector cannot be copied from its GPU: CUDA's error {failed}")
