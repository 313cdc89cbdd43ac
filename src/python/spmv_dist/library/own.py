"""Solvers of one's own: work that is queued on the device, with numbers that stay there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from spmv_dist.library.context import Handle
from spmv_dist.library.matrix import Matrix
from spmv_dist.library.native import MODULES, extension
from spmv_dist.library.vectors import LinearForm, Number, Vector

slot, root, conjugate, where = extension.slot, extension.root, extension.conjugate, extension.where


def number(value: Any) -> Any:
    return value if isinstance(value, Number) else Number(float(value))


class Workspace:
    """Slots for numbers on the device, and sums of all ranks, as in spmv_dist/solve.hpp: slots 0 to 3 hold sums, 4 to 31 what
    Combination.store() left."""

    def __init__(self, A: Matrix):
        """Collective; raises UnavailableError if nothing can carry sums."""
        self.A = A
        self._module = MODULES[A.dtype]
        native, make = A.native, self._module.Workspace
        self._handle: Handle = A.context.make(lambda: make(native), "workspace")

    def combination(self) -> Combination:
        """A new step on vectors. Local; make the same on all ranks."""
        return Combination(self)

    def multiply(self, A: Matrix, x: Vector, y: Vector) -> None:
        """Queues y = A x. Collective."""
        self._handle.native.multiply(A.native, x.native, y.native)

    def multiply_and_sum(
        self, A: Matrix, x: Vector, y: Vector, xy: int, yy: int, weight: Vector | None = None
    ) -> None:
        """Queues y = A x, slot xy = (x, y), slot yy = (y, y) or (y, weight y). Collective."""
        more = () if weight is None else (weight.native,)
        self._handle.native.multiply_and_sum(A.native, x.native, y.native, xy, yy, *more)

    def run(self, step: Combination) -> None:
        """Queues a combination. Collective."""
        self._handle.native.run(step.native)

    def line(self) -> Any:
        """The newest recorded numbers that are there without waiting, some iterations old on a GPU: line[0] to line[3], and
        line.number, counted from 1. The same on all ranks. Local."""
        return self._handle.native.line()

    @contextlib.contextmanager
    def loop(self) -> Iterator[None]:
        """Once a requirement in it does not hold, nothing changes any more until it ends."""
        native = self._handle.native
        native.begin_loop()
        try:
            yield
        finally:
            native.end_loop()

    def value(self, of_slot: int) -> Any:
        """What a slot holds. Waits for all that is queued. Collective."""
        return self._handle.native.value(of_slot)

    def dot(self, a: Vector, b: Vector) -> Any:
        """The sum of conj(a_i) b_i over all ranks. Waits. Collective."""
        return self._handle.native.dot(a.native, b.native)

    def norm(self, a: Vector) -> float:
        """The 2-norm over all ranks. Waits. Collective."""
        return self._handle.native.norm(a.native)

    def close(self) -> None:
        """Collective."""
        self._handle.close()


class Combination:
    """Steps on vectors that run as one kernel: at most 6 vectors, 6 changes, 4 sums. All calls are Local, return it, and raise UsageError."""

    def __init__(self, on: Workspace):
        self._handle = Handle(
            on.A.context, on._module.Combination(on._handle.native), "combination", local=True
        )
        self.native = self._handle.native

    def require(self, condition: Any) -> Combination:
        """Where it does not hold, nothing is changed, also by later combinations of the loop."""
        self.native.require(condition)
        return self

    def set(self, target: Vector, form: Vector | LinearForm) -> Combination:
        """target = form. Later steps see what earlier ones made."""
        self.native.set(target.native, LinearForm.of(form).terms)
        return self

    def multiply(self, target: Vector, a: Vector, b: Vector) -> Combination:
        """target = a times b, element by element."""
        self.native.multiply(target.native, a.native, b.native)
        return self

    def sum(self, of_slot: int, a: Vector, b: Vector) -> Combination:
        """Slot 0 to 3 = (a, b) of all ranks, after all changes."""
        self.native.sum(of_slot, a.native, b.native)
        return self

    def store(self, in_slot: int, value: Any) -> Combination:
        """Slot 4 to 31 = a number, for later combinations."""
        self.native.store(in_slot, number(value))
        return self

    def record(self, column: int, value: Any) -> Combination:
        """Column 0 to 3 of the line that every run records for the host."""
        self.native.record(column, number(value))
        return self
