"""
How what clients sent is written down: readable, short, and without secrets.

Standard library only. Every text that leaves here is valid Unicode without lone surrogates, so it
survives as JSON whatever bytes a client sent.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote_plus

MAX_PATH_CHARS = 2048
MAX_HOST_CHARS = 300
MAX_METHOD_CHARS = 40
_KEPT_CHARS = 1024
_REDACTED = "REDACTED"
_SECRET_WORDS = frozenset(
    {
        "accesskey",
        "accesskeyid",
        "apikey",
        "assertion",
        "auth",
        "authorization",
        "bearer",
        "clientsecret",
        "code",
        "credential",
        "credentials",
        "jwt",
        "key",
        "otp",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "pat",
        "privatekey",
        "pwd",
        "sas",
        "secret",
        "session",
        "sessionid",
        "sid",
        "sig",
        "signature",
        "token",
    }
)
_WORD_BREAK = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def printable(value: bytes | str) -> str:
    r"""Decode UTF-8; what is not valid becomes `\xNN`."""
    raw = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return raw.decode("utf-8", "backslashreplace")


def printable_host(value: str) -> str:
    """A host as it is shown in an event."""
    return printable(value)[:MAX_HOST_CHARS]


def printable_method(value: bytes | str) -> str:
    """A method as it is shown in an event."""
    return printable(value)[:MAX_METHOD_CHARS]


def printable_path(value: bytes) -> str:
    """
    A path with its query as it is shown in an event: secrets replaced, then cut.

    What is cut leaves the SHA-256 and the size of the whole, both taken after secrets were
    replaced: a digest of the original would let a short secret be guessed.
    """
    text = redact_query(printable(value))
    if len(text) <= MAX_PATH_CHARS:
        return text
    whole = text.encode("utf-8")
    digest = hashlib.sha256(whole).hexdigest()
    return f"{text[:_KEPT_CHARS]}...[{len(whole)} bytes, sha256:{digest}]"


def redact_query(path: str) -> str:
    """Replace the values of query parameters whose names speak of secrets."""
    head, mark, query = path.partition("?")
    if not mark:
        return path
    return head + mark + re.sub(r"[^&;#]+", _redact_parameter, query)


def _redact_parameter(match: re.Match[str]) -> str:
    name, equals, value = match[0].partition("=")
    return f"{name}={_REDACTED}" if equals and value and _is_secret(name) else match[0]


def _is_secret(name: str) -> bool:
    words = [word.lower() for word in _WORD_BREAK.split(unquote_plus(name)) if word]
    return any(word in _SECRET_WORDS for word in words) or "".join(words) in _SECRET_WORDS
