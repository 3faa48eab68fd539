"""Bodies pass through and are never kept."""

from __future__ import annotations

import socket
import ssl

from sidecar_process import PROXY, open_tunnel, over_tls, read_head

SIZE = 200 * 2**20


def read_exactly(sock, size):
    buffer = bytearray(2**20)
    left = size
    while left:
        got = sock.recv_into(buffer, min(left, len(buffer)))
        if not got:
            break
        left -= got
    return size - left


def test_a_download_of_200_mb_leaves_memory_flat(sidecar):
    before = sidecar.resident_kib()
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        tls.sendall(f"GET /big?n={SIZE} HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode())
        read_head(tls)
        assert SIZE == read_exactly(tls, SIZE)

    assert [SIZE] == [e["bytes_in"] for e in sidecar.drain_until(1)]
    assert sidecar.resident_kib("VmHWM") - before < 40 * 1024


def test_a_slow_reader_makes_the_upstream_wait(sidecar):
    before = sidecar.resident_kib()
    with socket.create_connection(PROXY) as sock:
        sock.sendall(f"GET http://ok.test/big?n={SIZE} HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode())
        read_head(sock)
        (event,) = sidecar.drain()

    assert "unfinished" == event["detail"]
    assert event["bytes_in"] < SIZE // 4
    assert sidecar.resident_kib() - before < 40 * 1024


def test_an_upload_of_200_mb_leaves_memory_flat(sidecar):
    before = sidecar.resident_kib()
    with socket.create_connection(PROXY) as sock:
        sock.sendall(
            b"POST http://ok.test/up HTTP/1.1\r\nHost: ok.test\r\nContent-Length: %d\r\n\r\n" % SIZE
        )
        for _ in range(SIZE // 2**20):
            sock.sendall(b"u" * 2**20)
        head = read_head(sock)

    assert head.startswith(b"HTTP/1.1 200 ")
    assert [SIZE] == [e["bytes_out"] for e in sidecar.drain_until(1)]
    assert sidecar.resident_kib("VmHWM") - before < 60 * 1024


def test_two_hundred_stalled_downloads_fit_into_the_container(own_sidecar, tls_origin):
    context = ssl.create_default_context(cadata=own_sidecar.ready_report["ca_pem"])
    held = []
    for _ in range(200):
        sock = socket.create_connection((own_sidecar.listen, 8080), timeout=30)
        sock.sendall(b"CONNECT ok.test:443 HTTP/1.1\r\nHost: ok.test:443\r\n\r\n")
        assert read_head(sock).startswith(b"HTTP/1.1 200 ")
        tls = context.wrap_socket(sock, server_hostname="ok.test")
        tls.sendall(b"GET /big?n=50000000 HTTP/1.1\r\nHost: ok.test\r\n\r\n")
        held.append(tls)
    for tls in held:
        assert read_head(tls).startswith(b"HTTP/1.1 200 ")
    events = own_sidecar.drain()
    resident = own_sidecar.resident_kib()
    for tls in held:
        tls.close()

    assert 200 == len(events)
    assert resident < 240 * 1024
