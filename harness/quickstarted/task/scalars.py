"""
The kinds of value that a task file has: text, commands, durations, sizes, hosts.

Each is an annotated type with its JSON Schema beside it, so that the model and the published
schema accept the same documents. Validators raise `ValueError`; `problems` adds the position.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema

from quickstarted.task import hosts
from quickstarted.task.source import quoted
from quickstarted_proxy import paths

SLUG = r"^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$"
TASK_NAME = r"^(?!\.|(results\.json|suite\.md|call\.json)(\.[0-9]+)?$)[A-Za-z0-9._-]{1,100}$"
"""It is a folder's name beside files that have these names, and hidden folders hold no results."""
VARIABLE = r"^(?!QS_)[A-Za-z_][A-Za-z0-9_]*$"
HEADER_VALUE = r"^\$([A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})$"
DURATION = r"^[0-9]{1,9}(\.[0-9]{1,9})?\s*(ms|s|m|h)$"
SIZE = r"^[0-9]{1,15}(\.[0-9]{1,9})?\s*([bB]|[kKmMgGtT]([iI]?[bB])?)$"
MIN_MEMORY_BYTES = 6 * 1024**2
"""Docker refuses to run with less."""

OWN_HEADERS = (
    "accept",
    "accept-charset",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
)
"""Names of headers that no task may set: requests would mean something else, or be cut."""

_FIELD_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}"  # RFC 9110, 5.6.2
_NOT_BLANK = r"\S"
_URL_START = r"^[Hh][Tt][Tt][Pp][Ss]?://"
_WRITTEN = ["string", "number", "boolean"]
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_UNIT_BYTES = {"b": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def as_written(value: Any) -> Any:
    """
    Take a number or a truth value as the text that stands in the file: `3.10` is not `3.1`.

    Other values come back as they are.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(getattr(value, "text", value))
    return value


def as_text(value: Any) -> str:
    """
    Take text only.

    Raises:
        ValueError: *value* is something else.

    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected text")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


def _slug(value: str) -> str:
    if not re.fullmatch(SLUG, value):
        raise ValueError(
            f'expected letters, digits, ".", "_" and "-" (at most 100), got {quoted(value)}'
        )
    return value


def _task_name(value: str) -> str:
    if re.fullmatch(SLUG, value) and not re.fullmatch(TASK_NAME, value):
        raise ValueError(
            f"names the results folder, in which {quoted(value)} is hidden or another file's name"
        )
    return _slug(value)


def _variable(value: str) -> str:
    if not re.fullmatch(VARIABLE, value):
        raise ValueError(
            "a variable's name has letters, digits and _ and does not start with a digit or QS_"
        )
    return value


def _header_value(value: str) -> str:
    if not re.fullmatch(HEADER_VALUE, value):
        raise ValueError("expected $NAME, a variable of the caller's environment: no values here")
    return value


def _header_name(value: str) -> str:
    if not re.fullmatch(_FIELD_NAME, value):
        raise ValueError("is not the name of a header: letters, digits and `-` make one")
    if value.lower() in OWN_HEADERS:
        raise ValueError(f"{value} is set by read_docs itself")
    return value


def _pattern(value: str) -> str:
    """One line: the check's helpers compare line by line, and an empty pattern fits everything."""
    if not value:
        raise ValueError("an empty pattern fits everything")
    if "\n" in value or "\r" in value:
        raise ValueError("a pattern has one line: give several under `contains`, or use `script`")
    return value


def _seconds(value: Any) -> Any:
    if isinstance(value, str):
        match = re.fullmatch(r"([0-9.]+)\s*([a-z]+)", value) if _fits(DURATION, value) else None
        if match is None:
            raise ValueError(f'expected seconds, such as 90 or "2m", got {quoted(value)}')
        return float(match[1]) * _UNIT_SECONDS[match[2]]
    return value


def _bytes(value: Any) -> Any:
    if isinstance(value, str):
        if not _fits(SIZE, value):
            raise ValueError(f"expected a size, such as 512m or 4g, got {quoted(value)}")
        number, unit = re.fullmatch(r"([0-9.]+)\s*([a-z]).*", value.lower()).groups()  # type: ignore[union-attr]
        return int(float(number) * _UNIT_BYTES[unit])
    if isinstance(value, int) and not isinstance(value, bool) and value < MIN_MEMORY_BYTES:
        raise ValueError(f"expected a size with its unit, such as 512m or 4g, got {value}")
    return value


def _in_any_case(name: str) -> str:
    """A pattern, since those of JSON Schema have no flags."""
    return "".join(f"[{char.upper()}{char}]" if char.isalpha() else char for char in name)


def _fits(pattern: str, value: str) -> bool:
    return re.fullmatch(pattern, value) is not None


def _data_size(value: Any) -> Any:
    if isinstance(value, str):
        return _bytes(value)
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        raise ValueError(f"expected a size with its unit, such as 200m or 1g, got {value}")
    return value


def _path_pattern(value: str) -> str:
    return paths.checked_pattern(value)


def _enough_memory(value: int) -> int:
    if value < MIN_MEMORY_BYTES:
        raise ValueError(f"must be at least 6m, got {value} bytes")
    return value


def _word(value: str) -> str:
    if not re.fullmatch(r"[^\s-]\S*", value):
        raise ValueError(f"expected one word, got {quoted(value)}")
    return value


Text = Annotated[str, AfterValidator(_not_blank), Field(json_schema_extra={"pattern": _NOT_BLANK})]
"""Text that must be a string: a number or a truth value is an error that says to quote it."""

Written = Annotated[str, BeforeValidator(as_written), WithJsonSchema({"type": _WRITTEN})]
"""Text for which plain numbers and truth values stand too, as they are written."""

Command = Annotated[
    str,
    BeforeValidator(as_written),
    AfterValidator(_not_blank),
    WithJsonSchema({"type": _WRITTEN, "pattern": _NOT_BLANK}),
]
"""A shell command; plain `true` is one."""

Word = Annotated[
    str,
    BeforeValidator(as_written),
    AfterValidator(_word),
    WithJsonSchema({"type": _WRITTEN, "pattern": r"^[^\s-]\S*$"}),
]

Slug = Annotated[
    str,
    BeforeValidator(as_written),
    AfterValidator(_slug),
    WithJsonSchema({"type": _WRITTEN, "pattern": SLUG}),
]
TaskName = Annotated[
    str,
    BeforeValidator(as_written),
    AfterValidator(_task_name),
    WithJsonSchema({"type": _WRITTEN, "pattern": TASK_NAME}),
]
"""A word that can name a folder of results."""

Pattern = Annotated[
    str,
    BeforeValidator(as_written),
    AfterValidator(_pattern),
    WithJsonSchema({"type": _WRITTEN, "pattern": r"^[^\r\n]+$"}),
]

Variable = Annotated[str, AfterValidator(_variable), Field(json_schema_extra={"pattern": VARIABLE})]

HeaderName = Annotated[
    str,
    AfterValidator(_header_name),
    Field(
        json_schema_extra={
            "pattern": f"^(?!({'|'.join(map(_in_any_case, OWN_HEADERS))})$){_FIELD_NAME}$"
        }
    ),
]

HeaderValue = Annotated[
    str, AfterValidator(_header_value), Field(json_schema_extra={"pattern": HEADER_VALUE})
]

Seconds = Annotated[
    float,
    BeforeValidator(_seconds),
    Strict(),
    Field(gt=0, allow_inf_nan=False),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": DURATION},
            ]
        }
    ),
]

