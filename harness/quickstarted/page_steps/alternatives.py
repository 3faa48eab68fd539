"""
Where a page shows several ways to do one thing, a reader takes one.

Of package managers of one kind, pip, npm and apt are taken where they are shown, because images
have them; else the first of the list in `programs`. What is for another system is never taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quickstarted.docs.code_blocks import CodeBlock
from quickstarted.page_steps.programs import manager_of, managers_named
from quickstarted.page_steps.statements import Statement

_WINDOWS = re.compile(
    r"\bwindows\b|\bpowershell\b|\bcmd(?:\.exe)?\b|\bcommand prompt\b", re.IGNORECASE
)
_MAC = re.compile(r"\bmac ?os\b|\bos ?x\b|\bhomebrew\b|\bmacs?\b|\bdarwin\b", re.IGNORECASE)
_UNIX = re.compile(
    r"\blinux\b|\bunix\b|\bdebian\b|\bubuntu\b|\bbash\b|\bzsh\b|\bposix\b", re.IGNORECASE
)
_OTHER_SHELL = re.compile(r"\bfish\b|\bnushell\b|\bcsh\b|\btcsh\b|\bxonsh\b", re.IGNORECASE)
_OR = re.compile(r"^(?:or|alternatively|otherwise|instead)\b", re.IGNORECASE)
MOST_LABEL_CHARS = 80


@dataclass(frozen=True, slots=True)
class Labelled:
    """A shell block and its commands, on the way to a choice."""

    block: CodeBlock
    commands: tuple[str, ...]


def label_of(block: CodeBlock) -> str:
    """What names the variant: the tab, else a short line before the block."""
    if block.tab:
        return block.tab
    return block.lead if len(block.lead) <= MOST_LABEL_CHARS else ""


def other_system(block: CodeBlock) -> str:
    """For which system or shell the block is, where that is not the sandbox's; else empty."""
    label = label_of(block)
    if _UNIX.search(label):
        return ""
    for pattern, name in ((_WINDOWS, "Windows"), (_MAC, "macOS"), (_OTHER_SHELL, "another shell")):
        if pattern.search(label):
            return "" if name == "macOS" and block.tab == "" and len(label) > 40 else name
    return ""


def is_said_to_be_another_way(block: CodeBlock) -> bool:
    """Whether the words before it begin with "or", and a block is before those."""
    return bool(_OR.match(block.lead))


def not_taken(group: Sequence[Labelled]) -> dict[int, str]:
    """
    Of blocks that stand one after the other, those whose way is not taken.

    Returns:
        Index in *group* to the label of the way that is taken instead.

    """
    managers = [_manager(one) for one in group]
    families = {manager[0] for manager in managers if manager}
    left: dict[int, str] = {}
    for family in families:
        ours = [at for at, manager in enumerate(managers) if manager and manager[0] == family]
        ranks = {manager[1] for at in ours if (manager := managers[at])}
        if len(ranks) > 1:
            best = min(ours, key=lambda at: managers[at][1])  # type: ignore[index]
            taken = managers[best]
            left |= {at: _way(group[best]) for at in ours if managers[at] != taken}
    return left


def chosen(statements: Iterable[Statement]) -> tuple[list[str], list[str]]:
    """
    Of the statements of one block, those that are taken, and those whose way is not.

    Ways are told apart by the comment before each, which names its package manager.
    """
    known = list(statements)
    labels = [managers_named(one.comment) for one in known]
    families = {label[0][0] for label in labels if label}
    taken: list[str] = []
    left: list[str] = []
    for one, label in zip(known, labels, strict=True):
        ranks = [other[0][1] for other in labels if other and label and other[0][0] == label[0][0]]
        is_other_way = bool(families) and bool(label) and label[0][1] != min(ranks)
        (left if is_other_way else taken).append(one.text)
    return taken, left


def _manager(one: Labelled) -> tuple[str, int] | None:
    named = managers_named(label_of(one.block))
    if len(named) == 1:
        return named[0]
    return next((found for command in one.commands if (found := manager_of(command))), None)


def _way(one: Labelled) -> str:
    return one.commands[0].splitlines()[0] if one.commands else label_of(one.block)
