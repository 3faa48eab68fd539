"""
TLS records of connections that mitmproxy has set up, read and written without a copy for each.

pyOpenSSL hands out a new object for each record, and mitmproxy joins them; for large bodies that
costs more than the ciphers do. The functions of OpenSSL are called on buffers that all connections
share instead: nothing here keeps anything between two calls, and one thread does it all.
"""

from __future__ import annotations

from typing import Any

from OpenSSL import SSL

from quickstarted_proxy import trimmed

_lib: Any = SSL._lib  # noqa: SLF001 (no public way to the buffers)
_ffi: Any = SSL._ffi  # noqa: SLF001 (as above)

RECORD_BYTES = 16 * 1024
"""The most that one TLS record holds (RFC 8446, section 5.1)."""
_OVERHEAD_BYTES = 256
"""More than one record adds, header and tag together."""
_RECORDS = trimmed.MAX_PIECE_BYTES // RECORD_BYTES + 1

received = bytearray(trimmed.MAX_PIECE_BYTES)
"""What a socket is read into."""
_received: Any = _ffi.from_buffer(received)
opened = bytearray(_RECORDS * RECORD_BYTES)
"""What was decrypted last."""
_opened: Any = _ffi.from_buffer(opened)
_sealed = bytearray(_RECORDS * (RECORD_BYTES + _OVERHEAD_BYTES))
_sealed_at: Any = _ffi.from_buffer(_sealed)


class Ended(Exception):
    """The peer has ended TLS, or broken it; mitmproxy's layer finds the same when it reads."""


def hand_over(tls: Any, data: memoryview) -> None:
    """Give received bytes to a connection, to be decrypted."""
    size = len(data)
    if _lib.BIO_write(tls._into_ssl, _ffi.from_buffer(data), size) != size:  # noqa: SLF001
        raise MemoryError("OpenSSL does not take what was received")


def decrypt(tls: Any, limit: int) -> int:
    """
    Decrypt into `opened` what has been handed over, *limit* bytes at most.

    Returns:
        The number of bytes; fewer than *limit* when nothing more is complete.

    Raises:
        Ended: There was nothing, and nothing more will come.

    """
    ssl, size = tls._ssl, 0  # noqa: SLF001 (as above)
    limit = min(limit, len(opened))
    while size < limit:
        got = _lib.SSL_read(ssl, _opened + size, limit - size)
        if got <= 0:
            _check(tls, got, size)
            break
        size += got
    return size


def _check(tls: Any, result: int, size: int) -> None:
    try:
        tls._raise_ssl_error(tls._ssl, result)  # noqa: SLF001 (as above)
    except SSL.WantReadError:
        return
    except SSL.Error as exc:
        if not size:
            raise Ended(str(exc)) from exc


def encrypt(tls: Any, data: memoryview) -> bytes:
    """
    Encrypt *data*, as long as `opened` at most; the records to be sent.

    Raises:
        OSError: The connection takes nothing more.

    """
    ssl, bio, at = tls._ssl, tls._from_ssl, _ffi.from_buffer(data)  # noqa: SLF001 (as above)
    done, sealed, size = 0, 0, len(data)
    while done < size:
        wrote = _lib.SSL_write(ssl, at + done, min(size - done, RECORD_BYTES))
        if wrote <= 0:
            _lib.ERR_clear_error()
            raise OSError("TLS towards the client is broken")
        done += wrote
        sealed += _lib.BIO_read(bio, _sealed_at + sealed, len(_sealed) - sealed)
    return bytes(memoryview(_sealed)[:sealed])


def own_records(tls: Any) -> bytes:
    """What a connection itself has to say, such as the answer to a change of keys."""
    size = _lib.BIO_read(tls._from_ssl, _sealed_at, len(_sealed))  # noqa: SLF001 (as above)
    return bytes(memoryview(_sealed)[:size]) if size > 0 else b""
