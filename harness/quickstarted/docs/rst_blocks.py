"""
reStructuredText that a site serves as text, with its code blocks written as Markdown's fences.

Only what makes a code block is read: the directives for code, `.. prompt::` of sphinx-prompt, and
paragraphs that end in `::`. Headings are known by the line below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DIRECTIVE = re.compile(
    r"^(?P<indent>\s*)\.\. (?P<name>code-block|code|sourcecode|prompt|console|highlight)::"
    r" *(?P<rest>.*)$"
)
_OPTION = re.compile(r"^\s*:(?P<name>[\w-]+):\s*(?P<value>.*)$")
_SIGNS = re.compile(r"^\.\. [\w-]+::|^\.\. _[^:]+:", re.MULTILINE)
_RULE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_MARKDOWN = re.compile(r"^(?:```|~~~|#{1,6} )", re.MULTILINE)


def looks_like_rst(text: str) -> bool:
    """Whether *text* has directives of reStructuredText and no signs of Markdown."""
    return bool(_SIGNS.search(text)) and not _MARKDOWN.search(text)


def rst_as_markdown(text: str) -> str:
    """Write the code blocks of *text* as fences, its headings with `#`, and all else as it is."""
    return "\n".join(_converted(text.splitlines()))


def _converted(lines: list[str]) -> Iterator[str]:
    levels: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        directive = _DIRECTIVE.match(line)
        if directive:
            body, at = _indented(lines, at + 1, len(directive["indent"]))
            if directive["name"] != "highlight":
                yield from _fence(body, directive["name"], directive["rest"])
            continue
        if at + 1 < len(lines) and line.strip() and _is_rule(lines[at + 1], line):
            mark = lines[at + 1][0]
            levels += [] if mark in levels else [mark]
            yield f"{'#' * min(levels.index(mark) + 1, 6)} {line.strip()}"
            at += 2
            continue
        at += 1
        if line.rstrip().endswith("::") and not line.lstrip().startswith(".."):
            yield line.rstrip()[:-1]
            body, at = _indented(lines, at, len(line) - len(line.lstrip()))
            yield from _fence(body, "", "")
        elif not _RULE.match(line):
            yield line


def _is_rule(below: str, title: str) -> bool:
    return bool(_RULE.match(below)) and len(below.rstrip()) >= len(title.rstrip())


def _indented(lines: list[str], at: int, indent: int) -> tuple[list[str], int]:
    """The lines from *at* that are indented deeper than *indent*, and where they end."""
    body: list[str] = []
    while at < len(lines):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        body.append(line)
        at += 1
    return body, at


def _fence(body: list[str], directive: str, argument: str) -> Iterator[str]:
    options: dict[str, str] = {}
    while body and (match := _OPTION.match(body[0])):
        options[match["name"]] = match["value"]
        body = body[1:]
    while body and not body[0].strip():
        body = body[1:]
    while body and not body[-1].strip():
        body = body[:-1]
    margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    code = [line[margin:] for line in body]
    language = argument.split(" ", maxsplit=1)[0]
    if directive == "prompt":
        sign = argument.partition(" ")[2].split(",")[0].strip() or "$"
        code = [
            f"{sign} {line}" if line.strip() and line[:1] not in "$>#" else line for line in code
        ]
        language = "console"
    caption = options.get("caption", "")
    ticks = "```" if not any("```" in line for line in code) else "`" * 8
    yield ""
    title = f' title="{caption}"' if caption else ""
    yield f"{ticks}{language or 'text' * bool(caption)}{title}"
    yield from code
    yield ticks
    yield ""
