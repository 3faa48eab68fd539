"""
Shell code as the rules see it: syntax trees and the simple commands in them.

tree-sitter's bash grammar does the reading; it takes any text and marks what it does not
understand, so nothing here fails on a broken script.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_BASH = Language(tree_sitter_bash.language())
_WITH_VALUE = {
    "timeout": frozenset({"-k", "--kill-after", "-s", "--signal"}),
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-T"}),
    "nice": frozenset({"-n"}),
    "env": frozenset({"-u", "-C"}),
}
_WRAPPERS = frozenset(
    {"command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout"}
)
_SHELLS = frozenset({"bash", "sh", "dash", "ash"})


@dataclass(frozen=True, slots=True)
class Call:
    """One simple command, without what only changes how it is run."""

    program: str
    """Last part of its path."""
    args: tuple[str, ...]
    """Quotes removed; expansions stand as they are written."""
    words: tuple[str, ...]
    """All words, wrappers included."""
    wrappers: frozenset[str]
    background: bool

    @property
    def operands(self) -> tuple[str, ...]:
        """Arguments that are no options."""
        return tuple(arg for arg in self.args if not arg.startswith("-"))


def parse(script: str) -> Node:
    """Root of the syntax tree of *script*."""
    return Parser(_BASH).parse(script.encode("utf-8", "replace")).root_node


def calls(script: str) -> list[Call]:
    """Every simple command of *script*, nested ones and those of `sh -c '...'` included."""
    return [call for node in walk(parse(script)) for call in _calls_of(node)]


def walk(node: Node) -> Iterator[Node]:
    """*node* and all below it, in the order of the text."""
    todo = [node]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(current.children))


def words(node: Node) -> tuple[str, ...]:
    """Words of a command, assignments before it left out."""
    parts: list[str] = []
    for child in node.named_children:
        if child.type == "command_name":
            parts.extend(_word(part) for part in child.children)
        elif child.type not in {"variable_assignment", "file_redirect", "herestring_redirect"}:
            parts.append(_word(child))
    return tuple(parts)


def simple_call(node: Node) -> Call | None:
    """The call of a `command` node; None when it is only wrappers and assignments."""
    every = words(node)
    rest, wrappers = _unwrapped(every)
    if not rest:
        return None
    program = PurePosixPath(rest[0]).name
    return Call(program, rest[1:], every, wrappers, _in_background(node))


def condition_of(node: Node) -> list[Node]:
    """Statements between `if` (or `elif`) and `then`."""
    before: list[Node] = []
    for child in node.children:
        if child.type == "then":
            break
        if child.is_named:
            before.append(child)
    return before


def text_of(node: Node) -> str:
    """Source text of *node*."""
    return (node.text or b"").decode("utf-8", "replace")


def line_of(node: Node) -> int:
    """Line in the script, from 1."""
    return int(node.start_point[0]) + 1


def _calls_of(node: Node) -> Iterator[Call]:
    if node.type != "command":
        return
    call = simple_call(node)
    if call is None:
        return
    yield call
    if call.program in _SHELLS and "-c" in call.args[:-1]:
        yield from calls(call.args[call.args.index("-c") + 1])


def _word(node: Node) -> str:
    text = text_of(node)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        return text[1:-1].replace('\\"', '"')
    if node.type == "concatenation":
        return "".join(_word(part) for part in node.children)
    return text


def _unwrapped(every: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Leave out `sudo -u x`, `env A=1`, `timeout 5` and their like."""
    rest = list(every)
    wrappers: set[str] = set()
    while rest and rest[0] in _WRAPPERS:
        wrapper = rest.pop(0)
        if wrapper == "command" and rest and rest[0] in {"-v", "-V"}:
            return ("command", *rest), frozenset(wrappers)
        wrappers.add(wrapper)
        with_value = _WITH_VALUE.get(wrapper, frozenset())
        while rest and (rest[0].startswith("-") or (wrapper == "env" and "=" in rest[0])):
            if rest.pop(0) in with_value and rest:
                rest.pop(0)
        if wrapper == "timeout" and rest:
            rest.pop(0)
    return tuple(rest), frozenset(wrappers)


def _in_background(node: Node) -> bool:
    """Whether the statement that *node* belongs to is followed by `&`."""
    current: Node | None = node
    while current is not None:
        sibling = current.next_sibling
        if sibling is not None and sibling.type == "&":
            return True
        if current.type in {"program", "do_group", "command_substitution"}:
            return False
        current = current.parent
    return False
