"""Elements that stand on lines of their own: headings, lists, quotes, code, tables."""

from __future__ import annotations

import re

from quickstarted.docs.text.admonitions import (
    is_admonition,
    is_sign,
    is_title,
    missing_title,
    sign_of,
)
from quickstarted.docs.text.code import CODE_TAGS, code_text, is_code_block
from quickstarted.docs.text.language import language_of
from quickstarted.docs.text.output import Handler, Leave, Output
from quickstarted.docs.text.tables import Table
from quickstarted.docs.text.tree import TEXT, Element, Node, collapse, words
from quickstarted.docs.text.writer import DEFINITION, Prefix, guarded

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_TIGHT = words("li dt dd tr div td th caption option legend figcaption")
_NOT_IN_A_LINE = "pre, table, ul, ol, dl, blockquote, hr, h1, h2, h3, h4, h5, h6"
_SUMMARY_CELLS = words(
    "col-first col-second col-last col-constructor-name col-deprecated-item-name"
)
_NOTES = frozenset({"footnote", "citation"})
_SPACE_IN_SIGNATURE = re.compile(r"(?<=\() | (?=[(),])")


def block(out: Output, found: Element) -> Leave | None:
    """Any other element that is a block."""
    lines = 1 if found.tag in _TIGHT else 2
    if found.classes:
        if is_admonition(found):
            return _admonition(out, found)
        if is_title(found):
            return _bold(out)
        if handler := _of_class(out, found):
            return handler(out, found)
    if found.tag == "div" and is_code_block(found):
        code_block(out, found)
        return None
    out.writer.gap(lines)
    return lambda: out.end(lines)


def _of_class(out: Output, found: Element) -> Handler | None:
    """What to do with an element that only its class tells from any other."""
    classes = found.classes
    if found.tag == "aside" and not classes.isdisjoint(_NOTES):
        return _note
    if found.tag != "div":
        return None
    if out.has_table and not classes.isdisjoint(_SUMMARY_CELLS):
        return lambda out, found: out.open_summary_cell(found)
    if "summary-table" in classes and found.node.css_first(".col-last") is not None:
        return _table
    parent = found.node.parent
    if "title" in classes and parent is not None:
        return _page_title if parent.attributes.get("class") == "headertitle" else None
    return None


def _admonition(out: Output, found: Element) -> Leave:
    end = out.prefixed(Prefix("> ", "> "), 2)
    if title := missing_title(found, out.holders):
        out.writer.paragraph(f"**{title}**")
        out.writer.gap(2)
    return end


def _bold(out: Output) -> Leave:
    out.writer.gap(2)
    out.inline.open("strong")

    def leave() -> None:
        out.inline.close("strong")
        out.end(2)

    return leave


def _note(out: Output, found: Element) -> Leave:
    """A footnote or citation of Sphinx: its number, then its text."""
    label = found.node.css_first(".label")
    number = collapse(label.text(deep=True)).strip() if label is not None else ""
    sign = f"{guarded(number)} " if number else ""
    return out.prefixed(Prefix(sign, "", is_name=True), 2)


def _page_title(out: Output, found: Element) -> Leave:
    """Doxygen's heading of a page, which is no heading."""
    return _heading(out, Element(found.node, "h1", found.attributes, found.classes))


def _summary(out: Output, found: Element) -> Leave:
    """What a reader clicks at to open details."""
    if out.holders.holds(found.node, _NOT_IN_A_LINE):
        out.writer.gap(2)
        return lambda: out.end(2)
    return _bold(out)


def _heading(out: Output, found: Element) -> Leave:
    if is_title(found):
        return _bold(out)
    out.has_h1 |= found.tag == "h1"
    out.in_heading = True
    out.is_one_line = not out.holders.holds(found.node, _NOT_IN_A_LINE)
    sign = "" if out.is_in_grid else _HEADINGS[found.tag]
    end = out.prefixed(Prefix(sign, sign), 2)

    def leave() -> None:
        end()
        out.in_heading = out.is_one_line = False

    return leave


