"""An engine's socket behind which answers are scripted; what is not in the script never comes."""

from __future__ import annotations

import json
import re
import socketserver
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

DRIP = "drip"
"""For a path: a byte now and then, without end."""
GARBAGE = "garbage"
"""For a path: a page of HTML."""
LONGEST_SILENCE_S = 60.0
VERSION = {"Version": "20.10.24", "ApiVersion": "1.41", "Os": "linux", "Arch": "amd64"}
PODMAN = {
    "ApiVersion": "1.41",
    "Arch": "amd64",
    "Components": [{"Name": "Podman Engine", "Version": "5.2.0"}, {"Name": "Conmon"}],
    "Os": "linux",
    "Version": "5.2.0",
}


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def odd_engine(path: Path, answers: Mapping[str, Any]) -> Iterator[str]:
    """
    Serve on the socket *path*; gives the DOCKER_HOST for it.

    Args:
        path: Of the socket.
        answers: Path without its version to a JSON answer, `DRIP` or `GARBAGE`.

    """
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def address_string(self) -> str:
            return "a socket has none"

        def do_GET(self) -> None:
            answer = answers.get(re.sub(r"^/v1\.\d+|\?.*", "", self.path))
            if answer is None:
                over.wait(LONGEST_SILENCE_S)
                self.close_connection = True
            elif answer == DRIP:
                self.drip()
            else:
                self.say(answer)

        def say(self, answer: Any) -> None:
            content = b"<html>hello</html>" if answer == GARBAGE else json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def drip(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            deadline = time.monotonic() + LONGEST_SILENCE_S
            while not over.wait(0.05) and time.monotonic() < deadline:
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    with _Server(str(path), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"unix://{path}"
        finally:
            over.set()
            server.shutdown()
            thread.join()
