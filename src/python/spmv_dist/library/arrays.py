"""Arrays of other packages: numpy, scipy, and on GPUs whatever has __cuda_array_interface__ (CuPy, PyTorch, JAX, Numba)."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from spmv_dist.library.errors import UnavailableError, UsageError

WRITE = "written"


def address_of(
    array: Any,
    dtype: np.dtype,
    shape: tuple[int, ...],
    what: str,
    on_gpu: bool,
    write: bool = False,
) -> int:
    """Where the elements of an array lie, which is of this dtype and shape, in C order. What its stream
    holds is complete. `on_gpu`: whether products run on GPUs; if not, arrays of GPUs are refused. Local; raises UsageError."""
    interface = interface_of(array, what)
    if interface is None:
        if not isinstance(array, np.ndarray):
            raise UsageError(f"{what} is a {type(array).__name__}{instead_of(array)}")
        found, has, at = array.dtype, array.shape, array.ctypes.data
        contiguous, writable = array.flags.c_contiguous, array.flags.writeable
    else:
        if not on_gpu:
            raise UsageError(
                f"{what} is in a GPU's memory, but products of this matrix run on the host: give a numpy array, or "
                'make the matrix with backend="cuda"'
            )
        found, has = np.dtype(interface["typestr"]), tuple(interface["shape"])
        at, read_only = interface["data"]
        strides = interface.get("strides")
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
    if interface is not None and at:
        wait_for_producer(array, interface)
    return int(at or 0)


def interface_of(array: Any, what: str) -> dict[str, Any] | None:
    """The __cuda_array_interface__ of an array in a GPU's memory; None: it has none."""
    try:
        return getattr(array, "__cuda_array_interface__", None)
    except Exception as error:  # of PyTorch, for tensors with gradients
        raise UsageError(f"{what} cannot be used as it is: {error}") from error


def instead_of(array: Any) -> str:
    """What to give instead of an array that is neither numpy's nor on a GPU."""
    if hasattr(array, "__dlpack__"):
        return " in host memory: give numpy.from_dlpack(it), which is no copy"
    return (
        ": give a numpy array, a vector of the matrix, or an array with __cuda_array_interface__, such as CuPy's and "
        "PyTorch's on GPUs"
    )


def empty_like(array: Any, shape: tuple[int, ...], dtype: np.dtype, what: str) -> Any:
    """A new array: of CuPy or PyTorch, in the same memory, if `array` is one of theirs on a GPU, else of numpy."""
    if interface_of(array, what) is not None:
        cupy = sys.modules.get("cupy")
        if cupy is not None and isinstance(array, cupy.ndarray):
            with array.device:
                return cupy.empty(shape, dtype)
        if hasattr(array, "new_empty"):
            return array.new_empty(shape)
    return np.empty(shape, dtype)


def columns_of(array: Any, part: slice, dtype: np.dtype, what: str) -> Any:
    """A copy of some columns in C order, made as empty_like() does."""
    copy = empty_like(array, (array.shape[0], part.stop - part.start), dtype, what)
    copy[...] = array[:, part]
    return copy


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


def require(what: str, failed: int) -> None:
    if failed:
        raise UnavailableError(f"{what} failed with CUDA's error {failed}")


def device_of(address: int) -> int:
    """The number of the GPU whose memory this is."""
    device = ctypes.c_int(0)
    ordinal_of_pointer = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    found = driver().cuPointerGetAttribute(
        ctypes.byref(device), ordinal_of_pointer, ctypes.c_uint64(address)
    )
    require("finding the GPU of an array", found)
    return device.value


@functools.cache
def context_of(device: int) -> ctypes.c_void_p:
    """What packages share on a GPU. It stays until the end."""
    context = ctypes.c_void_p()
    require(
        "using a GPU",
        driver().cuDevicePrimaryCtxRetain(ctypes.byref(context), ctypes.c_int(device)),
    )
    return context


@contextlib.contextmanager
def driver_for(address: int) -> Iterator[Any]:
    """The driver library, for the GPU that has this memory: the thread may have no GPU so far, or another one."""
    cuda = driver()
    require("using a GPU", cuda.cuCtxPushCurrent_v2(context_of(device_of(address))))
    try:
        yield cuda
    finally:
        cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def wait_for_producer(array: Any, interface: dict[str, Any]) -> None:
    """Returns when the array of a __cuda_array_interface__ is complete: it names a stream, or None, which means that there is nothing
    to wait for; older versions, such as PyTorch's, say nothing: then all work of the device is waited for. JAX's may be work that a thread
    has not given to the device yet."""
    if hasattr(array, "block_until_ready"):
        array.block_until_ready()
    stream = interface.get("stream", "all")
    if stream is None:
        return
    with driver_for(interface["data"][0]) as cuda:
        if stream == "all":
            failed = cuda.cuCtxSynchronize()
        else:  # 1 and 2 are the default streams
            failed = cuda.cuStreamSynchronize(ctypes.c_void_p(stream))
    require("waiting for the array's CUDA stream", failed)


def copy_from_gpu(to: np.ndarray, address: int) -> None:
    """Copies a GPU's memory to the host. Returns when done."""
    if to.nbytes == 0:
        return
    with driver_for(address) as cuda:
        failed = cuda.cuMemcpyDtoH_v2(
            ctypes.c_void_p(to.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(to.nbytes)
        )
    require("copying a vector from its GPU", failed)
