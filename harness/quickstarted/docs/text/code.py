"""
Code blocks, character by character as they show.

Highlighters wrap every line or token in elements; some write line breaks as text, some as `<br>`,
some only as blocks. Line numbers and buttons are left out, everything else is kept: indentation,
blank lines, prompts.
"""

from __future__ import annotations

import re

from quickstarted.docs.text.language import language_of
from quickstarted.docs.text.tree import BLOCKS, TEXT, Element, Node, children, element, words
from quickstarted.docs.text.visible import is_hidden

CODE_TAGS = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
CODE_SELECTOR = (
    "pre, listing, xmp, plaintext, textarea, div[role=code], div.fragment > div.line, td.blob-code"
)
"""What tells that there is a block of code in an element."""
LINE_NUMBERS = words(
    "linenos lineno linenodiv line-number line-numbers line-numbers-wrapper line-numbers-rows "
    "gutter highlight-line-number hljs-ln-numbers hljs-ln-n blob-num lnt ln code-line-number "
    "rouge-gutter codelinenumber react-syntax-highlighter-line-number"
)
_LINE_CLASSES = frozenset({"line", "token-line", "code-line", "view-line"})
_NOT_CODE = frozenset({"button", "script", "style", "template", "svg", "clipboard-copy"})
_BUTTONS = frozenset({"copybtn", "copy", "copy-button", "copybutton", "btn-copy", "toolbar", "ttc"})
_LINE_BLOCKS = BLOCKS - {"td", "th", "tbody", "thead", "tfoot", "pre"}
_PRE_STYLE = re.compile(r"white-space\s*:\s*(pre|break-spaces)(?!-line)", re.IGNORECASE)
_UNSELECTABLE_STYLE = re.compile(r"user-select\s*:\s*none", re.IGNORECASE)
_NUMBERS = re.compile(r"[\s\d.:|+-]*")
_BLANK_LINE = re.compile(r"^[ \xa0]$", re.MULTILINE)


def is_code_block(found: Element) -> bool:
    """Whether *found*, which is no `<pre>` and its like, is a block of code all the same."""
    if found.tag == "div":
        return found.get("role") == "code" or (
            "fragment" in found.classes and found.node.css_first("div.line") is not None
        )
    if found.tag == "table":
        return "highlight" in found.classes and found.node.css_first("td.blob-code") is not None
    return found.tag in {"code", "samp"} and _is_block_of_lines(found)


def _is_block_of_lines(found: Element) -> bool:
    """Whether inline code stands on lines of its own, by its elements or by its style."""
    if found.node.css_first("br, div, p, pre") is not None:
        return True
    if "\n" not in found.node.text(deep=True).strip():
        return False
    return bool(_PRE_STYLE.search(found.get("style")) or language_of(found.node))


def is_line_number(found: Element) -> bool:
    """Whether *found* holds numbers of lines and no code."""
    if found.tag in {"pre", "code"}:
        return not found.classes.isdisjoint({"lineno", "linenos"})
    return not found.classes.isdisjoint(LINE_NUMBERS) and bool(
        _NUMBERS.fullmatch(found.node.text(deep=True))
    )


def is_line_number_column(found: Element) -> bool:
    """Whether *found* is a column of numbers beside a code block."""
    if found.tag == "div":
        return not found.classes.isdisjoint({"linenodiv", "line-numbers-wrapper"})
    return found.tag in {"td", "pre"} and is_line_number(found)


def is_language_label(found: Element) -> bool:
    """Whether *found* only repeats the language that its code block is fenced with."""
    parent = found.node.parent
    return (
        found.tag == "span"
        and "lang" in found.classes
        and parent is not None
        and any(name.startswith("language-") for name in element(parent).classes)
    )


def code_text(node: Node) -> str:
    """The text of a code block as it shows."""
    lines = _Lines()
    stack: list[tuple[Node | None, bool]] = [(child, line) for child, line in _marked(node)]
    while stack:
        current, is_line = stack.pop()
        if current is None:
            lines.leave()
        elif current.tag == TEXT:
            lines.text(current.text_content or "")
        elif current.tag == "br":
            lines.text("\n")
        elif not _is_left_out(current):
            if is_line:
                lines.enter()
                stack.append((None, False))
            stack.extend(_marked(current))
    text = lines.result().replace("\r", "")
    return _without_filling(text) if node.tag == "div" else text


def _without_filling(text: str) -> str:
    """Doxygen fills blank lines with a space, and breaks behind its last line."""
    return _BLANK_LINE.sub("", text).rstrip("\n")


class _Lines:
    """Text with the line breaks of blocks put in where the text has none."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at_start = True
        self._owed = False
        self._starts: list[int] = []

    def text(self, text: str) -> None:
        if not text:
            return
        if self._owed and not text.startswith("\n"):
            self._parts.append("\n")
        self._owed = False
        self._parts.append(text)
        self._at_start = text.endswith("\n")

    def enter(self) -> None:
        if self._owed or not self._at_start:
            self._parts.append("\n")
            self._at_start = True
            self._owed = False
        self._starts.append(len(self._parts))

    def leave(self) -> None:
        has_content = len(self._parts) > self._starts.pop()
        self._owed = self._owed or not (has_content and self._at_start)

    def result(self) -> str:
        return "".join(self._parts)


def _is_left_out(node: Node) -> bool:
    if (node.tag or "-").startswith("-") or node.tag in _NOT_CODE:
        return True
    found = element(node)
    return (
        is_line_number(found)
        or not found.classes.isdisjoint(_BUTTONS)
        or _is_unselectable_number(found)
        or (is_hidden(found) and node.tag != "code")
    )


def _is_unselectable_number(found: Element) -> bool:
    """Line numbers of a highlighter that writes styles and no classes (Hugo by default)."""
    return (
        "style" in found.attributes
        and bool(_UNSELECTABLE_STYLE.search(found.get("style")))
        and bool(_NUMBERS.fullmatch(found.node.text(deep=True)))
    )


def _marked(node: Node) -> list[tuple[Node | None, bool]]:
    """The children in reverse order, each with whether it is a line of its own."""
    nodes = list(children(node))
    spans_are_lines = all(_is_line_or_space(child) for child in nodes)
    return [
        (
            child,
            child.tag in _LINE_BLOCKS or (spans_are_lines and child.tag in {"span", "code"}),
        )
        for child in reversed(nodes)
    ]


def _is_line_or_space(node: Node) -> bool:
    if node.tag == TEXT:
        return not (node.text_content or "").strip()
    if node.tag in {"span", "code"}:
        return not _LINE_CLASSES.isdisjoint(element(node).classes)
    return node.tag in {"br", "button"} or (node.tag or "-").startswith("-")
