"""Elements that stand on lines of their own: headings, lists, quotes, code, tables."""

from __future__ import annotations

from quickstarted.docs.text.code import CODE_TAGS, code_text, language_of
from quickstarted.docs.text.output import Handler, Leave, Output
from quickstarted.docs.text.tables import Table
from quickstarted.docs.text.tree import Element, words
from quickstarted.docs.text.writer import Prefix

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_TIGHT = words("li dt dd tr div td th caption option legend figcaption")
_ADMONITIONS = words(
    "admonition custom-block markdown-alert theme-admonition callout starlight-aside alert"
    " admonitionblock"
)
_ADMONITION_TITLES = (
    "admonition-title",
    "admonitionheading",
    "custom-block-title",
    "markdown-alert-title",
    "aside__title",
)


def block(out: Output, found: Element) -> Leave:
    """Any other element that is a block."""
    lines = 1 if found.tag in _TIGHT else 2
    out.writer.gap(lines)
    if not found.classes.isdisjoint(_ADMONITIONS):
        return out.prefixed(Prefix("> ", "> "), 2)
    if found.has_class(*_ADMONITION_TITLES):
        return _bold(out)
    return lambda: out.end(lines)


def _bold(out: Output) -> Leave:
    out.inline.open("strong")

    def leave() -> None:
        out.inline.close("strong")
        out.end(2)

    return leave


def _heading(out: Output, found: Element) -> Leave:
    out.has_h1 |= found.tag == "h1"
    out.in_heading = True
    sign = "" if out.is_in_grid else _HEADINGS[found.tag]
    end = out.prefixed(Prefix(sign, sign), 2)

    def leave() -> None:
        end()
        out.in_heading = False

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
        out.inline.code(text)
        return
    out.flush()
    out.writer.code(language_of(found.node), text)


def _list(out: Output, found: Element) -> Leave:
    number = _number(found.get("start"), 1) if found.tag == "ol" else None
    lines = 1 if out.lists else 2
    out.lists.append(number)
    out.writer.gap(lines)

    def leave() -> None:
        out.flush()
        out.lists.pop()
        out.writer.gap(lines)

    return leave


def _item(out: Output, found: Element) -> Leave:
    number = out.lists[-1] if out.lists else None
    if number is None:
        return out.prefixed(Prefix("- ", "  "), 1)
    number = _number(found.get("value"), number)
    out.lists[-1] = number + 1
    sign = f"{number}. "
    return out.prefixed(Prefix(sign, " " * len(sign)), 1)


def _number(text: str, default: int) -> int:
    return int(text[:6]) if text.isascii() and text.isdigit() else default


def _term(out: Output, found: Element) -> Leave | None:
    """A term of a definition list; Sphinx puts signatures there, which are code."""
    out.writer.gap(2)
    if "sig" not in found.classes:
        return lambda: out.end(1)
    for inner in found.node.css("[id]"):
        out.writer.anchor(inner.attributes.get("id") or "")
    out.inline.code(out.plain(found.node))
    out.end(1)
    return None


def _definition(out: Output, _: Element) -> Leave:
    return out.prefixed(Prefix(": ", "  "), 1)


def _table(out: Output, found: Element) -> Leave:
    return out.open_table(Table.of(found.node))


def _row(out: Output, _: Element) -> Leave:
    return out.open_row()


def _cell(out: Output, found: Element) -> Leave:
    return out.open_cell(found.tag) if out.is_in_grid else block(out, found)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_HEADINGS, _heading),
    **dict.fromkeys(CODE_TAGS, code_block),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _list),
    "blockquote": _quote,
    "dd": _definition,
    "dt": _term,
    "hr": _rule,
    "li": _item,
    "table": _table,
    "td": _cell,
    "th": _cell,
    "tr": _row,
}
