"""
A model vendor's HTTP service that answers from a script: connections, recording and faults.

What the bytes mean is the business of a `Speaker`, one for each vendor. This part accepts
connections on 127.0.0.1, keeps them alive, records every request, takes the next reply from the
script and plays its steps, down to a connection that is reset or never answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, Self

from fakes.scripted_http_connections import Server
from fakes.scripted_http_steps import (
    Book,
    Ending,
    R,
    Recorded,
    Refused,
    Repeat,
    Script,
    Speaker,
    Step,
)


class ScriptedServer(Generic[R]):
    """Serves a script on loopback within `with`; `base_url` is where."""

    def __init__(
        self,
        script: Sequence[R | Callable[[Recorded], R] | Repeat[R]],
        speaker: Speaker[R],
        *,
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        self.script = Script(script)
        self.speaker = speaker
        self.book = Book(log=log)
        self._server = Server(self, port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()
        self.book.settle()

    @property
    def requests(self) -> list[Recorded]:
        """All requests so far, in order of arrival, also those that were refused."""
        return self.book.requests

    def wait_for(self, count: int, *, ending: Ending | None = None, timeout_s: float = 30) -> None:
        """Returns when so many requests have arrived (or ended so). Raises TimeoutError."""

        def enough() -> bool:
            return count <= sum(ending in (None, one.ending) for one in self.requests)

        with self.book.changed:
            if not self.book.changed.wait_for(enough, timeout_s):
                endings = [one.ending for one in self.requests]
                raise TimeoutError(f"waited for {count} requests ({ending}), got {endings}")

    def assert_done(self, *, refused: Sequence[str] = ()) -> None:
        """
        Raises AssertionError unless the script was used up and nothing was asked beyond it.

        `refused` names the types of the errors with which requests were rightly refused.
        """
        wrong = list(self.book.faults)
        if [one.kind for one in self.book.refused] != list(refused):
            told = [str(one) for one in self.book.refused]
            wrong.append(f"refused: {told}, expected: {list(refused)}")
        if self.script.unused():
            wrong.append(f"{self.script.unused()} replies were not asked for")
        if wrong:
            raise AssertionError("\n".join(wrong))

    def decide(self, request: Recorded) -> tuple[Iterable[Step], Ending]:
        """What a request gets, and how it ends if the client takes all of it."""
        try:
            steps = self.speaker.check(request)
            if steps is None:
                steps = self.speaker.answer(self.script.take(request), request)
        except Refused as refused:
            self.book.refused.append(refused)
            return refused.steps, "refused"
        except Exception as fault:  # noqa: BLE001 - a script's own function may raise anything
            message = f"the test's script: {type(fault).__name__}: {fault}"
            self.book.add_fault(message)
            return self.speaker.fault(message), "faulted"
        return steps, "answered"
