"""From the blocks of a page to the steps of a reader, in the order of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quickstarted.docs.code_blocks import CodeBlock
from quickstarted.page_steps.alternatives import (
    Labelled,
    chosen,
    is_said_to_be_another_way,
    label_of,
    not_taken,
    other_system,
)
from quickstarted.page_steps.file_names import file_of
from quickstarted.page_steps.model import Command, Skipped, Step, WriteFile
from quickstarted.page_steps.placeholders import placeholder_in
from quickstarted.page_steps.programs import (
    COMMON,
    ENDS_SHELL,
    NEEDS_SCREEN,
    OTHER_SYSTEM,
    installs,
    managers_named,
    program_of,
    runs_own_code,
)
from quickstarted.page_steps.prompts import (
    SESSION_LANGUAGES,
    is_other_program,
    is_windows,
    prompts_of,
)
from quickstarted.page_steps.statements import Statement, before_server, statements_of
from quickstarted.task.findings.shell import parse

SHELL_LANGUAGES = frozenset({"bash", "sh", "shell", "shellscript", "zsh"}) | SESSION_LANGUAGES
OTHER_SHELLS = frozenset(
    {"bat", "batch", "batchfile", "cmd", "doscon", "dosbatch", "fish", "powershell", "ps1", "pwsh"}
    | {"pwsh-session", "ps1con", "nushell", "nu"}
)
NOT_FILES = frozenset({"diff", "output", "pycon", "pytb", "tree", "mermaid", "http", "patch"})
_PROGRAM = re.compile(r"[a-z][a-z0-9._+-]*|\./\S+")
_OUTPUT = re.compile(
    r"\b(?:output|prints?|printed|repl(?:y|ies)|respon(?:ds|se)|you(?:'|\u2019)?ll see|"
    r"you will see|you should see|will show|appear|displays?)\b[^.]*:?$",
    re.IGNORECASE,
)
_CHANGES_INTO = re.compile(
    r"\b(?:cd|change|go|move|navigate|switch|step)\b (?:directory )?(?:in)?to (?:the |your )?"
    r"(?:outer |new |newly created |project |root )*[`*]+(?P<folder>~?[\w./-]+)[`*]+"
    r"(?: (?:project|root|app))* (?:director(?:y|ies)|folder)",
    re.IGNORECASE,
)
_SYNOPSIS = frozenset({"synopsis", "usage"})


@dataclass(frozen=True, slots=True)
class _Read:
    """A block, and what of it is known before the blocks round it are looked at."""

    block: CodeBlock
    steps: tuple[Step, ...] = ()
    commands: tuple[str, ...] = ()
    """Of a shell block that is for this sandbox."""
    other_ways: tuple[str, ...] = ()


def steps_of(blocks: Sequence[CodeBlock]) -> list[Step]:
    """What a reader of the page does with its blocks, every block accounted for."""
    read = [_read(block) for block in blocks]
    return [step for group in _groups(read) for step in _group_steps(group)]


def commands_in(block: CodeBlock) -> list[str]:
    """
    The commands of *block* where it is shell code, whatever system or way it is for.

    Comments are left out; where there are prompts, so is all that has none.
    """
    if not _is_shell(block):
        return []
    return [statement.text for statement in _statements(block)]


def _read(block: CodeBlock) -> _Read:
    def skipped(reason: str) -> _Read:
        return _Read(block, (Skipped(text=block.text, line=block.line, reason=reason),))

    system = "Windows" if is_windows(block.text) else other_system(block)
    if block.language in OTHER_SHELLS or system:
        return skipped(f"for {system or block.language}")
    if not _is_shell(block):
        return _file_or_nothing(block)
    if block.is_aside:
        return skipped("in a note beside the text")
    named = file_of(block)
    if named and (block.text.startswith("#!") or named.path.endswith((".sh", ".bash"))):
        written = WriteFile(
            path=named.path, text=block.text, line=block.line, appends=named.appends
        )
        return _Read(block, (written,))
    taken, left = chosen(_statements(block))
    if taken and all(program_of(command) in OTHER_SYSTEM for command in taken):
        return skipped("for another system's package manager")
    return _Read(block, commands=tuple(taken), other_ways=tuple(left))


def _file_or_nothing(block: CodeBlock) -> _Read:
    named = None if block.language in NOT_FILES or is_other_program(block.text) else file_of(block)
    if named is None:
        kind = f"{block.language} code" if block.language else "no shell code"
        reason = f"{kind}, and the page names no file for it"
    elif block.is_aside:
        reason = "in a note beside the text"
    elif named.appends and named.path.endswith((".json", ".jsonc", ".json5")):
        reason = f"a part of {named.path}, and a reader sees where in it"
    else:
        step: Step = WriteFile(
            path=named.path, text=block.text, line=block.line, appends=named.appends
        )
        return _Read(block, (step,))
    return _Read(block, (Skipped(text=block.text, line=block.line, reason=reason),))


def _is_shell(block: CodeBlock) -> bool:
    if prompts_of(block.text, block.language):
        return True
    if block.language in SESSION_LANGUAGES:
        return _looks_like_commands(block, any_program=True)
    if block.language in SHELL_LANGUAGES:
        return not is_other_program(block.text)
    return not block.language and _looks_like_commands(block, any_program=False)


def _looks_like_commands(block: CodeBlock, *, any_program: bool) -> bool:
    """Whether each statement of a block without prompts calls a program, or a well-known one."""
    if (block.section and block.section[-1].lower() in _SYNOPSIS) or is_other_program(block.text):
        return False
    lines = [line for line in block.text.splitlines() if line.strip()]
    if not lines or lines[0][:1].isspace():
        return False
    if parse(block.text).has_error or _OUTPUT.search(block.lead):
        return False
    programs = [program_of(one.text) for one in statements_of(block.text)]
    return bool(programs) and all(
        program in COMMON or (any_program and _PROGRAM.fullmatch(program)) for program in programs
    )


def _statements(block: CodeBlock) -> list[Statement]:
    code = block.text.expandtabs(4)
    prompts = prompts_of(code, block.language)
    if prompts is None:
        return statements_of(block.text)
    return [Statement(command, "") for command in prompts.typed(code.splitlines())]


def _groups(read: Sequence[_Read]) -> Iterator[list[_Read]]:
    """Blocks that may be ways to do one thing: labelled, or with nothing but "or" between them."""
    group: list[_Read] = []
    for one in read:
        goes_on = (
            bool(group)
            and bool(one.commands)
            and one.block.section == group[-1].block.section
            and _is_variant(one, group[-1])
        )
        if not goes_on and group:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _is_variant(one: _Read, before: _Read) -> bool:
    """Whether the page shows *one* as it shows another way of what it has shown *before*."""
    block = one.block
    if block.tab or is_said_to_be_another_way(block) or managers_named(label_of(block)):
        return True
    both = (*before.commands[:1], *one.commands[:1])
    return not block.lead and len(both) == 2 and all(installs(command) for command in both)


def _group_steps(group: list[_Read]) -> Iterator[Step]:
    left = not_taken([Labelled(one.block, one.commands) for one in group])
    for at, one in enumerate(group):
        yield from one.steps
        line = one.block.line
        if at in left:
            yield Skipped(text=one.block.text, line=line, reason=f"another way than `{left[at]}`")
        elif one.commands and at and is_said_to_be_another_way(one.block):
            yield Skipped(text=one.block.text, line=line, reason="said to be another way")
        else:
            if one.commands and (match := _CHANGES_INTO.search(one.block.lead)):
                folder = match["folder"].rstrip("/.")
                yield Command(text=f"if [ -d {folder} ]; then cd {folder}; fi", line=line)
            yield from (step for text in one.commands for step in _command_steps(text, line))
            for text in one.other_ways:
                yield Skipped(text=text, line=line, reason="another way than the one taken")


def _command_steps(text: str, line: int) -> Iterator[Step]:
    program = program_of(text)
    if placeholder := placeholder_in(text):
        reason = f"a reader puts something in the place of `{placeholder}`"
        yield Skipped(text=text, line=line, reason=reason, is_placeholder=True)
    elif program in NEEDS_SCREEN:
        yield Skipped(text=text, line=line, reason=f"{program} waits for a person at a screen")
    elif program in ENDS_SHELL:
        yield Skipped(text=text, line=line, reason=f"{program} is about the reader's own terminal")
    else:
        first, server = before_server(text)
        if first:
            yield Command(text=first, line=line, may_serve=not server and runs_own_code(first))
        if server:
            yield Command(text=server, line=line, may_serve=True)
