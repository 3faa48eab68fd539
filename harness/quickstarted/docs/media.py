"""Which media types can be read as text, and what to say about those that cannot."""

from __future__ import annotations

from typing import Literal

import httpx

Kind = Literal["html", "text"]

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset(
    {
        "application/ecmascript",
        "application/graphql",
        "application/javascript",
        "application/json",
        "application/ld+json",
        "application/sql",
        "application/toml",
        "application/typescript",
        "application/x-httpd-php",
        "application/x-javascript",
        "application/x-ndjson",
        "application/x-python",
        "application/x-ruby",
        "application/x-sh",
        "application/x-shellscript",
        "application/x-tex",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    }
)
_UNKNOWN = frozenset({"", "application/octet-stream", "application/unknown", "binary/octet-stream"})
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"GIF8", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
)
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_SNIFFED_BYTES = 1024


def media_type(headers: httpx.Headers) -> str:
    """The type of an answer without parameters, in lower case; empty when none is given."""
    return str(headers.get("content-type", "")).partition(";")[0].strip().lower()


def unreadable(kind: str) -> str | None:
    """
    Say what media type *kind* is, where it is never text.

    Returns:
        Words like "a PDF document"; None where the type is text or does not tell.

    """
    family, _, name = kind.partition("/")
    if family == "text" or kind in _HTML_TYPES | _TEXT_TYPES | _UNKNOWN:
        return None
    if name.endswith(("+json", "+xml", "+yaml")) and family != "image":
        return None
    if name == "pdf":
        return "a PDF document"
    if family in {"image", "audio", "video", "font"}:
        return f"{'an' if family[0] in 'ai' else 'a'} {family} ({kind})"
    return f"a file of type {kind}"


def is_notebook(kind: str, url: str) -> bool:
    """Whether an answer says that it is a Jupyter notebook, or is named like one."""
    path = url.partition("#")[0].partition("?")[0]
    return kind == "application/x-ipynb+json" or path.lower().endswith(".ipynb")


def sniff(kind: str, body: bytes) -> Kind | str:
    """
    Decide how *body* is read.

    Args:
        kind: The declared media type, one for which `unreadable` answers None.
        body: Its bytes.

    Returns:
        `html` or `text`; other words say what it is and that it cannot be read.

    """
    for magic, words in _MAGIC:
        if body.startswith(magic):
            return words
    start = body[:_SNIFFED_BYTES]
    # HTML in UTF-16 has zeros too, but no HTML is without a tag.
    is_html = kind in _HTML_TYPES and b"<" in start
    if b"\0" in start and not start.startswith(_BOMS) and not is_html:
        return "a binary file"
    if kind in _HTML_TYPES or (kind in _UNKNOWN and _looks_like_html(body)):
        return "html"
    return "text"


def _looks_like_html(body: bytes) -> bool:
    start = body[:_SNIFFED_BYTES].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--"))
