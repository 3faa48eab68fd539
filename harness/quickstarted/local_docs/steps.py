"""
A shell command as the simple commands that it runs, each with where it runs and what it names.

As far as the text tells: `cd`, literal variables and loops over literal words are followed, and
what only the shell knows stands as it is written.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from quickstarted.task.findings.shell import Call, parse, simple_call, text_of, walk

MAX_CHARS = 100_000
"""A longer command is not looked at."""
MAX_OPENED = 2_000
"""Nor is one with more opening parentheses: parsing takes the square of the depth."""
_MAX_DEPTH = 100
_MAX_WORDS = 200
_REDIRECTS = {"<": {"<"}, ">": {">", ">>", "&>", "&>>", ">|"}}
_SHELLS = frozenset({"bash", "sh", "dash", "ash", "zsh"})
_OWN_SHELL = frozenset({"subshell", "command_substitution", "process_substitution"})
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(slots=True)
class Shell:
    """What is known of the agent's shell."""

    cwd: str | None = None
    """None where nobody has said."""
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name to its value, or to each of its values in a loop."""

    def copy(self) -> Shell:
        """A shell of its own, whose changes end with it."""
        return Shell(self.cwd, dict(self.variables))

    def path(self, word: str) -> str:
        """*word* as an absolute path where that can be told."""
        if self.cwd is None or word.startswith(("/", "~", "$", "`")):
            return posixpath.normpath(word)
        return posixpath.normpath(posixpath.join(self.cwd, word))

    def expanded(self, word: str) -> tuple[str, ...]:
        """The words that *word* stands for."""
        names = [one or other for one, other in _VARIABLE.findall(word)]
        known = [name for name in names if name in self.variables]
        if not known:
            return (word,)
        several = max((self.variables[name] for name in known), key=len)
        return tuple(self._filled(word, index) for index in range(len(several)))

    def _filled(self, word: str, index: int) -> str:
        def value(match: re.Match[str]) -> str:
            values = self.variables.get(match[1] or match[2])
            return match[0] if not values else values[min(index, len(values) - 1)]

        return _VARIABLE.sub(value, word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One simple command."""

    call: Call
    shell: Shell
    """As it was when the command started."""
    reads: tuple[str, ...] = ()
    """Files on its standard input."""
    writes: tuple[str, ...] = ()
    """Files that its output goes to."""
    heredoc: str = ""
    """Text on its standard input."""
    pipeline: str = ""
    """The whole pipeline that it is part of."""


def steps(command: str, shell: Shell) -> Iterator[Step]:
    """The simple commands of *command* in the order of its text; *shell* changes with them."""
    if len(command) <= MAX_CHARS and command.count("(") <= MAX_OPENED:
        yield from _Walk().node(parse(command), shell, 0)


@dataclass(frozen=True, slots=True)
class _Walk:
    """The way through a syntax tree, with what surrounds the node at hand."""

    redirects: tuple[Node, ...] = ()
    pipeline: str = ""

    def node(self, node: Node, shell: Shell, depth: int) -> Iterator[Step]:
        if depth > _MAX_DEPTH or node.type in {"function_definition", "heredoc_body"}:
            return
        if node.type in _OWN_SHELL:
            yield from _Walk()._children(node, shell.copy(), depth)  # noqa: SLF001 (its own kind)
        elif node.type == "pipeline":
            inside = replace(self, pipeline=text_of(node))
            for child in node.named_children:
                yield from inside.node(child, shell.copy(), depth + 1)
        elif node.type == "redirected_statement":
            yield from self._redirected(node, shell, depth)
        elif node.type == "command":
            yield from self._command(node, shell, depth)
        elif node.type == "for_statement":
            _loop(node, shell)
            yield from self._children(node, shell, depth)
        else:
            yield from self._children(node, shell, depth)
            if node.type == "variable_assignment":
                _assign(node, shell)

    def _children(self, node: Node, shell: Shell, depth: int) -> Iterator[Step]:
        for child in node.named_children:
            yield from replace(self, redirects=()).node(child, shell, depth + 1)

    def _redirected(self, node: Node, shell: Shell, depth: int) -> Iterator[Step]:
        body = node.child_by_field_name("body")
        own = tuple(child for child in node.named_children if child.type.endswith("_redirect"))
        if body is not None:
            yield from replace(self, redirects=(*self.redirects, *own)).node(body, shell, depth + 1)
        for redirect in own:
            yield from self._children(redirect, shell, depth)

    def _command(self, node: Node, shell: Shell, depth: int) -> Iterator[Step]:
        yield from self._children(node, shell, depth)
        call = simple_call(node)
        if call is None:
            return
        step = self._step(_expanded(call, shell), shell)
        yield step
        if step.call.program in {"cd", "pushd"}:
            target = next(iter(step.call.operands), "~")
            shell.cwd = None if target == "-" else shell.path(target)
        yield from _nested(step, depth)

    def _step(self, call: Call, shell: Shell) -> Step:
        files = [
            found
            for redirect in self.redirects
            for found in walk(redirect)
            if found.type == "file_redirect"
        ]
        bodies = [
            text_of(found)
            for redirect in self.redirects
            for found in walk(redirect)
            if found.type == "heredoc_body"
        ]
        return Step(
            call=call,
            shell=shell.copy(),
            reads=tuple(_targets(files, "<", shell)),
            writes=tuple(_targets(files, ">", shell)),
            heredoc="\n".join(bodies),
            pipeline=self.pipeline,
        )


def _expanded(call: Call, shell: Shell) -> Call:
    args = [word for arg in call.args[:_MAX_WORDS] for word in shell.expanded(arg)]
    (program, *more) = shell.expanded(call.program)
    return replace(call, program=posixpath.basename(program), args=(*more, *args))


def _nested(step: Step, depth: int) -> Iterator[Step]:
    """What `sh -c` and a heredoc for a shell run."""
    call = step.call
    script = ""
    if call.program in _SHELLS:
        flag = next((at for at, arg in enumerate(call.args) if re.fullmatch(r"-\w*c", arg)), None)
        if flag is not None:
            script = next(iter(call.args[flag + 1 :]), "")
        elif not call.operands:
            script = step.heredoc
    elif call.program == "eval":
        script = " ".join(call.args)
    if script and depth < _MAX_DEPTH:
        yield from _Walk().node(parse(script), step.shell.copy(), depth + 1)


def _targets(redirects: list[Node], direction: str, shell: Shell) -> Iterator[str]:
    for redirect in redirects:
        target = redirect.child_by_field_name("destination")
        signs = [child.type for child in redirect.children if not child.is_named]
        if target is not None and any(
            sign.strip("&|") in {direction, direction * 2} for sign in signs
        ):
            for word in shell.expanded(_unquoted(target)):
                yield shell.path(word)


def _assign(node: Node, shell: Shell) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None and value is not None:
        shell.variables[text_of(name)] = shell.expanded(_unquoted(value))


def _loop(node: Node, shell: Shell) -> None:
    name = node.child_by_field_name("variable")
    values = node.children_by_field_name("value")
    words = [word for value in values[:_MAX_WORDS] for word in shell.expanded(_unquoted(value))]
    if name is not None and words:
        shell.variables[text_of(name)] = tuple(words)


def _unquoted(node: Node) -> str:
    text = text_of(node)
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text
