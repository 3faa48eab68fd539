"""Markdown as an independent parser reads it: its code blocks, and its words in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from bench.docs_fidelity.words import words_of

# Text is not escaped by all converters: what looks like a tag is text to who reads it. The preset
# leaves out what is nested more than 20 deep.
_PARSER = MarkdownIt("commonmark", {"maxNesting": 10_000}).disable(["html_block", "html_inline"])
_TARGET = re.compile(r"\]\((?:<[^>\n]*>|[^()\s<]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_IMAGE = re.compile(r"!(?=\[)")


@dataclass
class Text:
    """What stands in a converter's output."""

    code_blocks: list[str]
    words: list[str]


def read_markdown(text: str) -> Text:
    """Take *text* apart."""
    blocks: list[str] = []
    parts: list[str] = []
    for token in _PARSER.parse(text):
        if token.type in {"fence", "code_block"}:
            blocks.append(token.content)
        if token.type == "fence":
            # A label with the language is text on some pages; it stands before the block there too.
            parts += [token.info, token.content]
        elif token.content:
            # What is indented is not always code, e.g. under a definition.
            parts.append(_TARGET.sub("]", _IMAGE.sub("", token.content)))
    return Text(code_blocks=blocks, words=words_of("\n".join(parts)))
