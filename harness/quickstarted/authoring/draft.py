"""What a new task file will say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A success check that is known so far."""

    values: Mapping[str, Any]
    """The `success` block."""
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A task before it is a file; the comments are lines for its author."""

    name: str
    url: str
    """Normalised."""
    goal: str = ""
    """Empty: one is made from `title`."""
    title: str = ""
    image: str = ""
    """Empty: the default."""
    docs_allow: tuple[str, ...] = ()
    sites: Mapping[str, str] = field(default_factory=dict)
    """URL prefix to what stands in for its pages, as the file says it."""
    network_allow: tuple[str, ...] = ()
    network_comments: tuple[str, ...] = ()
    replay: tuple[str, ...] = ()
    replay_comments: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    """Commands of the page; they stand in a comment."""
    problem: str = ""
    """Why the page could not be read."""
    check: Check | None = None
    """None: one that fails until the author writes one."""
