"""
What an attempt and a whole run of attempts amount to: the documents `results.json` is made of.

Everything in a `RunResult` comes from the attempt's trace (`quickstarted.results.summary`), so a
results file can be made again from traces alone.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from quickstarted.condition import DOCS, Condition
from quickstarted.events import Usage
from quickstarted.local_docs import Kind
from quickstarted.results.costs import total_usd
from quickstarted.results.document import Document
from quickstarted.results.keys import AttemptKey, CellKey
from quickstarted.results.rated import GateResult, GateRule, ModelRate, PassesOfK
from quickstarted.verdict import Classification, StopReason

SCHEMA_VERSION = 1
"""Of `results.json` and `run.json`; grows when a field changes its meaning or goes away."""


Stopped = Literal["interrupted", "max_spend", "no_room"]
"""`no_room`: disk or memory stayed below the floor, and no attempt was under way to free any."""


class CheckResult(Document):
    """What the success check said."""

    exit_code: int
    passed: bool
    output: str
    """The end of what it printed; the trace has all."""
    duration_seconds: float | None = None
    timed_out: bool = False


class FaultResult(Document):
    """Why an attempt gives no evidence."""

    component: str
    error: str
    hint: str = ""


class LocalDocResult(Document):
    """Local documentation that an agent read, as far as its commands show it."""

    kind: Kind
    what: str
    """A path, or the words that asked."""
    command: str
    """The command that read it first, shortened."""


class PriceSource(Document):
    """A table of prices."""

    source: str
    """The file, or the package with its version."""
    date: str | None
    """`YYYY-MM-DD`; None where the table has no date, as the data of a package has none."""


class TryResult(Document):
    """An earlier try of an attempt, lost to infrastructure and made again (`--retries`)."""

    classification: Classification
    fault: FaultResult | None
    started: float
    """Epoch seconds."""
    duration_seconds: float
    estimated_cost_usd: float | None = None
    """It is spent, though the attempt counts once."""
    trace: str
    """Path of its trace, relative to where the `RunResult` that lists it says its own is."""


class RunResult(Document):
    """One attempt."""

    schema_version: Literal[1] = 1
    task: str
    agent: str
    attempt: int
    """Counts from 1 within task, agent and affordance policy."""
    affordance_policy: str
    arm: str = DOCS
    """`docs`, `no-docs`, or the name of a folder that was put into the workspace (`--arm`)."""
    arm_hash: str | None = None
    """Digest of that folder; attempts with different ones are never pooled."""
    run_id: str | None
    tags: list[str]
    metadata: dict[str, Any]
    """The task's own, untouched."""

    classification: Classification
    stop_reason: StopReason
    passed: bool | None
    """What the check said; None when none ran."""
    success_check: CheckResult | None
    fault: FaultResult | None

    started: float
    """Epoch seconds."""
    duration_seconds: float
    """From `run_start` to `run_end`, waiting included."""
    waited_seconds: float
    """Throttles and rate limits, outside every budget."""
    turns: int
    """Calls of a model; 0 for replay."""
    commands: int
    failed_commands: int
    tokens: Usage
    estimated_cost_usd: float | None = None
    """Of all calls of models, failed tries too; None: there is no price for one of the models."""
    unpriced_models: list[str] = Field(default_factory=list)
    """Models that were used and have no price, sorted."""
    prices: PriceSource | None = None
    """What costs were estimated with; None where there was no price table, or no model."""

    docs_pages_read: int
    """Different pages."""
    docs_pages: list[str]
    """Their URLs, in the order of the first reading."""
    local_docs_read: list[LocalDocResult] = Field(default_factory=list)
    """
    What was read besides pages: help, manuals, files of packages. An indication, from the commands
    of the agent; `docs_pages` is complete for remote documentation.
    """
    affordances_withheld: int = 0
    """Reads of pages for agents that the condition withheld; 0 where it did not matter."""
    affordances_found: list[str] | None = None
    """What `--probe-affordances` found at the site, by name; None where it did not look."""
    docs_bypass_attempts: int
    """Requests of the shell for a documentation host; name lookups do not count."""
    egress_allowed: int
    egress_blocked: int
    egress_errors: int
    refused_hosts: list[str]
    """Hosts refused as `not_allowlisted`, sorted."""

    backend: str
    enforced: bool
    image: str | None
    """As it was asked for."""
    image_id: str | None
    image_digest: str | None
    stand_in: str | None = None
    """The image of our own that stood in for `image`, where no registry could be reached."""
    architecture: str | None
    model: str | None
    """As it was asked for."""
    models_reported: list[str]
    """As the vendor named it in its answers, sorted."""
    harness_version: str | None
    prompt_hash: str | None
    tries: int = 1
    """How often it was begun; more than one only with `--retries`."""
    earlier_tries: list[TryResult] = Field(default_factory=list)
    """Those before this one, the first one first."""
    trace: str | None = None
    """
    Path of the trace: relative to the folder of `results.json`, and in an attempt's own
    `result.json` relative to its folder.
    """

    @property
    def spent_usd(self) -> float | None:
        """What it cost with its earlier tries; None as soon as one of them has no price."""
        tries = [one.estimated_cost_usd for one in self.earlier_tries]
        return total_usd([*tries, self.estimated_cost_usd])

    @property
    def key(self) -> AttemptKey:
        """What tells this attempt from all others of its call."""
        return self.cell_key.attempt(self.attempt)

    @property
    def cell_key(self) -> CellKey:
        """What tells its cell from the others."""
        return CellKey(self.task, self.agent, self.affordance_policy, self.arm)

    def as_try(self, trace: str) -> TryResult:
        """The attempt as a lost try of a later one, its trace at the path *trace*."""
        return TryResult(
            classification=self.classification,
            fault=self.fault,
            started=self.started,
            duration_seconds=self.duration_seconds,
            estimated_cost_usd=self.estimated_cost_usd,
            trace=trace,
        )

    @property
    def condition(self) -> Condition:
        """What the attempt was made under; figures of different ones are never pooled."""
        return Condition(affordances=self.affordance_policy, arm=self.arm, arm_hash=self.arm_hash)


