"""Elements within a line of text: links, emphasis, inline code, images."""

from __future__ import annotations

import re

from quickstarted.docs.text.blocks import code_block
from quickstarted.docs.text.code import is_code_block
from quickstarted.docs.text.inline import MARKED_TAGS
from quickstarted.docs.text.output import Handler, Leave, Output, nothing
from quickstarted.docs.text.tree import Element, collapse, element, starts_with

_MAX_POWER_CHARS = 8
_SUPERSCRIPT = re.compile(r"[-+\u2212]?(\d+|[a-z])", re.IGNORECASE)


def _marked(out: Output, found: Element) -> Leave:
    is_link = found.tag == "a" and found.get("role") != "doc-backlink"
    href = out.target_of(found) if is_link else ""
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
    """Inline code; one on lines of its own is a block that lacks its `<pre>`."""
    if is_code_block(found):
        code_block(out, found)
        return
    text = out.plain(found.node)
    out.inline.code(text, _target_of_all(out, found, text))


def _target_of_all(out: Output, found: Element, text: str) -> str:
    """Where a link leads that is all of *text*, or what is called in it; no other part counts."""
    link = found.node.css_first("a[href]")
    if link is None:
        return ""
    name, code = link.text(deep=True).strip(), text.strip()
    return out.target_of(element(link)) if code == name or code.startswith(f"{name}(") else ""


def _line_break(out: Output, _: Element) -> None:
    if out.is_one_line:
        out.inline.text(" ")
    else:
        out.inline.line_break()


def _image(out: Output, found: Element) -> None:
    if alt := found.get("alt").strip():
        out.inline.text(f"[image: {alt}]")


def apart(out: Output, _: Element) -> Leave:
    """A button, say, stands apart from what is next to it, though no white space says so."""
    out.inline.text(" ")
    return lambda: out.inline.text(" ")


def _superscript(out: Output, found: Element) -> Leave:
    """10 to the power of 6 must not become 106."""
    start = starts_with(found.node, _MAX_POWER_CHARS + 1).strip()
    if _SUPERSCRIPT.fullmatch(start) and found.node.css_first("a") is None:
        out.inline.text("^")
    return nothing


def _input(out: Output, found: Element) -> None:
    """A field with something to copy, or the box of a task list; other boxes are the theme's."""
    if found.get("type").lower() != "checkbox":
        out.inline.code(found.get("value"))
        return
    parent = found.node.parent
    if parent is not None and parent.tag in {"label", "p"}:
        parent = parent.parent
    if parent is not None and parent.tag == "li":
        out.inline.text("[x] " if "checked" in found.attributes else "[ ] ")


def _drawing(out: Output, found: Element) -> None:
    """The words in a drawing, such as a railroad diagram of a syntax."""
    labels = [collapse(label.text(deep=True)).strip() for label in found.node.css("text")]
    out.inline.text(f"[diagram: {' '.join(filter(None, labels))}]")


def _formula(out: Output, found: Element) -> Leave | None:
    """Its source in TeX, where the page has that too."""
    source = found.node.css_first('annotation[encoding="application/x-tex"]')
    if source is None:
        return nothing
    out.inline.code(source.text(deep=True))
    return None


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("code", "tt", "kbd", "samp"), _code),
    **dict.fromkeys(MARKED_TAGS, _marked),
    **dict.fromkeys(("button", "label"), apart),
    "br": _line_break,
    "img": _image,
    "input": _input,
    "math": _formula,
    "svg": _drawing,
    "sup": _superscript,
}
