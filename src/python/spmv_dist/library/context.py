"""Communicators, what ranks agree on together, and handles whose destruction is Collective.

Garbage is collected on each rank at another time and in another order, but a matrix must be destroyed
by all ranks together. So __del__ only parks its handle. Every call that makes something, and close(),
first lets the ranks tell each other what they have parked, and all destroy what all have, newest first.
"""

from __future__ import annotations

import atexit
import contextlib
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from spmv_dist.library.errors import Error, OtherRankError, UsageError
from spmv_dist.library.native import MPI, extension

Made = TypeVar("Made")
PLACE_OPTIONS = ("backend", "device", "threads")


def options_of(named: dict[str, Any]) -> Any:
    """Options of the library, from keywords; True and False are on and off."""
    options = extension.Options()
    for name, value in named.items():
        options.set(
            name, {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
        )
    return options


class Handle:
    """One object of the library, the same on all ranks of its context."""

    def __init__(self, context: Context, native: Any, what: str, local: bool = False):
        """`local`: the call that made it is Local, so perhaps not all ranks have made it."""
        self.context, self.what = context, what
        self.number = context.next_number(local)
        self._native: Any = native
        _handles.add(self)

    @property
    def native(self) -> Any:
        if self._native is None:
            raise UsageError(f"the {self.what} was closed: make another one")
        return self._native

    @property
    def closed(self) -> bool:
        return self._native is None

    def close(self) -> None:
        """Destroys it on all ranks. Collective, also if it was closed already."""
        self.park()
        self.context.agree()

    def park(self) -> None:
        """Leaves it to be destroyed by a later call. Local."""
        native, self._native = self._native, None
        if native is not None:
            self.context.parked.append((self.number, native))

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it was never made
            self.park()


class Context:
    """The ranks of a communicator, and what their products run on: keywords backend, device and threads."""

    def __init__(self, comm: Any = None, **options: Any):
        """Collective; raises UsageError, UnavailableError."""
        self.comm = (MPI.COMM_WORLD if comm is None else comm).Dup()
        self.parked: deque[tuple[tuple[int, int], Any]] = deque()
        self._waiting: dict[tuple[int, int], Any] = {}
        self._made, self._made_locally = 0, 0
        try:
            self.native = extension.Context(self.comm.py2f(), options_of(options))
        except Error:  # of all ranks
            self.comm.Free()
            raise
        self.on_gpu = self.native.backend() == "cuda"
        _contexts.add(self)

    def next_number(self, local: bool) -> tuple[int, int]:
        """How many handles all ranks have made, in the same order, and how many this rank has made alone since."""
        if local:
            self._made_locally += 1
        else:
            self._made, self._made_locally = self._made + 1, 0
        return self._made, self._made_locally

    def describe(self) -> str:
        """This rank's host, device, cores and threads. Local."""
        return self.native.describe()

    def agree(self, check: Callable[[], Made] = lambda: None) -> Made:  # type: ignore[assignment]
        """What check() returns on this rank. If it raises on one rank, all ranks raise; and destroys what
        all ranks have parked. Collective."""
        mine, error = None, None
        try:
            mine = check()
        except BaseException as raised:  # noqa: BLE001, other ranks must hear of any
            error = raised
        while self.parked:
            number, native = self.parked.popleft()
            self._waiting[number] = native
        code = None if error is None else error.code if isinstance(error, Error) else 0
        said = self.comm.allgather((code, str(error), tuple(self._waiting)))
        for number in sorted(set.intersection(*(set(rank[2]) for rank in said)), reverse=True):
            self._waiting.pop(number).destroy()
        if error is not None:
            raise error
        for rank, (code, text, _) in enumerate(said):
            if code is not None:
                raise_as(rank, code, text)
        return mine  # type: ignore[return-value]

    def make(self, make: Callable[[], Any], what: str) -> Handle:
        """A handle of what the library makes. Collective, and so is make(), whose errors all ranks raise."""
        self.agree()
        return Handle(self, make(), what)

    def together(self, call: Callable[[], Made], callbacks: Sequence[Noting] = ()) -> Made:
        """A Collective call, perhaps one that calls back to Python: an exception there, which ends the call on all
        ranks, and an interrupt, which may come after all ranks were asked for the last time, are raised on all ranks."""
        error, result = None, None
        for callback in callbacks:
            callback.has_raised = False
        try:
            result = call()
        except BaseException as raised:
            from_callback = any(callback.has_raised for callback in callbacks)
            if isinstance(raised, Error) and not from_callback:
                raise  # by the library, on all ranks
            error = raised
        said = self.comm.allgather(None if error is None else (type(error).__name__, str(error)))
        if error is not None:
            raise error
        for rank, other in enumerate(said):
            if other is not None and other[0] == "KeyboardInterrupt":
                raise KeyboardInterrupt(f"rank {rank} was interrupted")
            if other is not None:
                raise OtherRankError(f"rank {rank} raised {other[0]}: {other[1]}")
        return result  # type: ignore[return-value]


class Noting:
    """A function of the caller's that the library calls, and whether it has raised; None: one that goes on, since Python raises
    an interrupt only when it is called. It must not refer to what the library holds
    it for: Python's garbage collection does not see through C++."""

    def __init__(self, function: Callable[..., Any] | None):
        self.function = (lambda *_: False) if function is None else function
        self.has_raised = False

    def __call__(self, *arguments: Any) -> bool:
        self.has_raised = True  # unless it returns
        stop = bool(self.function(*arguments))
        self.has_raised = False
        return stop


def raise_as(rank: int, code: int, text: str) -> None:
    """The error of another rank. Code 0: not one of the library's."""
    if code == 0:
        raise OtherRankError(f"rank {rank}: {text}")
    raise extension.make_error(code, f"rank {rank}: {text}")


_handles: weakref.WeakSet[Handle] = weakref.WeakSet()
_contexts: weakref.WeakSet[Context] = weakref.WeakSet()
_of_communicator = MPI.Comm.Create_keyval()


def context_of(comm: Any, named: dict[str, Any]) -> tuple[Context, dict[str, Any]]:
    """The context of a communicator, or a Context itself, and the options that are not the context's. It
    lives as long as the communicator. Collective."""
    if isinstance(comm, Context):
        return comm, named
    place = {name: named[name] for name in PLACE_OPTIONS if name in named}
    others = {name: value for name, value in named.items() if name not in place}
    comm = MPI.COMM_WORLD if comm is None else comm
    known = comm.Get_attr(_of_communicator)
    if known is None:
        known = {}
        comm.Set_attr(_of_communicator, known)
    text = options_of(place).text()
    if text not in known:
        known[text] = Context(comm, **place)
    return known[text], others


@atexit.register
def _keep_until_the_end() -> None:
    """When Python ends, ranks no longer agree on anything: what is left is not destroyed."""
    left = [handle._native for handle in list(_handles) if not handle.closed]
    for context in list(_contexts):
        left += [
            context.native,
            *context._waiting.values(),
            *(native for _, native in context.parked),
        ]
    for native in left:
        extension.keep_for_ever(native)
