"""
What a scripted service is made of: the requests recorded, the steps of an answer, and the script.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

Ending = Literal["open", "answered", "refused", "cut", "client_left", "faulted"]
"""
`cut` was cut by the script. `client_left`: the connection was closed before the answer was whole,
by the client, or by the server as it stopped.
"""


@dataclass
class Recorded:
    """A request as it arrived; header names are lower case, `arrived_s` is monotonic."""

    n: int
    method: str
    path: str
    headers: dict[str, str]
    body_bytes: int
    body: Any
    """The JSON document, None where there is none or it does not parse."""
    connection: int
    """Number of the connection that it came on: equal ones share a kept-alive connection."""
    arrived_s: float
    ending: Ending = "open"


@dataclass(frozen=True)
class Head:
    """Status line and headers; the body is chunked unless its length is given."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body_bytes: int | None = None


@dataclass(frozen=True)
class Pause:
    """Nothing for a while."""

    seconds: float


@dataclass(frozen=True)
class Hang:
    """Nothing more until somebody closes the connection, but `beat` every so often."""

    beat: bytes = b""
    every_s: float = 0.05


@dataclass(frozen=True)
class Close:
    """The connection ends here, with a FIN or a RST, whatever is still owed."""

    reset: bool = False


Step = Head | bytes | Pause | Hang | Close


class Refused(Exception):
    """The service does not take this request; `steps` say so to the client."""

    def __init__(self, kind: str, message: str, steps: Iterable[Step]) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.steps = steps


class ScriptFault(Exception):
    """The test's script has no answer to this request, or one that cannot be given."""


R = TypeVar("R")
R_contra = TypeVar("R_contra", contravariant=True)


class Speaker(Protocol[R_contra]):
    """A vendor's wire format."""

    max_body_bytes: int

    def check(self, request: Recorded) -> Iterable[Step] | None:
        """What is answered without the script, None where the script answers. Raises Refused."""

    def answer(self, reply: R_contra, request: Recorded) -> Iterable[Step]:
        """The steps of a reply. Raises ScriptFault where it cannot be put so."""

    def fault(self, message: str) -> Iterable[Step]:
        """How the service says that it is broken inside."""


@dataclass(frozen=True)
class Repeat(Generic[R]):
    """The same reply again, for ever or so many times."""

    reply: R | Callable[[Recorded], R]
    times: int | None = None


class Script(Generic[R]):
    """Replies in order, each to one request, whichever connection it comes on."""

    def __init__(self, replies: Sequence[R | Callable[[Recorded], R] | Repeat[R]]) -> None:
        self._replies: list[Repeat[R]] = [
            one if isinstance(one, Repeat) else Repeat(one, 1) for one in replies
        ]
        self._at = 0
        self._served = 0
        self._lock = threading.Lock()

    def take(self, request: Recorded) -> R:
        """The next reply. Raises ScriptFault beyond the end."""
        with self._lock:
            if self._at == len(self._replies):
                raise ScriptFault(f"request {request.n} is beyond the script's end")
            here = self._replies[self._at]
            self._served += 1
            if here.times is not None and self._served >= here.times:
                self._at, self._served = self._at + 1, 0
        return here.reply(request) if callable(here.reply) else here.reply

    def unused(self) -> int:
        """How many replies nobody asked for; one that repeats for ever counts once."""
        left = self._replies[self._at :]
        owed = sum(one.times or 1 for one in left)
        return max(0, owed - self._served)


@dataclass
class Book:
    """What has happened so far, for the test to look at."""

    requests: list[Recorded] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    log: Path | None = None
    changed: threading.Condition = field(default_factory=threading.Condition)
    _answering: int = 0

    def enter(self, **fields: Any) -> Recorded:
        """A request arrived; it is in the log before it is answered."""
        with self.changed:
            request = Recorded(n=len(self.requests), arrived_s=time.monotonic(), **fields)
            self.requests.append(request)
            self._answering += 1
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(asdict(request), ensure_ascii=True) + "\n")
            self.changed.notify_all()
        return request

    def end(self, request: Recorded, ending: Ending) -> None:
        """How the request ended."""
        with self.changed:
            request.ending = ending
            self._answering -= 1
            self.changed.notify_all()

    def settle(self, timeout_s: float = 5) -> None:
        """Returns when no request is being answered: a client may know its end before this does."""
        with self.changed:
            self.changed.wait_for(lambda: self._answering == 0, timeout_s)

    def add_fault(self, message: str) -> None:
        """Something that the test must hear of."""
        with self.changed:
            self.faults.append(message)
