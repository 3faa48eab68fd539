"""
Which statements of a check can decide that it fails without a word, and which decide nothing.

A check's output is all that the author of the documentation gets to see of a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tree_sitter import Node

from quickstarted.task.findings.shell import (
    condition_of,
    line_of,
    parse,
    simple_call,
    text_of,
    walk,
)

_ALWAYS_SILENT = frozenset({"test", "[", "false", "which", "pgrep"})
_GREPS = frozenset({"grep", "egrep", "fgrep", "rg"})
_BLOCKS = frozenset({"compound_statement", "subshell", "do_group", "else_clause", "case_item"})
_STATEMENTS = frozenset(
    {
        "case_statement",
        "command",
        "compound_statement",
        "declaration_command",
        "for_statement",
        "c_style_for_statement",
        "function_definition",
        "if_statement",
        "list",
        "negated_command",
        "pipeline",
        "redirected_statement",
        "subshell",
        "test_command",
        "variable_assignment",
        "while_statement",
    }
)


class Kind(Enum):
    """What is wrong with a statement."""

    SILENT = "it fails without printing why"
    IGNORED = "its result is ignored"


@dataclass(frozen=True, slots=True)
class Spot:
    """One statement."""

    kind: Kind
    line: int
    """In the script, from 1."""
    text: str


def spots(script: str) -> list[Spot]:
    """
    Find silent and ignored statements.

    A script that traces (`set -x`) or sets a trap speaks for itself and is left alone.
    """
    root = parse(script)
    if root.has_error or _speaks_for_itself(root):
        return []
    return list(_Walk().block(root.named_children, last=True, spoken=False))


class _Walk:
    """Statements in order; remembers whether `set -e` is in force."""

    def __init__(self) -> None:
        self.errexit = False

    def block(self, nodes: Sequence[Node], *, last: bool, spoken: bool) -> Iterator[Spot]:
        statements = [node for node in nodes if node.type in _STATEMENTS]
        for index, node in enumerate(statements):
            is_last = last and index == len(statements) - 1
            following = statements[index + 1] if index + 1 < len(statements) else None
            yield from self.statement(node, last=is_last, spoken=spoken)
            asked = following is not None and "$?" in text_of(following)
            if not (is_last or self.errexit or asked) and _is_bare_test(node):
                yield _spot(Kind.IGNORED, node)
            spoken = spoken or _speaks(node)
            self.errexit = _errexit_after(node, self.errexit)

    def statement(self, node: Node, *, last: bool, spoken: bool) -> Iterator[Spot]:
        if node.type == "function_definition":
            return
        if node.type == "list":
            yield from self.list_of(node, last=last, spoken=spoken)
        elif node.type == "if_statement":
            yield from self.conditional(node, last=last, spoken=spoken)
        elif node.type in _BLOCKS and not _is_arithmetic(node):
            yield from self.block(node.named_children, last=last, spoken=spoken)
        elif node.type in {"for_statement", "while_statement", "case_statement"}:
            inner = [child for child in node.named_children if child.type in _BLOCKS]
            for child in inner:
                yield from self.statement(child, last=last, spoken=spoken)
        elif _exits(node):
            if not spoken:
                yield _spot(Kind.SILENT, node)
        elif (last or self.errexit) and is_silent(node):
            yield _spot(Kind.SILENT, node)

    def list_of(self, node: Node, *, last: bool, spoken: bool) -> Iterator[Spot]:
        """`A || B`: B decides. `A && B`: A decides only where the list's status is used."""
        left, right = node.named_children[0], node.named_children[-1]
        operator = next((child.type for child in node.children if child.type in {"&&", "||"}), "")
        if operator == "||":
            told = spoken or not is_silent(_last_of(left))
            yield from self.statement(right, last=last, spoken=told)
            return
        if last and left.type != "list" and is_silent(left):
            yield _spot(Kind.SILENT, left)
        elif last and left.type == "list":
            yield from self.list_of(left, last=last, spoken=spoken)
        yield from self.statement(right, last=last, spoken=spoken or _speaks(left))

    def conditional(self, node: Node, *, last: bool, spoken: bool) -> Iterator[Spot]:
        """The condition's own failure decides nothing; what it prints explains the bodies."""
        condition = condition_of(node)
        told = spoken or any(not is_silent(_last_of(part)) for part in condition)
        body: list[Node] = []
        for child in node.named_children:
            if child.type == "elif_clause":
                yield from self.conditional(child, last=last, spoken=told)
            elif child.type == "else_clause":
                yield from self.block(child.named_children, last=last, spoken=told)
            elif child not in condition:
                body.append(child)
        yield from self.block(body, last=last, spoken=told)


