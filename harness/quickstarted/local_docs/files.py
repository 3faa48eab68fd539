"""
Which files a command shows, and which of them are documentation that came with something.

Two tables: programs that print files, and places and names of files. What the agent has written
itself is none, nor is what only copies, lists or counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from quickstarted.local_docs.steps import Step

FileKind = Literal["package_file", "system_file", "repository_file", "readme"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How a program that prints files is called."""

    values: frozenset[str] = frozenset()
    """Options whose value is the next word."""
    script: frozenset[str] | None = None
    """Where the first operand is no file: the options that stand in its place."""
    quiet: frozenset[str] = frozenset()
    """Options with which nothing of the file is shown."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN = Reader()
_PART = Reader(values=_words("-n -c --lines --bytes"))
_SEARCH = Reader(
    values=_words("-e -f -A -B -C -m -d -g -t -T --include --exclude --exclude-dir --glob --type"),
    script=_words("-e -f --regexp --file"),
    quiet=_words("-l -L -c -q --files-with-matches --count --quiet --silent --files"),
)
_PATTERN = Reader(values=_words("-F -v -f --file --arg --argjson"), script=_words("-f --file"))

READERS: dict[str, Reader] = {
    **dict.fromkeys(
        _words(
            "bzcat cat glow html2text less lynx mdcat more most nl od strings tac view w3m xxd"
            " xzcat zcat zless zmore"
        ),
        _PLAIN,
    ),
    **dict.fromkeys(["head", "tail"], _PART),
    **dict.fromkeys(_words("ack ag egrep fgrep grep rg zgrep"), _SEARCH),
    **dict.fromkeys(_words("awk gawk jq mawk yq"), _PATTERN),
    **dict.fromkeys(["bat", "batcat"], Reader(values=_words("-l -r --language --line-range"))),
    "cut": Reader(values=_words("-d -f -c -b")),
    "fold": Reader(values=_words("-w")),
    "pandoc": Reader(values=_words("-f -t -o --from --to"), quiet=_words("-o")),
    "sed": Reader(
        values=_words("-e -f --expression --file"),
        script=_words("-e -f --expression --file"),
        quiet=_words("-i --in-place"),
    ),
}

_SYSTEM = re.compile(r"^/usr/(local/)?share/(doc|man|info|gtk-doc|doc-base)(/|$)")
_PACKAGE = re.compile(
    r"(^|[/\s])(site-packages|dist-packages|node_modules|pkg/mod|\.cargo/registry|gems|vendor/bundle|"
    r"\.m2/repository|\.rustup/toolchains)([/\s]|$)"
    r"|^/usr/(local/)?lib/(python3|node_modules|ruby|go|rustlib|perl|php)"
    r"|^/usr/(local/)?(go/src|include)(/|$)"
)
_WHERE_PACKAGES_ARE = re.compile(
    r"[$`(].*(__file__|__path__|getsitepackages|sysconfig|purelib|npm (root|prefix)|GOMODCACHE|"
    r"GOPATH|GOROOT|go list|gem (env|contents)|bundle (show|info)|find_spec|pip show|which |"
    r"command -v)"
)
_README = re.compile(
    r"(?i)^(readme|install|installation|changelog|changes|history|news|usage|contributing|"
    r"getting[-_]?started|quick[-_]?start|tutorial|upgrading|migration)(\.\w+)*$"
)
_DOCS_FOLDER = re.compile(r"(?i)(^|/)docs?/(.*/)?[^/]+\.(md|mdx|rst|txt|adoc|html?|ipynb)$")


def files_of(step: Step) -> Iterator[str]:
    """Paths whose content *step* prints; absolute where the command tells."""
    call = step.call
    if call.program == "find":
        yield from _found(step)
        return
    if call.program == "xargs":
        rest = [arg for arg in call.args if not arg.startswith("-")]
        if rest and rest[0].rpartition("/")[2] in READERS:
            yield step.pipeline
        return
    reader = READERS.get(call.program)
    if reader is None or _is_quiet(call.args, reader):
        return
    for word in _operands(call.args, reader):
        yield step.shell.path(word)
    yield from step.reads


def kind_of(path: str, *, clones: frozenset[str], written: frozenset[str]) -> FileKind | None:
    """
    Say what *path* is as documentation; None where it is none, or the agent's own.

    Args:
        path: As `files_of` gives it.
        clones: Folders that the agent has cloned.
        written: Files that the agent has written.

    """
    if path in written:
        return None
    if _SYSTEM.search(path):
        return "system_file"
    if _PACKAGE.search(path) or _WHERE_PACKAGES_ARE.search(path):
        return "package_file"
    if any(path == clone or path.startswith(f"{clone}/") for clone in clones):
        return "repository_file"
    if _README.match(path.rpartition("/")[2]) or _DOCS_FOLDER.search(path):
        return "readme"
    return None


def cloned_by(step: Step) -> str | None:
    """The folder that `git clone` and its like make."""
    call = step.call
    match [call.program, *call.args]:
        case ["git", *args] if "clone" in args:
            rest = args[args.index("clone") + 1 :]
        case ["gh", "repo", "clone", *rest] | ["degit", *rest] | ["npx", "degit", *rest]:
            pass
        case _:
            return None
    values = _words("-b --branch --depth -o --origin -c --config --filter -j --jobs --reference")
    operands = list(_operands(tuple(rest), Reader(values=values)))
    if not operands:
        return None
    source = operands[0].rstrip("/").removesuffix(".git")
    name = operands[1] if len(operands) > 1 else re.split(r"[/:]", source)[-1]
    return step.shell.path(name)


def written_by(step: Step) -> Iterator[str]:
    """Files that *step* makes."""
    yield from step.writes
    if step.call.program in {"tee", "touch"}:
        yield from (step.shell.path(word) for word in step.call.operands)


def _found(step: Step) -> Iterator[str]:
    """`find DIR -name PATTERN -exec cat {} +`."""
    args = step.call.args
    for at, arg in enumerate(args[:-1]):
        if arg in {"-exec", "-execdir"} and args[at + 1].rpartition("/")[2] in READERS:
            names = [args[n + 1] for n, one in enumerate(args[:at]) if one in {"-name", "-iname"}]
            folders = [step.shell.path(word) for word in args[:1] if not word.startswith("-")]
            yield "/".join([*(folders or ["."]), *names[:1]])
            return


def _is_quiet(args: tuple[str, ...], reader: Reader) -> bool:
    for arg in args:
        if arg.partition("=")[0] in reader.quiet:
            return True
        letters = arg[1:] if re.fullmatch(r"-[A-Za-z]+", arg) else ""
        if any(f"-{letter}" in reader.quiet for letter in letters):
            return True
    return False


def _operands(args: tuple[str, ...], reader: Reader) -> Iterator[str]:
    todo = list(args)
    has_script = reader.script is None
    while todo:
        word = todo.pop(0)
        if word == "--":
            rest = todo if has_script else todo[1:]
            yield from rest
            return
        if word.startswith("-") and word != "-":
            has_script = has_script or word.partition("=")[0] in (reader.script or ())
            if word in reader.values and todo:
                todo.pop(0)
        elif not has_script:
            has_script = True
        elif word != "-":
            yield word
