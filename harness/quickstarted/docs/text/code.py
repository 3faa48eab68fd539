"""
Code blocks, character by character as they show.

Highlighters wrap every line or token in elements; some write line breaks as text, some as `<br>`,
some only as blocks. Line numbers and buttons are left out, everything else is kept: indentation,
blank lines, prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quickstarted.docs.text.tree import BLOCKS, TEXT, Element, Node, children, element, words
from quickstarted.docs.text.visible import is_hidden

CODE_TAGS = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
LINE_NUMBERS = words(
    "linenos lineno linenodiv line-number line-numbers line-numbers-wrapper line-numbers-rows "
    "gutter hljs-ln-numbers hljs-ln-n blob-num lnt ln code-line-number rouge-gutter "
    "codelinenumber react-syntax-highlighter-line-number"
)
_LINE_CLASSES = frozenset({"line", "token-line", "code-line", "view-line"})
_NOT_CODE = frozenset({"button", "script", "style", "template", "svg", "clipboard-copy"})
_BUTTONS = frozenset({"copybtn", "copy", "copy-button", "copybutton", "btn-copy", "toolbar"})
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|highlight|brush:?)-([\w+#.-]+)")
_WRAPPER_LANGUAGE = re.compile(r"(?:language|highlight-source|highlight)-([\w+#.-]+)")
_NO_LANGUAGE = words(
    "default none text plain plaintext plain-text txt nohighlight notranslate source code block "
    "lines line-numbers wrapper"
)
_MARKERS = frozenset({"sourcecode", "hljs", "brush:", "brush", "prettyprint", "highlight"})
_LINE_BLOCKS = BLOCKS - {"td", "th", "tbody", "thead", "tfoot", "pre"}
_MAX_WRAPPERS = 8
_WRAPPER_TAGS = frozenset({"div", "figure", "td", "tr", "tbody", "table"})


def is_line_number(found: Element) -> bool:
    """Whether *found* holds numbers of lines and no code."""
    if found.tag in {"pre", "code"}:
        return not found.classes.isdisjoint({"lineno", "linenos"})
    return not found.classes.isdisjoint(LINE_NUMBERS)


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
    return lines.result()


def language_of(node: Node) -> str:
    """What a code block says its language is, in lower case; empty where it does not."""
    inner = node.css_first("code")
    for candidate in (node, inner, *_wrappers(node)):
        if candidate is not None and (name := _language(element(candidate))):
            return name
    return ""


def _wrappers(node: Node) -> Iterator[Node]:
    """What highlighters put round a block, from the inside out."""
    parent = node.parent
    for _ in range(_MAX_WRAPPERS):
        if parent is None or parent.tag not in _WRAPPER_TAGS:
            return
        yield parent
        parent = parent.parent


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
        or (is_hidden(found) and node.tag != "code")
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


def _language(found: Element) -> str:
    for name in ("data-lang", "data-language"):
        if _is_language(value := found.get(name).lower()):
            return value
    names = found.get("class").lower().split()
    for name in names:
        match = (_LANGUAGE if found.tag in {"pre", "code"} else _WRAPPER_LANGUAGE).fullmatch(name)
        if match and _is_language(match[1]):
            return match[1]
    if len(names) > 1 and names[0] in _MARKERS and _is_language(names[1]):
        return names[1].removesuffix(";")
    return ""


def _is_language(name: str) -> bool:
    return bool(re.fullmatch(r"[\w+#.;-]{1,30}", name)) and name not in _NO_LANGUAGE