def is_silent(node: Node) -> bool:
    """Whether *node*, when it fails, leaves nothing on the check's output."""
    match node.type:
        case "negated_command" | "pipeline":
            silent = is_silent(node.named_children[-1])
        case "redirected_statement":
            silent = is_silent(node.named_children[0]) or _hides_everything(text_of(node))
        case "variable_assignment":
            silent = _captures_grep(node)
        case "command":
            silent = _silent_command(node)
        case _:
            silent = node.type == "test_command" or _is_arithmetic(node)
    return silent


def _is_arithmetic(node: Node) -> bool:
    return node.type == "compound_statement" and text_of(node).startswith("((")


def _silent_command(node: Node) -> bool:
    call = simple_call(node)
    if call is None:
        return False
    flags = {flag for arg in call.args if arg[:1] == "-" and arg[1:2] != "-" for flag in arg[1:]}
    if call.program == "cmp":
        return "s" in flags
    if call.program == "curl":
        return "s" in flags and "S" not in flags and not {"--show-error"} & set(call.args)
    if call.program == "command":
        return True
    return call.program in _ALWAYS_SILENT or call.program in _GREPS


def _captures_grep(node: Node) -> bool:
    """`x=$(... | grep y)` under `set -e`: what grep would print is in the variable."""
    value = node.named_children[-1]
    if value.type != "command_substitution" or not value.named_children:
        return False
    inner = _last_of(value.named_children[-1])
    call = simple_call(inner) if inner.type == "command" else None
    return call is not None and call.program in _GREPS


def _last_of(node: Node) -> Node:
    """What decides the status of a pipeline or of a list."""
    while node.type in {"pipeline", "list"}:
        node = node.named_children[-1]
    return node


def _hides_everything(text: str) -> bool:
    compact = text.replace(" ", "")
    return "&>/dev/null" in compact or (">/dev/null" in compact and "2>&1" in compact)


def _is_bare_test(node: Node) -> bool:
    """A statement that does nothing but test: without `set -e` its result goes nowhere."""
    if node.type in {"negated_command", "pipeline"}:
        return _is_bare_test(node.named_children[-1])
    if node.type == "redirected_statement":
        return _is_bare_test(node.named_children[0])
    call = simple_call(node) if node.type == "command" else None
    if call is None:
        return node.type == "test_command"
    quiet = any(arg[:1] == "-" and arg[1:2] != "-" and "q" in arg for arg in call.args)
    return call.program in {"test", "["} or (call.program in _GREPS and quiet)


def _exits(node: Node) -> bool:
    """`exit N` with a literal N other than 0."""
    call = simple_call(node) if node.type == "command" else None
    return (
        call is not None
        and call.program == "exit"
        and bool(call.args)
        and call.args[0].isdigit()
        and int(call.args[0]) != 0
    )


def _speaks(node: Node) -> bool:
    """Whether running *node* may leave a word on the output: any command that is not silent."""
    quiet = {"set", "cd", "export", "exit", "sleep", "true", ":", "mkdir", "rm", "kill", "shift"}
    for inner in walk(node):
        call = simple_call(inner) if inner.type == "command" else None
        if call is not None and not _silent_command(inner) and call.program not in quiet:
            return True
    return False


def _errexit_after(node: Node, before: bool) -> bool:
    call = simple_call(node) if node.type == "command" else None
    if call is None or call.program != "set":
        return before
    for option, following in zip(call.args, (*call.args[1:], ""), strict=True):
        if option[:1] in "-+" and ("e" in option[1:] or following == "errexit"):
            before = option[0] == "-"
    return before


def _speaks_for_itself(root: Node) -> bool:
    for node in walk(root):
        call = simple_call(node) if node.type == "command" else None
        if call is None:
            continue
        traces = call.program == "set" and any(arg[:1] == "-" and "x" in arg for arg in call.args)
        if traces or call.program == "trap":
            return True
    return False


def _spot(kind: Kind, node: Node) -> Spot:
    return Spot(kind, line_of(node), text_of(node).split("\n", 1)[0])
