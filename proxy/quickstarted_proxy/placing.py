"""
Which requests may hold a placeholder, and what they look like with the value in its place.

Standard library only; nothing here knows of mitmproxy. A value is put into header values (also
inside Basic credentials), paths, queries and bodies of known text types, each in the form that the
place needs. Elsewhere the placeholder goes out as it is.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from quickstarted_proxy.secrets_table import Pairs, Secret, base64_core, scrubbing
from quickstarted_proxy.substitution import Replacer

Headers = tuple[tuple[bytes, bytes], ...]

_KEPT_HEADERS = frozenset({b"host", b"content-length", b"transfer-encoding", b"connection"})
_BASIC = re.compile(rb"(?i)(basic +)([A-Za-z0-9+/_=-]+) *")
_Form = Callable[[str], str]


def _quoted(value: str) -> str:
    return quote(value, safe="")


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]


def _as_it_is(value: str) -> str:
    return value


_BODY_FORMS: tuple[tuple[re.Pattern[str], _Form], ...] = (
    (re.compile(r"application/x-www-form-urlencoded"), _quoted),
    (re.compile(r"(application|text)/([\w.-]+\+)?(x-)?(nd)?json(-seq|lines)?"), _in_json),
    (re.compile(r"application/([\w.-]+\+)?xml|text/(xml|html)"), html.escape),
    (re.compile(r"multipart/form-data|text/[\w.+-]+|application/(graphql|(x-)?yaml)"), _as_it_is),
)
"""Types of bodies in which a value is put, and its form there."""


class SecretTable:
    """The secrets of one attempt; false when there are none."""

    def __init__(self, secrets: Sequence[Secret] = ()) -> None:
        self._secrets = tuple(secrets)
        self.scrubber = Replacer(scrubbing(self._secrets))
        """Puts placeholders in place of values."""
        self._seekers = {secret: _seeker(secret) for secret in self._secrets}
        self._loose = {secret: _loose(secret) for secret in self._secrets}

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def at(self, host: str) -> tuple[Secret, ...]:
        """Those whose values *host* gets."""
        return tuple(secret for secret in self._secrets if host in secret.hosts)

    def foreign(self, host: str) -> Replacer:
        """What a request to *host* may not hold: the placeholders of all others."""
        own = self.at(host)
        return Replacer(
            tuple(
                pair
                for secret, pairs in self._seekers.items()
                if secret not in own
                for pair in pairs
            )
        )

    def misplaced(self, host: str, path: bytes, headers: Headers) -> bool:
        """Whether the head of a request to *host* holds a placeholder that it may not hold."""
        own = self.at(host)
        if any(secret.placeholder.lower() in host for secret in self._secrets):
            return True
        foreign = self.foreign(host)
        texts = [path, *(part for pair in headers for part in pair)]
        loose = [self._loose[secret] for secret in self._secrets if secret not in own]
        return any(foreign.is_in(text) for text in texts) or any(
            pattern.search(path) for pattern in loose
        )

    def placed_path(self, host: str, path: bytes) -> bytes:
        """A path with its query, values in place."""
        for secret in self.at(host):
            value = _quoted(secret.value).encode("ascii")
            path = self._loose[secret].sub(lambda _, value=value: value, path)  # type: ignore[misc]
        return path

    def placed_headers(self, host: str, headers: Headers) -> Headers:
        """Headers, values in place; the same object where nothing was replaced."""
        replacer = Replacer(_pairs(self.at(host), _as_it_is))
        placed = tuple(
            (name, value if name.lower() in _KEPT_HEADERS else _placed(value, replacer))
            for name, value in headers
        )
        return headers if placed == headers else placed

    def body_pairs(self, host: str, content_type: str, content_encoding: str) -> Pairs:
        """What to replace in a body to *host*; nothing where its type is no known text."""
        if content_encoding.strip().lower() not in {"", "identity"}:
            return ()
        kind = content_type.partition(";")[0].strip().lower()
        for pattern, form in _BODY_FORMS:
            if pattern.fullmatch(kind):
                return _pairs(self.at(host), form)
        return ()

    def scrubbed(self, value: Any) -> Any:
        """A JSON value without any of the values in its texts."""
        if not self._secrets:
            return value
        return scrub_json(value, self.scrubber)


def scrub_json(value: Any, scrubber: Replacer) -> Any:
    """Replace in every text of a JSON value, names of members included."""
    if isinstance(value, str):
        return scrubber.text(value)
    if isinstance(value, dict):
        return {scrubber.text(str(k)): scrub_json(v, scrubber) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [scrub_json(item, scrubber) for item in value]
    return value


def _pairs(secrets: Iterable[Secret], form: _Form) -> Pairs:
    return tuple(
        (secret.placeholder.encode("ascii"), form(secret.value).encode("ascii"))
        for secret in secrets
    )


def _placed(value: bytes, replacer: Replacer) -> bytes:
    match = _BASIC.fullmatch(value)
    if match is None:
        return replacer.replaced(value)
    try:
        pair = base64.b64decode(match[2], altchars=b"-_" if b"-" in match[2] else None)
    except binascii.Error:
        return replacer.replaced(value)
    placed = replacer.replaced(pair)
    return value if placed == pair else match[1] + base64.b64encode(placed)


def _seeker(secret: Secret) -> Pairs:
    """The forms in which a placeholder is recognised: as it is, and inside any Base64."""
    text = secret.placeholder.encode("ascii")
    inside = [base64_core(text, offset).encode("ascii") for offset in range(3)]
    return tuple((form, b"") for form in (text, *inside))


def _loose(secret: Secret) -> re.Pattern[bytes]:
    """The placeholder in a URL, whichever of its characters are percent-encoded."""
    characters = (
        b"(?:%s|%%%s)" % (re.escape(char.encode("ascii")), _either_case(f"{ord(char):02x}"))
        for char in secret.placeholder
    )
    return re.compile(b"".join(characters))


def _either_case(digits: str) -> bytes:
    return "".join(f"[{digit.lower()}{digit.upper()}]" for digit in digits).encode("ascii")
