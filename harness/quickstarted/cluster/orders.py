"""
What a node is told: once of the call, and once of each attempt; all that it needs and nothing else.

Neither holds a key or a secret. Those a node has in its own environment, or is sent by name
(`--forward-env`), beside an order and never in one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from quickstarted.agents import agent_named
from quickstarted.arms import Arm
from quickstarted.cluster.channel import Channel, DistantMeter
from quickstarted.cluster.parcels import Stock
from quickstarted.condition import Condition
from quickstarted.docs import DocsLibrary, DocsOptions
from quickstarted.plan import AttemptPlan
from quickstarted.prices import PriceTable
from quickstarted.suite import Floors
from quickstarted.task import Task
from quickstarted.task_contents import TaskContents


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrder:
    """What holds for all attempts of a call."""

    run_id: str
    backend: str
    """`docker` or `local`."""
    package_cache: bool
    images: tuple[str, ...]
    """That attempts will ask for."""
    upstream_ca: bytes | None
    """Certificates (PEM) that are trusted besides a node's own."""
    docs: DocsOptions
    """`cache_dir` only where the call names one; else a node's own."""
    floors: Floors
    """What a node keeps free."""
    prices: PriceTable | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One attempt."""

    task: Task
    """With the text of its file and of its check; its folders are the caller's, and only named."""
    agent: str
    """Its name, which says all of it."""
    attempt: int
    run_id: str
    default_image: str
    condition: Condition
    arm: Arm
    probe_affordances: bool
    is_metered: bool
    """Whether a turn has to ask whether there is money for it."""
    workspace: str | None
    """Digest; None where the task has none."""
    sites: Mapping[str, str]
    """URL prefix to the digest of the folder that stands in for it."""


def order_of(plan: AttemptPlan) -> tuple[Order, dict[str, Path]]:
    """*plan* as it is sent, and the folders that it needs, by their digests."""
    task, arm = plan.task, plan.arm
    contents = plan.contents or TaskContents(task)
    order = Order(
        task=task,
        agent=plan.agent.name,
        attempt=plan.attempt,
        run_id=plan.run_id,
        default_image=plan.default_image,
        condition=plan.condition,
        arm=arm,
        probe_affordances=plan.probe_affordances,
        is_metered=plan.meter is not None,
        workspace=contents.workspace_hash,
        sites=dict(contents.site_hashes),
    )
    folders: dict[str, Path] = {}
    if task.workspace is not None and order.workspace is not None:
        folders[order.workspace] = task.workspace
    for prefix, digest in order.sites.items():
        site = task.docs.sites[prefix].folder
        assert site is not None
        folders[digest] = site
    if arm.folder is not None and arm.content_hash is not None:
        folders[arm.content_hash] = arm.folder
    return order, folders


class SentContents(TaskContents):
    """What a node was sent: the task's own file is not on it, and cannot have changed."""

    def changed_files(self) -> list[str]:
        """Nothing."""
        return []


@dataclass(frozen=True, kw_only=True)
class Shared:
    """What a node has for all attempts of a call."""

    node: str
    """Its name."""
    stock: Stock
    library: DocsLibrary
    prices: PriceTable | None
    extra_ca_files: tuple[Path, ...]


def plan_of(order: Order, shared: Shared, channel: Channel) -> AttemptPlan:
    """
    *order* as the plan of an attempt here.

    Raises:
        UsageError: There is no such agent on this node, or a folder cannot be read.

    """
    task = _task_here(order, shared.stock)
    return AttemptPlan(
        task=task,
        agent=agent_named(order.agent),
        attempt=order.attempt,
        run_id=order.run_id,
        default_image=order.default_image,
        extra_ca_files=shared.extra_ca_files,
        condition=order.condition,
        arm=_arm_here(order.arm, shared.stock),
        prices=shared.prices,
        meter=DistantMeter(channel) if order.is_metered else None,
        probe_affordances=order.probe_affordances,
        contents=SentContents(task),
        library=shared.library,
        environ=os.environ,
        node=shared.node,
    )


def _task_here(order: Order, stock: Stock) -> Task:
    task = order.task
    sites = {
        prefix: site
        if site.folder is None
        else replace(site, folder=stock.folder(order.sites[prefix]), named=site.folder)
        for prefix, site in task.docs.sites.items()
    }
    workspace = None if order.workspace is None else stock.folder(order.workspace)
    docs = task.docs.model_copy(update={"sites": sites})
    return task.model_copy(update={"docs": docs, "workspace": workspace})


def _arm_here(arm: Arm, stock: Stock) -> Arm:
    if arm.folder is None or arm.content_hash is None:
        return arm
    return replace(arm, folder=stock.folder(arm.content_hash), named=arm.folder)
