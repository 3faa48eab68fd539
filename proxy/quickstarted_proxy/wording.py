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
_PATH_WORDS = frozenset(
    {"accesstoken", "apikey", "otp", "passphrase", "password", "secret", "secrets", "token"}
)
"""Segments of a path after which a key may follow."""
_KEY_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|gh[a-z]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{50,}|hf_[A-Za-z0-9]{20,}"
    r"|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|bot[0-9]{6,}:[\w-]{30,})"
)
"""Keys of well-known services, and JSON Web Tokens, wherever in a path they stand."""
_USERINFO = re.compile(r"(?<=//)[^/?#@\s]*@")
_WORD_BREAK = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def printable(value: bytes | str) -> str:
    r"""Decode UTF-8; what is not valid becomes `\xNN`."""
    raw = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return raw.decode("utf-8", "backslashreplace")


def printable_host(value: str) -> str:
    """A host as it is shown in an event, without what may stand before it as user and password."""
    text = printable(value)
    host = text.rpartition("@")[2]
    return (text if host == text else f"{_REDACTED}@{host}")[:MAX_HOST_CHARS]


def printable_method(value: bytes | str) -> str:
    """A method as it is shown in an event."""
    return printable(value)[:MAX_METHOD_CHARS]


def printable_path(value: bytes) -> str:
    """
    A path with its query as it is shown in an event: secrets replaced, then cut.

    What is cut leaves the SHA-256 and the size of the whole, both taken after secrets were
    replaced: a digest of the original would let a short secret be guessed.
    """
    text = redact(printable(value))
    if len(text) <= MAX_PATH_CHARS:
        return text
    whole = text.encode("utf-8")
    digest = hashlib.sha256(whole).hexdigest()
    return f"{text[:_KEPT_CHARS]}...[{len(whole)} bytes, sha256:{digest}]"


def redact(path: str) -> str:
    """Replace what looks like a secret in a path with its query."""
    head, mark, query = redact_query(path).partition("?")
    whole = _redact_segments(head) + mark + query
    return _KEY_SHAPES.sub(_REDACTED, _USERINFO.sub(f"{_REDACTED}@", whole))


def _redact_segments(path: str) -> str:
    segments = path.split("/")
    for at in range(1, len(segments)):
        words = "".join(_WORD_BREAK.split(segments[at - 1])).lower()
        if words in _PATH_WORDS and _may_be_key(segments[at]):
            segments[at] = _REDACTED
    return "/".join(segments)


def _may_be_key(segment: str) -> bool:
    """Whether it is no word of a path: long, or of some length and with digits."""
    return len(segment) >= 24 or (len(segment) >= 8 and any(char.isdigit() for char in segment))


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
