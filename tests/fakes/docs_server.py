"""
A documentation host on loopback: real sockets, answers by path, every request remembered.

An answer is `(status, headers, body)`, or a function of the connection's file that writes bytes
itself, for servers that drip, lie or never end.
"""

import socketserver
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import BinaryIO

Answer = tuple[int, dict[str, str], bytes] | Callable[[BinaryIO], None]


def page(body: str, status: int = 200, **headers: str) -> Answer:
    """A page of HTML."""
    return status, {"content-type": "text/html; charset=utf-8", **headers}, body.encode()


def redirect(location: str, status: int = 302) -> Answer:
    """A redirect."""
    return status, {"location": location}, b""


class _Handler(socketserver.StreamRequestHandler):
    server: "DocsServer"

    def handle(self):
        line = self.rfile.readline().decode("latin-1").split()
        if len(line) < 2:
            return
        headers = {}
        while header := self.rfile.readline().strip().decode("latin-1"):
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        self.server.requests.append((line[1], headers))
        answer = self.server.next_answer(line[1])
        try:
            if callable(answer):
                answer(self.wfile)
            else:
                self._write(*answer)
        except (BrokenPipeError, ConnectionResetError):
            self.server.hung_up.set()

    def _write(self, status, headers, body):
        phrase = HTTPStatus(status).phrase
        lines = [f"HTTP/1.1 {status} {phrase}", "connection: close", f"content-length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


class DocsServer(socketserver.ThreadingTCPServer):
    """Serves *answers* on 127.0.0.1 while its `with` block lasts; unknown paths are 404."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, answers: dict[str, Answer | list[Answer]]):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.hung_up = threading.Event()

    def next_answer(self, path: str) -> Answer:
        """A list of answers is given one by one, the last one again and again."""
        answer = self.answers.get(path, page("<p>no such page</p>", 404))
        if isinstance(answer, list):
            return answer.pop(0) if len(answer) > 1 else answer[0]
        return answer

    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [path for path, _ in self.requests]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The URL of *path* here."""
        return f"http://{host}:{self.server_address[1]}{path}"

    def __enter__(self):
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
        self._thread.join()


class NegotiatingServer(DocsServer):
    """Gives who names Markdown first the *markdown* of a path, as sites made for agents do."""

    def __init__(self, answers: dict[str, Answer | list[Answer]], markdown: dict[str, str]):
        super().__init__(answers)
        self.markdown = markdown

    def next_answer(self, path: str) -> Answer:
        """By what the request that came last accepts; one reader at a time."""
        accept = self.requests[-1][1].get("accept", "")
        if path in self.markdown and accept.startswith("text/markdown"):
            headers = {"content-type": "text/markdown; charset=utf-8", "vary": "accept"}
            return 200, headers, self.markdown[path].encode()
        return super().next_answer(path)