BYTE_SIZE_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "integer", "minimum": MIN_MEMORY_BYTES},
        {"type": "string", "pattern": SIZE},
    ]
}
ByteSize = Annotated[
    int,
    BeforeValidator(_bytes),
    Strict(),
    AfterValidator(_enough_memory),
    WithJsonSchema(BYTE_SIZE_SCHEMA),
]

DATA_SIZE_SCHEMA: dict[str, Any] = {
    "anyOf": [{"const": 0}, {"type": "string", "pattern": SIZE}],
}
DataSize = Annotated[
    int, BeforeValidator(_data_size), Strict(), Field(ge=0), WithJsonSchema(DATA_SIZE_SCHEMA)
]
"""An amount of data, as a size with its unit; plain 0 is none at all."""

Count = Annotated[int, Strict(), Field(ge=1)]
"""A whole number from 1."""

Limit = Annotated[int, Strict(), Field(ge=0)]
"""A whole number; 0 means no limit."""

Host = Annotated[
    str,
    AfterValidator(hosts.host_name),
    Field(json_schema_extra={"pattern": r"^[^\s/@:*]+$"}),
]
DomainName = Annotated[
    str,
    AfterValidator(hosts.domain_name),
    Field(json_schema_extra={"pattern": r"^[^\s/@:*]+$"}),
]
PathPattern = Annotated[
    str,
    AfterValidator(_path_pattern),
    Field(json_schema_extra={"pattern": r"^/[^?#%]*$"}),
]
PageUrl = Annotated[
    str, AfterValidator(hosts.page_url), Field(json_schema_extra={"pattern": _URL_START})
]
UrlPrefix = Annotated[
    str, AfterValidator(hosts.url_prefix), Field(json_schema_extra={"pattern": _URL_START})
]
