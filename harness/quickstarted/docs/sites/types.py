"""Which media type a static host would give a file; what nobody knows is told by its bytes."""

from __future__ import annotations

import mimetypes

UNKNOWN = "application/octet-stream"

_TYPES = mimetypes.MimeTypes()
_TEXT = (
    ".adoc .asciidoc .bat .c .cc .cfg .conf .cpp .cs .ex .exs .go .h .hpp .hs .ini .java .jl .kt "
    ".lock .log .lua .mts .org .php .pl .properties .ps1 .r .rb .rs .scala .swift .tex .ts .tsx "
    ".vue .zig"
)
for _suffix in _TEXT.split():
    _TYPES.add_type("text/plain", _suffix)
for _suffix, _type in (
    (".ipynb", "application/x-ipynb+json"),
    (".markdown", "text/markdown"),
    (".md", "text/markdown"),
    (".mdx", "text/markdown"),
    (".rst", "text/x-rst"),
    (".toml", "application/toml"),
    (".yaml", "application/yaml"),
    (".yml", "application/yaml"),
):
    _TYPES.add_type(_type, _suffix)


def type_of(name: str) -> str:
    """The media type of a file called *name*; `UNKNOWN` where its name does not tell."""
    kind, coding = _TYPES.guess_type(f"/{name}")
    if coding is not None:
        return f"application/{coding}"
    return kind or UNKNOWN
