"""
`--arm`: what an agent has beside the documentation, or in place of it.

An arm is a folder whose content stands in the workspace before the agent starts (an AGENTS.md, a
skill), or one of two that need none: `docs`, a run as it is without the flag, and `no-docs`, in
which no page can be read. What an agent is told is the same in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quickstarted.condition import DOCS, NO_DOCS, Condition
from quickstarted.contents import content_hash, is_empty
from quickstarted.errors import ArmFault, UsageError

METAVAR = "NAME[=FOLDER]"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_RESERVED = "affordances-"
"""How the other kind of condition begins in the names of result folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm of a call."""

    name: str = DOCS
    folder: Path | None = None
    """Absolute; None for the arms that need none."""
    content_hash: str | None = None
    """`sha256:` and the digest of the folder's names, kinds and contents."""
    named: Path | None = None
    """What records call `folder`, where that is a copy on a node of a cluster."""

    @property
    def source(self) -> str | None:
        """The folder as records call it."""
        folder = self.named or self.folder
        return str(folder) if folder else None

    def check(self) -> None:
        """
        See that every attempt of a call gets the same.

        Raises:
            ArmFault: The folder is no longer as it was when the call began.

        """
        if self.folder is None:
            return
        try:
            is_same = self.content_hash == content_hash(self.folder)
        except OSError as exc:
            raise ArmFault(
                f"--arm {self.name}: {self.folder} cannot be read any more: {exc.strerror}",
                hint="Leave the folder as it is while its attempts are made.",
            ) from exc
        if not is_same:
            raise ArmFault(
                f"--arm {self.name}: {self.folder} has changed since the call began",
                hint="Its attempts could not be compared: run all of them again.",
            )


DEFAULT_ARM = Arm()


def arms_of(given: Sequence[str]) -> tuple[Arm, ...]:
    """
    The arms that a call names, in its order.

    Args:
        given: What was given to `--arm`; nothing means `docs`.

    Raises:
        UsageError: One is not written as `METAVAR` says, is given twice, or names no folder.

    """
    arms = tuple(_arm(text) for text in given) or (DEFAULT_ARM,)
    names = [arm.name for arm in arms]
    if doubles := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"--arm {', '.join(doubles)} is given more than once")
    return arms


def crossed(conditions: Sequence[Condition], arms: Sequence[Arm]) -> tuple[Condition, ...]:
    """
    Each of *conditions* in each of *arms*.

    Without documentation nothing that a site makes for agents can be served: `no-docs` stands once.
    """
    made: dict[Condition, None] = {}
    for condition in conditions:
        for arm in arms:
            under = Condition() if arm.name == NO_DOCS else condition
            made.setdefault(replace(under, arm=arm.name, arm_hash=arm.content_hash))
    return tuple(made)


def _arm(text: str) -> Arm:
    name, separator, given = text.partition("=")
    if not separator:
        return _named(name)
    if name in {DOCS, NO_DOCS}:
        raise UsageError(f"--arm {text}: {name} is an arm of its own, and takes no folder")
    if not _NAME.fullmatch(name) or name.startswith(_RESERVED):
        raise UsageError(
            f"--arm {text}: {name!r} cannot be the name of an arm",
            hint="A name has up to 40 letters, digits, '.', '_' and '-', and does not begin with"
            f" {_RESERVED}: result folders are called by it.",
        )
    return _with_folder(name, Path(given).expanduser().absolute())


def _named(name: str) -> Arm:
    if name in {DOCS, NO_DOCS}:
        return Arm(name=name)
    raise UsageError(
        f"--arm {name}: there is no arm {name!r}",
        hint=f"There are {DOCS} and {NO_DOCS}; one of your own is written {name or 'NAME'}=FOLDER.",
    )


def _with_folder(name: str, folder: Path) -> Arm:
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "there is no such folder"
        raise UsageError(
            f"--arm {name}={folder}: {what}",
            hint="Its content is copied into the workspace: put the file into a folder.",
        )
    try:
        if is_empty(folder):
            raise UsageError(f"--arm {name}={folder}: the folder is empty")
        return Arm(name=name, folder=folder, content_hash=content_hash(folder))
    except OSError as exc:
        raise UsageError(f"--arm {name}={folder}: cannot be read: {exc.strerror}") from exc
