"""Vectors of a matrix: in the memory where products run, in the order that the matrix's format wants."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from spmv_dist.library.arrays import address_of, c_strides, device_of
from spmv_dist.library.context import Handle
from spmv_dist.library.native import extension

Number = extension.Number


class Memory:
    """The elements of a vector where they lie, without a copy: for numpy.from_dlpack and numpy.asarray on
    the host, for CuPy, PyTorch, JAX and Numba on GPUs.

    They are in the order of the matrix's format, which Matrix.order tells. Everything that was queued is complete when this is handed out; work
    of yours that still runs in a CUDA stream is waited for by the product if Matrix.order_with(stream) was
    called. It keeps the memory, not the matrix.
    """

    def __init__(self, vectors: _Elements):
        self._of = vectors

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.numpy().__array_interface__

    def numpy(self) -> np.ndarray:
        """A view of host memory. Local; raises BufferError for vectors on a GPU."""
        if self._of.on_gpu:
            raise BufferError(
                "the vector is in a GPU's memory: use get(), cupy.asarray or torch.from_dlpack"
            )
        self._of.synchronize()
        return self._of.native.on_host(self._of.count).reshape(self._of.shape)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self._of.on_gpu:
            raise AttributeError("the vector is in host memory")
        self._of.synchronize()
        shape, dtype = self._of.shape, self._of.dtype
        return {
            "shape": shape,
            "typestr": dtype.str,
            "data": (self._of.native.address(), False),
            "strides": c_strides(shape, dtype.itemsize),
            "version": 3,
            "stream": None,  # nothing is left to wait for
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        if not self._of.on_gpu:
            return (1, 0)
        address = self._of.native.address()
        return (2, device_of(address) if address else 0)  # without elements it is on none

    def __dlpack__(self, **request: Any) -> Any:
        """`stream`: the consumer's, which has nothing to wait for, because the host has waited."""
        if not self._of.on_gpu:
            request.pop("stream", None)
            return self.numpy().__dlpack__(**request)
        here = self.__dlpack_device__()
        if request.get("copy") or request.get("dl_device") not in (None, here):
            raise BufferError(
                f"the vector is in the memory of GPU {here[1]}, and is handed out without a copy: use get()"
            )
        self._of.synchronize()
        return self._of.native.on_device(list(self._of.shape), here[1])


class _Elements:
    """What a vector and several of them have in common."""

    __array_ufunc__ = None  # numpy leaves operators to this class
    __slots__ = (
        "__weakref__",
        "_array",
        "_matrix",
        "_products_on_gpu",
        "dtype",
        "native",
        "on_gpu",
        "shape",
    )

    def __init__(
        self,
        native: Any,
        dtype: np.dtype,
        shape: tuple[int, ...],
        matrix: Handle,
        array: Any = None,
    ):
        """`array`: in whose memory the elements are; it is kept."""
        self.native, self.dtype, self.shape = native, dtype, shape
        self._products_on_gpu = matrix.context.on_gpu
        of_gpu = array is None or hasattr(array, "__cuda_array_interface__")
        self.on_gpu = self._products_on_gpu and of_gpu
        self._matrix, self._array = weakref.ref(matrix), array

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    def synchronize(self) -> None:
        """Returns when all queued work is complete. Local."""
        matrix = self._matrix()
        if matrix is not None and not matrix.closed:  # else nothing was queued any more
            matrix.native.synchronize()

    def set(self, array: Any) -> Any:
        """Copies an array in the natural order, that of Matrix.local_rows, of the same dtype and shape, from
        host or device memory. Local; raises UsageError. Returns the vector."""
        self.native.set(self._address_of(array, "the array"), self.count)
        return self

    def _address_of(self, array: Any, what: str, write: bool = False) -> int:
        return address_of(array, self.dtype, self.shape, what, self._products_on_gpu, write)

    def get(self, out: Any = None) -> Any:
        """Copies the elements in the natural order, to `out` or a new numpy array. Local; raises UsageError."""
        out = np.empty(self.shape, self.dtype) if out is None else out
        self.native.get(self._address_of(out, "out", write=True), self.count)
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(
                "numpy.asarray(vector) is a copy in the natural order; vector.memory has none"
            )
        return self.get() if dtype is None else self.get().astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def memory(self) -> Memory:
        return Memory(self)


class MultiVector(_Elements):
    """This rank's elements of 1 to 32 vectors of a matrix: shape (rows of this rank, columns), by rows. Made by Matrix.multivector()."""

    __slots__ = ()


class Vector(_Elements):
    """This rank's elements of a vector of a matrix. Made by Matrix.vector().

    Sums such as x + alpha * p - q, with numbers or formulas of slots, are for Combination.set().
    """

    __slots__ = ()

    def __add__(self, other: Vector | LinearForm) -> LinearForm:
        return LinearForm.of(self) + other

    def __sub__(self, other: Vector | LinearForm) -> LinearForm:
        return LinearForm.of(self) - other

    def __neg__(self) -> LinearForm:
        return -LinearForm.of(self)

    def __mul__(self, number: Any) -> LinearForm:
        return LinearForm.of(self) * number

    def __truediv__(self, number: Any) -> LinearForm:
        return LinearForm.of(self) * (1.0 / number)

    __rmul__ = __mul__


class LinearForm:
    """A sum of vectors with coefficients."""

    __array_ufunc__ = None

    def __init__(self, terms: list[tuple[Any, Any, bool]]):
        self.terms = terms

    @staticmethod
    def of(value: Vector | LinearForm) -> LinearForm:
        if isinstance(value, LinearForm):
            return value
        if isinstance(value, Vector):
            return LinearForm([(value.native, Number(1.0), False)])
        raise TypeError(
            f"a {type(value).__name__} stands where a vector, or a sum of vectors, is needed"
        )

    def __add__(self, other: Vector | LinearForm) -> LinearForm:
        return LinearForm(self.terms + LinearForm.of(other).terms)

    def __neg__(self) -> LinearForm:
        return LinearForm([(vector, number, not minus) for vector, number, minus in self.terms])

    def __sub__(self, other: Vector | LinearForm) -> LinearForm:
        return self + -LinearForm.of(other)

    def __mul__(self, number: Any) -> LinearForm:
        if isinstance(number, (int, float)):
            number = Number(float(number))
        if not isinstance(number, Number):
            return NotImplemented
        return LinearForm([(vector, number * other, minus) for vector, other, minus in self.terms])

    __rmul__ = __mul__

    def __truediv__(self, number: Any) -> LinearForm:
        return self * (1.0 / number)
