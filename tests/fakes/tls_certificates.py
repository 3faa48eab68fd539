"""TLS servers on loopback whose certificates are wrong in a way of their own."""

from __future__ import annotations

import contextlib
import socketserver
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Self

_AUTHORITY = ("-x509", "-days", "30", "-subj", "/CN=test authority")


def _openssl(*args: object) -> None:
    subprocess.run(["openssl", *map(str, args)], check=True, capture_output=True)


def make_authority(folder: Path) -> tuple[Path, Path]:
    """A root of its own: certificate and key."""
    certificate, key = folder / "root.pem", folder / "root.key"
    pair = ("-keyout", key, "-out", certificate)
    _openssl("req", "-newkey", "rsa:2048", "-nodes", *pair, *_AUTHORITY)
    return certificate, key


def make_leaf(
    folder: Path, authority: tuple[Path, Path] | None, name: str, *, validity: tuple[str, str]
) -> Path:
    """A certificate with its key for *name* (`DNS:x` or `IP:x`); None signs it by itself."""
    key, request, leaf = (folder / f"leaf.{kind}" for kind in ("key", "csr", "pem"))
    start, end = validity
    subject = ("-subj", "/CN=leaf", "-addext", f"subjectAltName={name}")
    _openssl(
        "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, *subject
    )
    if authority is None:
        _openssl("req", "-x509", "-key", key, "-in", request, "-days", "30", "-out", leaf)
    else:
        settings = folder / "ca.cnf"
        (folder / "index.txt").write_text("")
        settings.write_text(
            f"[ca]\ndefault_ca=d\n[d]\ndatabase={folder}/index.txt\nnew_certs_dir={folder}\n"
            "rand_serial=yes\ndefault_md=sha256\npolicy=p\ncopy_extensions=copy\n"
            "[p]\ncommonName=supplied\n"
        )
        certificate, root_key = authority
        _openssl(
            "ca", "-batch", "-config", settings, "-cert", certificate, "-keyfile", root_key,
            "-in", request, "-startdate", start, "-enddate", end, "-notext", "-out", leaf,
        )  # fmt: skip
    leaf.write_bytes(leaf.read_bytes() + key.read_bytes())
    return leaf


class TlsServer(socketserver.ThreadingTCPServer):
    """Shakes hands with *certificate*, answers one empty page."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, certificate: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)

    @property
    def url(self) -> str:
        """Of its page."""
        return f"https://127.0.0.1:{self.server_address[1]}/a"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(socketserver.BaseRequestHandler):
    server: TlsServer

    def handle(self) -> None:
        with (
            contextlib.suppress(OSError),
            self.server.context.wrap_socket(self.request, server_side=True) as client,
        ):
            client.recv(4_096)
            client.sendall(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1\r\n"
                b"connection: close\r\n\r\na"
            )
