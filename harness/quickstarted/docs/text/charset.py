"""
Bytes to characters: the byte order mark decides, then the header, then the page's meta element.

What is declared is checked against the bytes, since a page in the wrong character set misleads its
readers: what is UTF-8 throughout is read as that, and what is declared so but has not one character
of it is read as windows-1252.

Labels are read as browsers read them (WHATWG Encoding): `latin1` and `ascii` mean windows-1252.
Only character sets of the web are accepted, since Python also knows codecs that are none.
"""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_AS_BROWSERS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-16-le",
}
_WEB_CODECS = frozenset(
    {
        "big5", "big5hkscs", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256",
        "cp1257", "cp1258", "cp866", "cp874", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp",
        "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "iso8859-2",
        "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "koi8-r",
        "koi8-u", "mac-cyrillic", "mac-roman", "utf-16-be", "utf-16-le", "utf-8",
    }
)  # fmt: skip
_WIDE = frozenset({"utf-16-le", "utf-16-be"})
_UTF8_CHARACTER = re.compile(rb"[\xc3-\xf4][\x80-\xbf]{1,3}")
_ENOUGH = {"cp1252": 1, "iso8859-15": 1}
"""UTF-8 characters that tell in a body that is declared to be something else."""
_CHECKED_BYTES = 200_000
_REPLACEMENT = "\ufffd"
_PRESCAN_BYTES = 4096
_META = re.compile(
    rb"<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{2,40})", re.IGNORECASE
)
_XML = re.compile(
    rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.+-]{2,40})", re.IGNORECASE
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{2,40})", re.IGNORECASE)


def decode(body: bytes, content_type: str, *, is_html: bool) -> str:
    """
    Turn *body* into text without raising, whatever it holds.

    Args:
        body: The bytes of a page.
        content_type: The `Content-Type` header, parameters included; may be empty.
        is_html: Whether a meta element in the body may name the character set.

    Returns:
        The text without its byte order mark; bytes that fit no character become U+FFFD.

    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, errors="replace")
    declared = _header_codec(content_type) or (_meta_codec(body) if is_html else None)
    if declared in _WIDE:
        return body.decode(declared, errors="replace")
    return body.decode(_codec_of(body, declared), errors="replace")


def broken_characters(body: bytes, text: str) -> int:
    """How many places of *body* fit no character of the set that it was read in as *text*."""
    return max(0, text.count(_REPLACEMENT) - body.count(_REPLACEMENT.encode()))


def _codec_of(body: bytes, declared: str | None) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as exc:
        # A body cut in the middle of a character is still UTF-8.
        is_cut = exc.start > len(body) - 4
        if declared is not None and declared != "utf-8":
            return declared
        return "utf-8" if is_cut or _UTF8_CHARACTER.search(body) else "cp1252"
    # Text in another set is hardly ever UTF-8 by chance, once it is more than a word or two.
    is_utf8 = len(_UTF8_CHARACTER.findall(body[:_CHECKED_BYTES])) >= _ENOUGH.get(declared or "", 8)
    return "utf-8" if declared is None or is_utf8 else declared


def codec_for(label: str) -> str | None:
    """The Python codec that reads what the web means by *label*; None for an unknown one."""
    try:
        name = codecs.lookup(label.strip().removeprefix("x-")).name
    except (LookupError, ValueError):
        return None
    name = _AS_BROWSERS.get(name, name)
    return name if name in _WEB_CODECS else None


def _header_codec(content_type: str) -> str | None:
    found = _HEADER.search(content_type)
    return codec_for(found[1]) if found else None


def _meta_codec(body: bytes) -> str | None:
    start = body[:_PRESCAN_BYTES]
    found = _META.search(start) or _XML.search(start)
    name = codec_for(found[1].decode("ascii")) if found else None
    # A page whose meta element could be read byte by byte is not UTF-16 (WHATWG HTML, prescan).
    return "utf-8" if name in {"utf-16-le", "utf-16-be"} else name
