"""Shell code out of pages: without prompts and output, one command an item."""

from __future__ import annotations

import re

from quickstarted.task.findings.shell import parse, text_of

_PROMPT = re.compile(r"^(?:\([\w.-]+\)\s*)?[$%] +(?=\S)")
_CONTINUATION = re.compile(r"^> ?")


def has_prompts(code: str) -> bool:
    """Whether the first line of *code* that says something starts with a prompt."""
    first = next((line for line in code.splitlines() if line.strip()), "")
    return _PROMPT.match(first) is not None


def commands_of(code: str) -> list[str]:
    """
    The commands of a block of shell code, comments left out.

    Where there are prompts, what has none is output. Code with a heredoc stays in one piece.
    """
    code = code.expandtabs(4) if has_prompts(code) else code
    if has_prompts(code):
        return _prompted(code.splitlines())
    if "<<" in code:
        return [code.strip("\n")]
    root = parse(code)
    if root.has_error:
        return [code.strip("\n")] if code.strip() else []
    return [
        text
        for node in root.named_children
        if node.type != "comment" and (text := text_of(node).strip())
    ]


def _prompted(lines: list[str]) -> list[str]:
    commands: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on:
            commands[-1] += "\n" + _CONTINUATION.sub("", line)
        elif match := _PROMPT.match(line):
            commands.append(line[match.end() :].rstrip())
        else:
            continue
        goes_on = commands[-1].endswith("\\")
    return commands