def _quote(out: Output, _: Element) -> Leave:
    return out.prefixed(Prefix("> ", "> "), 2)


def _rule(out: Output, _: Element) -> None:
    out.writer.gap(2)
    out.writer.paragraph("---")
    out.writer.gap(2)


def code_block(out: Output, found: Element) -> None:
    """A block of code; in a cell of one line it is inline code."""
    text = code_text(found.node)
    if not text.strip():
        return
    if out.is_in_grid:
        for line in text.split("\n"):
            out.inline.code(line)
            out.inline.line_break()
        return
    out.flush()
    out.writer.code(language_of(found.node), text)


def _list(out: Output, found: Element) -> Leave:
    number = _number(found.get("start"), 1) if found.tag == "ol" else None
    lines = 1 if out.lists else 2
    out.lists.append(number)
    if lines == 1:
        out.writer.tighten()
    out.writer.gap(lines)
    out.writer.before_list()

    def leave() -> None:
        out.flush()
        out.lists.pop()
        out.writer.gap(lines)

    return leave


def _item(out: Output, found: Element) -> Leave:
    number = out.lists[-1] if out.lists else None
    if number is None:
        return out.item(Prefix("- ", "  "))
    number = _number(found.get("value"), number)
    out.lists[-1] = number + 1
    sign = f"{number}. "
    return out.item(Prefix(sign, " " * len(sign)))


def _number(text: str, default: int) -> int:
    return int(text[:6]) if text.isascii() and text.isdigit() else default


def _term(out: Output, found: Element) -> Leave | None:
    """A term of a definition list; Sphinx puts signatures there, which are code."""
    out.writer.gap(1 if _follows_a_term(found) else 2)
    if "sig" not in found.classes:
        return lambda: out.end(1)
    for inner in found.node.css("[id]"):
        out.writer.anchor(inner.attributes.get("id") or "")
    out.inline.code(out.plain(found.node))
    out.end(1)
    return None


def _follows_a_term(found: Element) -> bool:
    """Whether the definition of the term before *found* is also that of *found*."""
    before: Node | None = found.node.prev
    while before is not None and before.tag == TEXT and not (before.text_content or "").strip():
        before = before.prev
    return before is not None and before.tag == "dt"


def _definition(out: Output, _: Element) -> Leave:
    """Only the outermost is indented: Markdown takes what is far to the right for code."""
    out.definitions += 1
    end = out.item(Prefix(DEFINITION, "  " if out.definitions == 1 else ""))

    def leave() -> None:
        end()
        out.definitions -= 1

    return leave


def _table(out: Output, found: Element) -> Leave | None:
    if "memname" in found.classes:
        _signature(out, found)
        return None
    if found.classes and is_code_block(found):
        code_block(out, found)
        return None
    return out.open_table(Table.of(found.node, out.holders))


def _signature(out: Output, found: Element) -> None:
    """Doxygen lays the parameters of a function out in a table."""
    text = " ".join(out.texts(found.node))
    out.inline.code(_SPACE_IN_SIGNATURE.sub("", collapse(text)))


def _row(out: Output, _: Element) -> Leave | None:
    return out.open_row()


def _cell(out: Output, found: Element) -> Leave | None:
    if out.is_in_grid:
        return out.open_cell(found.tag)
    if out.is_in_layout and found.tag == "td" and is_sign(found.node):
        sign = sign_of(found.node)
        if sign and "icon" in found.classes:
            out.writer.paragraph(f"**{sign}**")
            out.writer.gap(2)
        return None
    if out.is_in_layout:
        return _bold(out) if found.tag == "th" else block(out, found)
    return out.open_block_cell(_number(found.get("colspan"), 1))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_HEADINGS, _heading),
    **dict.fromkeys(CODE_TAGS, code_block),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _list),
    "blockquote": _quote,
    "dd": _definition,
    "dt": _term,
    "hr": _rule,
    "li": _item,
    "summary": _summary,
    "table": _table,
    "td": _cell,
    "th": _cell,
    "tr": _row,
}
