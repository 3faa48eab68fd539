"""`run.json`: everything needed to run an attempt again."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from quickstarted.condition import DOCS
from quickstarted.results.document import Document


class RunRecord(Document):
    """The document `run.json`: everything needed to run an attempt again, and no secret."""

    schema_version: Literal[1] = 1
    harness_version: str
    task: str
    task_path: str
    """Where the task file was, as it was named in the call."""
    task_source: str
    """The task file's text, exactly."""
    check_source: str
    """The success script, also when it came from `success.file`."""
    agent: str
    model: str | None
    attempt: int
    affordance_policy: str
    arm: str = DOCS
    arm_folder: str | None = None
    """What was put into the workspace; its content is known by `arm_hash`."""
    arm_hash: str | None = None
    prices: dict[str, Any] | None = None
    """
    Source, date and digest of the price table, and under `models` the entry and the rates (US
    dollars per million tokens) by which each reported model was priced.
    """
    probe_affordances: bool = False
    """Whether it was looked up what the documentation has for agents."""
    prompt_hash: str | None
    backend: str
    node: str | None = None
    """The node of a cluster on which it was made (`--executor ray`); None: the caller's machine."""
    enforced: bool
    """Whether `policy` was applied from outside the sandbox; false: by nobody."""
    policy: dict[str, Any]
    """What the sidecar is told (`EgressPolicy.to_json`)."""
    image: str
    """As it was asked for."""
    image_id: str
    image_digest: str | None
    architecture: str
    docs_sites: dict[str, str]
    """URL prefix to the folder or URL that stood in for it."""
    docs_site_hashes: dict[str, str] = Field(default_factory=dict)
    """URL prefix to the digest of the folder that stood in for it."""
    workspace_hash: str | None = None
    """Digest of what the task put into the workspace; None where it put nothing."""
    docs_freshness: Literal["revalidate", "refresh", "offline"] = "revalidate"
    """Whether stored pages were asked about, fetched again (`--refresh`) or all there was."""
    respect_robots: bool = True
    """False with `--ignore-robots`."""
    resources: dict[str, Any]
    budgets: dict[str, Any]
