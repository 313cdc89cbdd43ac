"""CuPy and PyTorch under the same names, for tests of arrays on GPUs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
from conftest import COMM, agreed

import spmv_dist


def gpu_is_missing() -> str:
    """Why products cannot run on a GPU, or nothing. Collective."""
    try:
        spmv_dist.Matrix.generate("stencil7:4,4,4", backend="cuda").close()
    except spmv_dist.UnavailableError as error:
        return f"no GPU: {error}"
    return ""


def gpu_of_this_rank() -> int:
    """The number that packages know it by: their arrays are on GPU 0 of the node if nobody tells them. Collective."""
    with spmv_dist.Matrix.generate("stencil7:4,4,4", backend="cuda") as A:
        return A.vector().memory.__dlpack_device__()[1]


class Package(Protocol):
    keep: list[Any]

    def array(self, natural: np.ndarray) -> Any: ...
    def ones(self, count: int) -> Any: ...
    def numpy(self, array: Any) -> np.ndarray: ...  # waits for the whole device
    def copy(self, to: Any, natural: np.ndarray) -> None: ...
    def address(self, array: Any) -> int: ...
    def from_dlpack(self, memory: Any) -> Any: ...
    def from_interface(self, memory: Any) -> Any: ...
    def stream(self) -> Any: ...  # which waits for no other
    def on(self, stream: Any) -> AbstractContextManager[Any]: ...
    def done(self, stream: Any) -> bool: ...
    def wait(self) -> None: ...
    def not_usable(self, on_host: np.ndarray) -> list[tuple[Any, str]]: ...


class CuPy:
    def __init__(self) -> None:
        import cupy

        self.cupy, self.keep = cupy, []
        cupy.cuda.Device(gpu_of_this_rank()).use()

    def array(self, natural: np.ndarray) -> Any:
        return self.cupy.asarray(natural)

    def ones(self, count: int) -> Any:
        return self.cupy.ones(count)

    def numpy(self, array: Any) -> np.ndarray:
        self.wait()
        return array.get()

    def copy(self, to: Any, natural: np.ndarray) -> None:
        to.set(natural)

    def address(self, array: Any) -> int:
        return array.data.ptr

    def from_dlpack(self, memory: Any) -> Any:
        return self.cupy.from_dlpack(memory)

    def from_interface(self, memory: Any) -> Any:
        return self.cupy.asarray(memory)

    def stream(self) -> Any:
        return self.cupy.cuda.Stream(non_blocking=True)

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        return stream

    def done(self, stream: Any) -> bool:
        return stream.done

    def wait(self) -> None:
        self.cupy.cuda.Device().synchronize()
        self.keep.clear()

    def not_usable(self, on_host: np.ndarray) -> list[tuple[Any, str]]:
        return [(on_host.tolist(), "is a list")]


class PyTorch:
    def __init__(self) -> None:
        import torch

        self.torch, self.keep = torch, []
        torch.cuda.set_device(gpu_of_this_rank())

    def array(self, natural: np.ndarray) -> Any:
        return self.torch.from_numpy(natural).cuda()

    def ones(self, count: int) -> Any:
        return self.torch.ones(count, dtype=self.torch.float64, device="cuda")

    def numpy(self, array: Any) -> np.ndarray:
        self.wait()
        return array.cpu().numpy()

    def copy(self, to: Any, natural: np.ndarray) -> None:
        to.copy_(self.torch.from_numpy(natural))

    def address(self, array: Any) -> int:
        return array.data_ptr()

    def from_dlpack(self, memory: Any) -> Any:
        return self.torch.from_dlpack(memory)

    def from_interface(self, memory: Any) -> Any:
        return self.torch.as_tensor(memory, device="cuda")

    def stream(self) -> Any:
        return self.torch.cuda.Stream()

    def on(self, stream: Any) -> AbstractContextManager[Any]:
        return self.torch.cuda.stream(stream)

    def done(self, stream: Any) -> bool:
        return stream.query()

    def wait(self) -> None:
        self.torch.cuda.synchronize()
        self.keep.clear()

    def not_usable(self, on_host: np.ndarray) -> list[tuple[Any, str]]:
        tensor = self.torch.from_numpy(on_host)
        return [
            (tensor, "give numpy.from_dlpack"),
            (tensor.cuda().requires_grad_(), "detach"),
            (on_host.tolist(), "is a list"),
        ]


PACKAGES = {"cupy": CuPy, "torch": PyTorch}


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
