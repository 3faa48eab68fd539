"""Elements within a line of text: links, emphasis, inline code, images."""

from __future__ import annotations

import re

from quickstarted.docs.text.blocks import code_block
from quickstarted.docs.text.inline import MARKED_TAGS
from quickstarted.docs.text.output import Handler, Leave, Output, nothing
from quickstarted.docs.text.tree import Element, element, first

_SUPERSCRIPT = re.compile(r"[-+\u2212]?(\d+|[a-z])", re.IGNORECASE)


def _marked(out: Output, found: Element) -> Leave:
    href = out.target_of(found) if found.tag == "a" else ""
    if found.tag == "a" and not href:
        return nothing
    out.inline.open(found.tag, href)

    def leave() -> None:
        if target := out.inline.close(found.tag):
            out.flush()
            out.writer.paragraph(f"<{target}>")
            out.writer.gap(1)

    return leave


def _code(out: Output, found: Element) -> None:
    """Inline code; one with line breaks in it is a block that lacks its `<pre>`."""
    if first(found.node, "br, div, p, pre") is not None:
        code_block(out, found)
        return
    links = found.node.css("a[href]")
    href = out.target_of(element(links[0])) if len(links) == 1 else ""
    out.inline.code(out.plain(found.node), href)


def _line_break(out: Output, _: Element) -> None:
    out.inline.line_break()


def _image(out: Output, found: Element) -> None:
    if alt := found.get("alt").strip():
        out.inline.text(f"[image: {alt}]")


def _apart(out: Output, _: Element) -> Leave:
    """A button or label stands apart from what is next to it, though no white space says so."""
    out.inline.text(" ")
    return lambda: out.inline.text(" ")


def _superscript(out: Output, found: Element) -> Leave:
    """10 to the power of 6 must not become 106."""
    if _SUPERSCRIPT.fullmatch(out.plain(found.node).strip()) and first(found.node, "a") is None:
        out.inline.text("^")
    return nothing


def _checkbox(out: Output, found: Element) -> None:
    """The box of a task list; any other one belongs to the theme."""
    parent = found.node.parent
    if parent is not None and parent.tag in {"label", "p"}:
        parent = parent.parent
    if parent is not None and parent.tag == "li":
        out.inline.text("[x] " if "checked" in found.attributes else "[ ] ")


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("code", "tt", "kbd", "samp"), _code),
    **dict.fromkeys(MARKED_TAGS, _marked),
    **dict.fromkeys(("button", "label"), _apart),
    "br": _line_break,
    "img": _image,
    "input": _checkbox,
    "sup": _superscript,
}