class Spread(Document):
    """A figure over the attempts that gave evidence."""

    median: float
    low: float
    high: float


class Effort(Document):
    """What it took; None where no attempt gave evidence."""

    turns: Spread | None
    seconds: Spread | None
    """Without waiting for throttles and rate limits."""
    tokens: Spread | None
    pages: Spread | None
    failed_commands: Spread | None


class CellResult(Document):
    """All attempts of one task by one agent under one condition."""

    task: str
    agent: str
    affordance_policy: str
    arm: str = DOCS
    arm_hash: str | None = None
    attempts: int
    evidential_runs: int
    """Those that passed or showed a gap; the only ones that a rate is made of."""
    passes: int
    pass_rate: float | None
    """Passes by evidential runs; None without evidence, and where these report several models."""
    interval: tuple[float, float] | None
    """95% Wilson score interval of the rate."""
    of_k: list[PassesOfK] = Field(default_factory=list)
    """Several attempts at once, for every usual k up to the attempts that were made."""
    by_models: list[ModelRate] = Field(default_factory=list)
    """A rate for each, where attempts report different models: they are not one number."""
    discarded: dict[Classification, int]
    """Attempts that ran and are no evidence, by classification; without the skipped ones."""
    skipped: int
    effort: Effort
    models_reported: list[str]
    tokens: Usage
    estimated_cost_usd: float | None
    """Of all attempts with their earlier tries; None as soon as one has no price."""
    cost_per_pass_usd: float | None = None
    """All that the attempts cost by those that passed; None without a pass or without a price."""
    unpriced_models: list[str] = Field(default_factory=list)
    suspect_pages: list[str] = Field(default_factory=list)
    """
    Pages that all failed attempts have read and not all that passed, those first that fewest of
    the latter have read.
    """
    gate: GateResult | None = None
    """With `--min-pass-rate`."""


class MissingAttempt(Document):
    """An attempt that was planned and is not among the runs."""

    task: str
    agent: str
    affordance_policy: str
    arm: str
    attempt: int


class SuiteResult(Document):
    """The document `results.json`."""

    schema_version: Literal[1] = 1
    harness_version: str
    created: float
    """Epoch seconds."""
    enforced: bool = True
    """Whether all attempts were held to their tasks' policies from outside their sandboxes."""
    attempts_planned: int | None = None
    """How many attempts the call was to make; more than `runs` while it goes on, or was stopped."""
    stopped: Stopped | None = None
    """Why the call ended before all of its attempts were made."""
    missing: list[MissingAttempt] = Field(default_factory=list)
    """Attempts that nobody has made, where shards were joined all the same (`--allow-missing`)."""
    max_spend_usd: float | None = None
    """What the call might cost (`--max-spend`)."""
    estimated_cost_usd: float | None = None
    """Of all attempts; None as soon as one has no price."""
    unpriced_models: list[str] = Field(default_factory=list)
    prices: list[PriceSource] = Field(default_factory=list)
    """What costs were estimated with."""
    gate: GateRule | None = None
    """What was asked of every cell (`--min-pass-rate`)."""
    cells: list[CellResult]
    runs: list[RunResult]
