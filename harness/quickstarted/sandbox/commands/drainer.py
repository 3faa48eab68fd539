"""One background thread that reads what nobody waits for: late output, logs of services."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable
from queue import SimpleQueue

from quickstarted.errors import AttemptFault
from quickstarted.sandbox.commands.host import Stream

Sink = Callable[[bytes], None]
"""Called in the thread with each chunk, and with b"" at the end of the stream."""


class Drainer:
    """Takes over streams until they end; started at the first one."""

    def __init__(self) -> None:
        self._new: SimpleQueue[tuple[Stream, Sink] | None] = SimpleQueue()
        self._bell, self._ear = socket.socketpair()
        self._thread = threading.Thread(target=self._work, name="sandbox-drainer", daemon=True)
        self._started = False

    def take(self, stream: Stream, sink: Sink) -> None:
        """Read *stream* from now on; it is closed at its end."""
        self._new.put((stream, sink))
        if not self._started:
            self._started = True
            self._thread.start()
        self._bell.send(b"x")

    def close(self) -> None:
        """Close every stream and end the thread."""
        if self._started:
            self._new.put(None)
            self._bell.send(b"x")
            self._thread.join(timeout=5)
        self._bell.close()
        self._ear.close()

    def _work(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._ear, selectors.EVENT_READ)
            while self._turn(selector):
                pass
            for key in list(selector.get_map().values()):
                if key.data is not None:
                    key.data[0].close()

    def _turn(self, selector: selectors.BaseSelector) -> bool:
        for key, _ in selector.select():
            if key.data is not None:
                _drain(selector, *key.data)
                continue
            self._ear.recv(4096)
            while not self._new.empty():
                item = self._new.get()
                if item is None:
                    return False
                selector.register(item[0], selectors.EVENT_READ, item)
                _drain(selector, *item)
        return True


def _drain(selector: selectors.BaseSelector, stream: Stream, sink: Sink) -> None:
    """Read what is there now."""
    try:
        while (data := stream.read(0)) is not None:
            sink(data)
            if not data:
                break
        else:
            return
    except AttemptFault:
        sink(b"")
    selector.unregister(stream)
    stream.close()
