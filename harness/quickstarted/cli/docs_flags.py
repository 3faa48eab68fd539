"""The flags that say how documentation is fetched, and the library that they make."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import click

from quickstarted.cli.finite import FiniteRange
from quickstarted.cli.typed_paths import TypedPath
from quickstarted.errors import UsageError

if TYPE_CHECKING:
    from quickstarted.docs import DocsLibrary, DocsOptions

DEFAULT_RATE_LIMIT_S = 0.5
"""
A model takes longer than this from one read to the next, so that a single attempt waits only
between robots.txt and the first page; many attempts at once are what it is for.
"""
_Command = TypeVar("_Command", bound=Callable[..., Any])
_FLAGS = (
    click.option(
        "--cache-dir",
        type=TypedPath(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Where pages are kept between runs; default: $XDG_CACHE_HOME/quickstarted/docs.",
    ),
    click.option(
        "--refresh",
        is_flag=True,
        help="Fetch pages again also where the kept ones are still good; say which have changed.",
    ),
    click.option("--offline", is_flag=True, help="Read kept pages only; ask no server for any."),
    click.option(
        "--rate-limit",
        type=FiniteRange(0),
        default=DEFAULT_RATE_LIMIT_S,
        show_default=True,
        metavar="S",
        help="Seconds between two requests to one documentation host, over all attempts.",
    ),
    click.option(
        "--ignore-robots", is_flag=True, help="Read pages that a site's robots.txt forbids."
    ),
)


class DocsFlags(Protocol):
    """The values of the flags, among others."""

    @property
    def cache_dir(self) -> Path | None: ...  # noqa: D102
    @property
    def refresh(self) -> bool: ...  # noqa: D102
    @property
    def offline(self) -> bool: ...  # noqa: D102
    @property
    def rate_limit(self) -> float: ...  # noqa: D102
    @property
    def ignore_robots(self) -> bool: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True)
class FetchFlags:
    """The values of the flags, and nothing else."""

    cache_dir: Path | None = None
    refresh: bool = False
    offline: bool = False
    rate_limit: float = DEFAULT_RATE_LIMIT_S
    ignore_robots: bool = False

    @classmethod
    def out_of(cls, flags: dict[str, Any]) -> Self:
        """
        Take them out of all *flags* of a command.

        Raises:
            UsageError: They contradict each other.

        """
        found = cls(**{field.name: flags.pop(field.name) for field in fields(cls)})
        refuse_contradictions(found)
        return found

    def given(self) -> list[str]:
        """Names of those that are not as they are by default, as they are typed."""
        return [
            f"--{field.name.replace('_', '-')}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]


def docs_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def refuse_contradictions(flags: DocsFlags) -> None:
    """
    Refuse flags that say opposite things.

    Raises:
        UsageError: They do.

    """
    if flags.offline and flags.refresh:
        raise UsageError(
            "--offline and --refresh contradict each other",
            hint="--refresh fetches every page again, --offline fetches none.",
        )


def library_for(flags: DocsFlags, *, note: Callable[[str], None]) -> DocsLibrary:
    """
    Make what all attempts of a call share.

    Raises:
        UsageError: Flags or environment contradict each other, or name no usable folder.

    """
    # httpx and all of the documentation client are loaded only where attempts are made.
    from quickstarted.docs import DocsLibrary  # noqa: PLC0415

    options = docs_options(flags)
    if flags.ignore_robots:
        note("note: robots.txt of documentation hosts is not asked (--ignore-robots)")
    return DocsLibrary(options, note=note)


def docs_options(flags: DocsFlags) -> DocsOptions:
    """
    How documentation is fetched.

    Raises:
        UsageError: Flags or environment contradict each other, or name no usable folder.

    """
    from quickstarted.docs import DocsOptions, configured_cache  # noqa: PLC0415

    refuse_contradictions(flags)
    folder, max_bytes = configured_cache(os.environ, flags.cache_dir)
    if flags.offline and folder is None:
        raise UsageError(
            "--offline: nothing is kept here, since QUICKSTARTED_DOCS_CACHE_SIZE is 0",
            hint="Unset it, or name a folder with --cache-dir.",
        )
    return DocsOptions(
        cache_dir=folder,
        max_cache_bytes=max_bytes,
        freshness="offline" if flags.offline else "refresh" if flags.refresh else "revalidate",
        respect_robots=not flags.ignore_robots,
        rate_limit_s=flags.rate_limit,
    )
