"""
Calls that ask a program or a package manager for what it says of itself or of a package.

Tables of subcommands, and one rule for all programs: `--help`, a last `-h`, `help` as subcommand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from quickstarted.local_docs.steps import Step

AskKind = Literal["help", "manual", "metadata", "package_file"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that asks."""

    kind: AskKind
    what: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MANUALS = _words("apropos cheat info man perldoc pydoc pydoc3 ri tldr whatis")
_SUBCOMMANDS: dict[tuple[str, str], AskKind] = {
    **{
        (program, "show"): "metadata"
        for program in _words("pip pip3 apt apt-cache poetry composer")
    },
    **{
        (program, sub): "metadata"
        for program in _words("npm pnpm yarn bun")
        for sub in _words("view info show v")
    },
    **{("gem", sub): "metadata" for sub in _words("info specification")},
    **{("cargo", sub): "metadata" for sub in _words("info search")},
    **{("brew", sub): "metadata" for sub in _words("info desc")},
    ("dpkg", "-s"): "metadata",
    ("dpkg", "--status"): "metadata",
    ("npm", "docs"): "manual",
    ("go", "doc"): "manual",
    ("cargo", "doc"): "manual",
    ("rustup", "doc"): "manual",
    ("rustc", "--explain"): "manual",
}
_RUNNERS = (
    ("uv", "run"),
    ("uv", "tool", "run"),
    ("uv",),
    ("uvx",),
    ("pipx", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("npx",),
    ("npm", "exec"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "dlx"),
    ("bunx",),
)
_INTERPRETERS = re.compile(r"(python|pypy|node|ruby|perl|php|deno|bun)[\d.]*")
_PYTHON = re.compile(r"(python|pypy|ipython)[\d.]*")
_DATA = _words(
    "echo printf test [ [[ export set unset alias : true false read kill sleep exit trap"
)
_NO_SUBCOMMANDS = _words(
    "awk cat cd chmod chown cp curl cut diff egrep fgrep find grep hash head less ln ls mkdir more "
    "mv rg rm rmdir sed sort tail tar tee touch tr type uniq wc wget whereis which xargs"
)
_H_IS_NO_HELP = _words(
    "chgrp chown clickhouse-client createdb df docker dropdb du egrep fgrep free grep hostname ls "
    "mariadb mongo mongosh mysql mysqladmin mysqldump pg_dump pg_isready pg_restore podman psql "
    "redis-cli rg shutdown sort tail tar touch tree valkey-cli zgrep"
)
_CODE: tuple[tuple[re.Pattern[str], AskKind], ...] = (
    (re.compile(r"\bhelp\(\s*['\"]?([\w.]+)"), "manual"),
    (re.compile(r"\b([\w.]+(?:\(\))?)\.__doc__"), "manual"),
    (re.compile(r"\bpydoc\.\w+\(\s*['\"]?([\w.]+)"), "manual"),
    (re.compile(r"\bgetdoc\(\s*([\w.]+)"), "manual"),
    (re.compile(r"\bgetsource\w*\(\s*([\w.]+)"), "package_file"),
    (re.compile(r"\bmetadata\(\s*['\"]([\w.-]+)"), "metadata"),
)


def asked_by(step: Step) -> list[Asked]:
    """What *step* asks for; empty where it asks for nothing."""
    if code := _code(step):
        return [Asked(kind, match[1]) for rule, kind in _CODE for match in rule.finditer(code)]
    program, args = _unwrapped(step.call.program, step.call.args)
    kind = _kind(program, args)
    return [Asked(kind, " ".join([program, *args]))] if kind else []


def _kind(program: str, args: tuple[str, ...]) -> AskKind | None:
    if program in _DATA:
        return None
    if program in _MANUALS:
        return "manual" if args else None
    if program == "help" or _asks_for_help(program, args):
        return "help"
    return _by_subcommand(program, args)


def _by_subcommand(program: str, args: tuple[str, ...]) -> AskKind | None:
    for arg in args[:3]:
        if kind := _SUBCOMMANDS.get((program, arg)):
            return kind if len(args) > 1 or kind == "manual" else None
        if not arg.startswith("-"):
            return None
    return None


def _asks_for_help(program: str, args: tuple[str, ...]) -> bool:
    own = args[: args.index("--")] if "--" in args else args
    if any(re.fullmatch(r"--help(-\w+|=\w+)*|-help|-\?|--usage", arg) for arg in own):
        return True
    if own[-1:] == ("-h",) and program not in _H_IS_NO_HELP:
        return True
    operands = [arg for arg in own if not arg.startswith("-")]
    return operands[:1] == ["help"] and program not in _NO_SUBCOMMANDS


def _unwrapped(program: str, args: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Leave out what only runs another program: `npx`, `uv run`, `python -m`, `node script`."""
    every = (program, *args)
    for runner in _RUNNERS:
        if every[: len(runner)] == runner:
            rest = every[len(runner) :]
            while rest and rest[0] in {"-y", "--yes", "-q", "--quiet", "--"}:
                rest = rest[1:]
            if rest and not rest[0].startswith("-") and rest[0] not in {"help", "show"}:
                return _unwrapped(rest[0].rpartition("/")[2], rest[1:])
            return program, args
    if _INTERPRETERS.fullmatch(program) and args:
        rest = args[1:] if args[0] == "-m" else args
        if rest and not rest[0].startswith("-") and (args[0] == "-m" or len(rest) > 1):
            return rest[0].rpartition("/")[2], rest[1:]
    return program, args


def _code(step: Step) -> str:
    """The Python that is given to an interpreter by option or on its standard input."""
    call = step.call
    if not _PYTHON.fullmatch(call.program):
        return ""
    if "-c" in call.args[:-1]:
        return call.args[call.args.index("-c") + 1]
    return "" if call.operands else step.heredoc
