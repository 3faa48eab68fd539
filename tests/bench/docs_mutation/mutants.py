"""
Defects of a page: what a hurried edit of documentation does to it.

All are made in the source of the page (HTML or Markdown). No defect asks a registry for a package
that is not there: wrong versions are of packages that are.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from quickstarted.docs.code_blocks import CodeBlock
from quickstarted.page_steps import Command, WriteFile
from quickstarted.page_steps.programs import installs

_PRE = re.compile(r"<pre\b[^>]*>(?P<inner>.*?)</pre>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_CODE = re.compile(r"^\s*(<code\b[^>]*>)(.*)</code>\s*$", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{4,}")


@dataclass(frozen=True, slots=True)
class Defect:
    """One change of one block."""

    kind: str
    step: int
    """Which of the reached steps it is in."""
    before: str
    after: str
    """Of the block's text; empty where the block is dropped."""
    says: str


def defects_of(
    step: int, done: Command | WriteFile, block: CodeBlock, chance: random.Random
) -> Iterator[Defect]:
    """The defects that are seeded for one step in *block*, one of each kind that fits."""

    def made(kind: str, after: str, says: str) -> Iterator[Defect]:
        if after != block.text:
            yield Defect(kind, step, block.text, after, says)

    shown = done.path if isinstance(done, WriteFile) else done.text.splitlines()[0]
    yield from made("dropped block", "", shown)
    if isinstance(done, WriteFile):
        yield from made("broken code", _broken(block.text, chance), shown)
        lines = block.text.splitlines()
        yield from made("dropped line", "\n".join(lines[: len(lines) // 2]), shown)
        return
    if done.text.splitlines()[0] not in block.text:
        return
    words = done.text.split(" ")
    program = next(at for at, word in enumerate(words) if "=" not in word)
    for kind, changed in (
        ("misspelt program", _changed(words, program, chance)),
        ("misspelt subcommand", _misspelt_word(words, program + 1, chance, options=False)),
        ("misspelt option", _misspelt_word(words, program + 1, chance, options=True)),
        ("wrong version", _wrong_version(done.text)),
    ):
        if changed:
            yield from made(kind, block.text.replace(done.text, changed, 1), changed)
    if len(block.text.strip().splitlines()) > 1:
        rest = [line for line in block.text.splitlines() if done.text not in line]
        yield from made("missing prerequisite", "\n".join(rest), shown)


def swapped(step: int, first: CodeBlock, second: CodeBlock) -> tuple[Defect, Defect]:
    """Two blocks in each other's place."""
    says = f"{first.text.splitlines()[0]} <-> {second.text.splitlines()[0]}"
    return (
        Defect("swapped steps", step, first.text, second.text, says),
        Defect("swapped steps", step, second.text, first.text, says),
    )


def _swap_letters(word: str, chance: random.Random) -> str:
    places = [at for at in range(len(word) - 1) if word[at] != word[at + 1] and word[at].isalnum()]
    places = [at for at in places if word[at + 1].isalnum()]
    if not places:
        return word + "x"
    at = chance.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _changed(words: list[str], at: int, chance: random.Random) -> str:
    folder, _, name = words[at].rpartition("/")
    prefix = f"{folder}/" if folder else ""
    return " ".join([*words[:at], prefix + _swap_letters(name, chance), *words[at + 1 :]])


def _misspelt_word(words: list[str], start: int, chance: random.Random, *, options: bool) -> str:
    """A subcommand or an option misspelt; names of packages are left alone."""
    if start >= len(words):
        return ""
    text = " ".join(words)
    places = [
        at
        for at in range(start, len(words))
        if words[at].startswith("-") == options and re.fullmatch(r"-{0,2}[a-z][a-z-]+", words[at])
    ]
    if not options:
        places = [at for at in places if at == start or (at == start + 2 and words[start] == "-m")]
    if not places or (not options and installs(text) and words[places[0]] == words[-1]):
        return ""
    return _changed(words, chance.choice(places), chance)


def _wrong_version(command: str) -> str:
    if not installs(command):
        return ""
    last = command.rsplit(" ", maxsplit=1)[-1]
    if not re.fullmatch(r"[A-Za-z][\w.-]*", last) or " create " in command:
        return command.replace("@latest", "@99.99.99", 1) if "@latest" in command else ""
    return command + ("==99.99" if "pip" in command else "@99.99.99")


def _broken(text: str, chance: random.Random) -> str:
    """A word of the code misspelt; comments are no code."""
    lines = text.splitlines()
    places = [
        (at, match)
        for at, line in enumerate(lines)
        if not line.lstrip().startswith(("#", "//", "*", "/*"))
        for match in [_WORD.search(line)]
        if match
    ]
    at, match = chance.choice(places)
    word = _swap_letters(match[0], chance)
    lines[at] = lines[at][: match.start()] + word + lines[at][match.end() :]
    return "\n".join(lines)


def applied(source: str, defects: tuple[Defect, ...], nth: dict[str, int]) -> str | None:
    """
    The page's *source* with *defects*; None where a block is not found in it.

    Args:
        source: HTML or Markdown.
        defects: Changes of different blocks.
        nth: Text of a block to how many blocks of that text come before it.

    """
    for defect in defects:
        changed = _applied(source, defect, nth.get(defect.before, 0))
        if changed is None:
            return None
        source = changed.replace("\0", "")
    return source


def _applied(source: str, defect: Defect, skip: int) -> str | None:
    for match in _PRE.finditer(source):
        plain = html.unescape(_TAG.sub("", match["inner"]))
        if plain.strip("\n").rstrip() == defect.before.strip("\n").rstrip():
            if skip:
                skip -= 1
                continue
            if not defect.after:
                return source[: match.start()] + source[match.end() :]
            code = _CODE.match(match["inner"])
            inner = html.escape(defect.after, quote=False)
            inner = f"{code[1]}{inner}</code>" if code else inner
            start, end = match.span("inner")
            return source[:start] + inner + source[end:]
    text = re.escape(defect.before)
    fence = re.compile(rf"(?P<open>^```[^\n]*\n)(?P<text>{text})\n```$", re.MULTILINE)
    found = list(fence.finditer(source))
    if len(found) <= skip:
        return None
    match = found[skip]
    if not defect.after:
        return source[: match.start()] + source[match.end() :]
    start, end = match.span("text")
    return source[:start] + defect.after + source[end:]
