"""
A task's secrets: which placeholder stands for which value, and for which hosts.

Standard library only, shared with the harness. Texts of errors and the `repr` never hold a value.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any
from urllib.parse import quote, quote_plus

MIN_VALUE_CHARS = 8
"""A shorter one would be found everywhere by chance."""
MAX_VALUE_CHARS = 4096
MIN_PLACEHOLDER_CHARS = 32

Pairs = tuple[tuple[bytes, bytes], ...]
"""What is looked for, and what is put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One of them."""

    name: str
    """The variable that holds the placeholder in the sandbox."""
    placeholder: str
    """Letters, digits, `-` and `_`, so that no encoding of a URL, of JSON or of HTML alters it."""
    value: str = field(repr=False)
    hosts: tuple[str, ...]
    """Lower-case A-labels; each means itself, not what is below it."""

    def to_json(self) -> dict[str, Any]:
        """The form in which a secret crosses the control stream; nothing else may hold it."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Secret:
        """
        Read what `to_json` wrote.

        Raises:
            ValueError: It is no secret; the text names the part that is wrong and quotes nothing.

        """
        if set(value) != {one.name for one in fields(cls)}:
            raise ValueError(f"not a secret: its parts are {sorted(value)}")
        made = cls(
            name=str(value["name"]),
            placeholder=str(value["placeholder"]),
            value=str(value["value"]),
            hosts=tuple(str(host) for host in value["hosts"]),
        )
        if problem := value_problem(made.value):
            raise ValueError(f"the secret {made.name}: its value {problem}")
        if not is_placeholder(made.placeholder):
            raise ValueError(f"the secret {made.name}: its placeholder is none")
        return made


def is_placeholder(text: str) -> bool:
    """Whether *text* can stand for a value."""
    plain = text.replace("-", "").replace("_", "")
    return len(text) >= MIN_PLACEHOLDER_CHARS and plain.isascii() and plain.isalnum()


def value_problem(value: str) -> str:
    """What keeps *value* from being put into requests and found in answers; empty if nothing."""
    if len(value) < MIN_VALUE_CHARS:
        return f"has fewer than {MIN_VALUE_CHARS} characters: it would be found everywhere"
    if len(value) > MAX_VALUE_CHARS:
        return f"has more than {MAX_VALUE_CHARS} characters"
    if not (value.isascii() and value.isprintable()) or value != value.strip():
        return "is not one line of ASCII characters without spaces around it"
    return ""


def secrets_from_json(values: Iterable[dict[str, Any]]) -> tuple[Secret, ...]:
    """Read the `secrets` of an order; raises like `Secret.from_json`."""
    return tuple(Secret.from_json(value) for value in values)


def scrubbing(secrets: Sequence[Secret]) -> Pairs:
    """Every form of every value that is looked for, longest first, and what replaces it."""
    found: dict[bytes, bytes] = {}
    for secret in secrets:
        for form, stand_in in _both(_texts(secret.value), _texts(secret.placeholder)):
            found.setdefault(form.encode("ascii"), stand_in.encode("ascii"))
    return tuple(sorted(found.items(), key=lambda pair: len(pair[0]), reverse=True))


def keeps_length(pairs: Pairs) -> bool:
    """Whether replacing never changes how long a body is."""
    return all(len(form) == len(stand_in) for form, stand_in in pairs)


def _both(values: list[str], placeholders: list[str]) -> Iterable[tuple[str, str]]:
    return zip(values, placeholders, strict=True)


def _texts(value: str) -> list[str]:
    """
    The forms of a text, in an order that is the same for value and placeholder: as it is, in URLs,
    in JSON, in HTML, and within any Base64 (at each of its three alignments).
    """
    escaped = json.dumps(value)[1:-1]
    quoted = [quote(value, safe=""), quote(value, safe="/"), quote_plus(value), quote(value)]
    lower = [_lower_escapes(text) for text in quoted]
    inside = [base64_core(value.encode("ascii"), offset) for offset in range(3)]
    urlsafe = [text.replace("+", "-").replace("/", "_") for text in inside]
    texts = [value, *quoted, *lower, escaped, escaped.replace("/", "\\/"), html.escape(value)]
    return [*texts, *inside, *urlsafe]


def _lower_escapes(text: str) -> str:
    parts = text.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def base64_core(data: bytes, offset: int) -> str:
    """
    The Base64 characters that depend on *data* alone.

    Args:
        data: The text.
        offset: How many bytes are before it, modulo 3.

    """
    encoded = base64.b64encode(b"\0" * offset + data).decode("ascii")
    return encoded[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
