"""The flags of `quickstarted run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quickstarted.cli.executors import Executor
from quickstarted.matrix import Cell

if TYPE_CHECKING:
    from quickstarted.prices import PriceTable
    from quickstarted.results import GateRule


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The flags of one call."""

    typed: frozenset[str]
    """Names of the parameters that the command line has; others are defaults, or of a file."""
    agent: tuple[str, ...]
    model: str | None
    matrix: Path | None
    keyword: str | None
    tag: tuple[str, ...]
    changed_since: str | None
    last_failed: bool
    only: tuple[str, ...]
    shard: str | None
    durations: Path | None
    plan: bool
    repeat: int
    gate: GateRule | None
    strict_inconclusive: bool
    out: Path
    workers: int
    limit: tuple[str, ...]
    resume: bool
    retries: int
    min_free_disk: float
    min_free_memory: float
    image: str
    docs_site: tuple[str, ...]
    example: tuple[str, ...]
    affordances: tuple[str, ...]
    arm: tuple[str, ...]
    probe_affordances: bool
    prices: Path | None
    refresh_prices: bool
    max_spend: float | None
    cache_dir: Path | None
    refresh: bool
    offline: bool
    rate_limit: float
    ignore_robots: bool
    keep_sandbox: bool
    upstream_ca: Path | None
    no_package_cache: bool
    executor: Executor
    forward_env: tuple[str, ...]
    backend: str
    allow_unenforced: bool
    junit: Path | None
    github_summary: bool
    github_annotations: bool | None
    show_prompt: bool
    verbose: bool
    quiet: bool
    as_json: bool


@dataclass(frozen=True, kw_only=True)
class RunCall:
    """One call: what is to be run, and how."""

    run_id: str
    attempts: Sequence[tuple[Cell, int]]
    """Cell and number, in the order in which they are begun."""
    whole: Sequence[tuple[Cell, int]]
    """The same of all shards."""
    shard: tuple[int, int] | None
    """Its number, from 1, and of how many."""
    nested: bool
    """Whether the folders of results are by agent and number (`ResultsDir`)."""
    prices: PriceTable | None
    options: RunOptions

    @property
    def images(self) -> list[str]:
        """That its attempts will ask for, each once."""
        asked = (cell.task.image or self.options.image for cell, _ in self.attempts)
        return list(dict.fromkeys(asked))

    @property
    def task_names(self) -> list[str]:
        """Of the tasks that are run, each once."""
        return list(dict.fromkeys(cell.task.name for cell, _ in self.attempts))
