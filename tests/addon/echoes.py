"""A server that gives back what it was sent, in every way in which a key could come with it."""

from __future__ import annotations

import base64
import gzip
import time
import zlib
from urllib.parse import quote, unquote

from origins import Handler, Origin

KEPT_BYTES = 4 * 1024 * 1024
FILLER = b"-" * 200_000


class EchoHandler(Handler):
    """Keeps bodies, and answers `/echo...` with what came in the request."""

    body = b""

    def read_body(self, sizes: dict[str, str]) -> int:
        """As the base's, and keep it if it is not too long."""
        length = int(sizes.get("content-length", 0))
        if length > KEPT_BYTES:
            return super().read_body(sizes)
        if "chunked" in sizes.get("transfer-encoding", ""):
            self.body = self.read_chunks()
        else:
            while len(self.rest) < length:
                self.read_more()
            self.body, self.rest = self.rest[:length], self.rest[length:]
        self.server.requests[-1]["body"] = self.body
        return len(self.body)

    def read_chunks(self) -> bytes:
        body = b""
        while True:
            while b"\r\n" not in self.rest:
                self.read_more()
            size, _, self.rest = self.rest.partition(b"\r\n")
            count = int(size, 16)
            while len(self.rest) < count + 2:
                self.read_more()
            body += self.rest[:count]
            self.rest = self.rest[count + 2 :]
            if not count:
                return body

    @property
    def key(self) -> str:
        """What a service would take for the key of its user."""
        sent = dict(self.server.requests[-1]["headers"])
        return sent.get("Authorization", "").removeprefix("Bearer ")

    def get_echo(self, target: str) -> bool:
        """Line, headers and body."""
        request = self.server.requests[-1]
        fields = [f"{name}: {value}" for name, value in request["headers"]]
        head = "\n".join([request["line"], *fields])
        self.reply(head.encode() + b"\n\n" + self.body + b"\n" + unquote(target).encode())
        return True

    def get_echoheader(self, _target: str) -> bool:
        self.reply(b"ok", f"X-Key: {self.key}\r\nSet-Cookie: k={quote(self.key, safe='')}\r\n")
        return True

    def get_echoredirect(self, _target: str) -> bool:
        location = f"https://other.test/?k={quote(self.key, safe='')}"
        self.reply(b"", f"Location: {location}\r\n", "302 Found")
        return True

    def get_echostatus(self, _target: str) -> bool:
        self.reply(b"no", status=f"400 bad key {self.key}")
        return True

    def get_echofault(self, _target: str) -> bool:
        """A head that cannot be read, which proxies like to quote."""
        self.request.sendall(f"HTTP/1.1 200 OK\r\n{self.key}\r\n\r\n".encode())
        return False

    def get_echoname(self, _target: str) -> bool:
        """A header whose name is not valid."""
        self.request.sendall(f"HTTP/1.1 200 OK\r\nX {self.key}: 1\r\n\r\n".encode())
        return False

    def get_echochunk(self, _target: str) -> bool:
        """A chunk size that is none."""
        head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.request.sendall(f"{head}{self.key}\r\n".encode())
        return False

    def get_echopieces(self, _target: str) -> bool:
        """Each character in a chunk of its own."""
        self.chunked(f"key={self.key}.".encode(), 1)
        return True

    def get_echogzip(self, _target: str) -> bool:
        self.chunked(gzip.compress(f"key={self.key}.".encode()), 7, "Content-Encoding: gzip\r\n")
        return True

    def get_echogzips(self, _target: str) -> bool:
        members = [f"key={self.key[:5]}", f"{self.key[5:]}."]
        body = b"".join(gzip.compress(member.encode()) for member in members)
        self.reply(body, "Content-Encoding: gzip\r\n")
        return True

    def get_echodeflate(self, _target: str) -> bool:
        self.reply(zlib.compress(f"key={self.key}.".encode()), "Content-Encoding: deflate\r\n")
        return True

    def get_echobr(self, _target: str) -> bool:
        self.reply(self.key.encode(), "Content-Encoding: br\r\n")
        return True

    def get_echobomb(self, _target: str) -> bool:
        self.reply(gzip.compress(bytes(64 << 20)), "Content-Encoding: gzip\r\n")
        return True

    def get_echotorn(self, _target: str) -> bool:
        self.reply(gzip.compress(self.key.encode())[:-12], "Content-Encoding: gzip\r\n")
        return True

    def get_echobase64(self, _target: str) -> bool:
        texts = [f"{'u' * count}:{self.key}".encode() for count in range(3)]
        plain = b" ".join(base64.b64encode(text) for text in texts)
        self.reply(plain + b" " + b" ".join(base64.urlsafe_b64encode(text) for text in texts))
        return True

    def get_echourl(self, _target: str) -> bool:
        self.reply(f"key={quote(self.key, safe='')}&key={quote(self.key)}".encode())
        return True

    def get_echobig(self, _target: str) -> bool:
        body = FILLER + self.key.encode() + FILLER
        self.reply(body, "Content-Type: application/octet-stream\r\n")
        return True

    def get_echoold(self, _target: str) -> bool:
        """HTTP/1.0: the body ends with the connection."""
        self.request.sendall(f"HTTP/1.0 200 OK\r\n\r\nkey={self.key}.".encode())
        return False

    def get_echosocket(self, target: str) -> bool:
        """Switch, greet, and send the key in as many pieces as are asked for."""
        self.request.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"\r\n\x81\x02hi"
        )
        key = self.key.encode()
        size = -(-len(key) // int(target.partition("=")[2]))
        for at in range(0, len(key), size):
            time.sleep(0.05)
            self.request.sendall(key[at : at + size])
        return False

    def get_late(self, _target: str) -> bool:
        """The key, when the test says so."""
        key = self.key
        self.server.released.wait(20)
        self.reply(key.encode())
        return False

    def chunked(self, body: bytes, size: int, extra: str = "") -> None:
        head = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{extra}\r\n"
        self.request.sendall(head.encode())
        for at in range(0, len(body), size):
            piece = body[at : at + size]
            self.request.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.request.sendall(b"0\r\n\r\n")


class EchoOrigin(Origin):
    """An origin that echoes."""

    handler = EchoHandler
